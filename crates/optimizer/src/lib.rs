//! trimorph-optimizer
