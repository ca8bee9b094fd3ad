//! trimorph-storage
