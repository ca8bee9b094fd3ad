//! trimorph-loader
