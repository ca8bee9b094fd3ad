//! trimorph-algebra
