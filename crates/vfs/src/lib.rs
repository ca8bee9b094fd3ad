//! trimorph-vfs
