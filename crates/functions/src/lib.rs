//! trimorph-functions
