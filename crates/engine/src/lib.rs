//! trimorph-engine
