//! trimorph-exec
