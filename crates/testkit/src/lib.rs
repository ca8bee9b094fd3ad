//! trimorph-testkit
