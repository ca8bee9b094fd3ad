//! trimorph-catalog
