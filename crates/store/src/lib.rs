//! trimorph-store
