//! trimorph-encoding
