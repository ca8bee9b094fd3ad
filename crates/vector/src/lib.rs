//! trimorph-vector
