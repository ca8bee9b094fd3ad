//! trimorph-cypher
