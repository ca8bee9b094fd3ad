//! What the languages are made of beside functions, as a user looks it up: clauses, expressions and
//! statements, each with its syntax, a line on what it does, and an example that a test runs. `:help` in the
//! shell, its completion and the book's pages are made of these tables.

mod cypher;
mod doc;
#[cfg(feature = "rdf")]
mod sparql;

pub use doc::ClauseDoc;

/// All clauses, expressions and statements of openCypher, then those of SPARQL where it is there; by family,
/// in the order in which one learns them.
pub fn clauses() -> Vec<ClauseDoc> {
    let families = cypher::FAMILIES.into_iter();
    #[cfg(feature = "rdf")]
    let families = families.chain(sparql::FAMILIES);
    let of_family = |(family, docs): (&'static str, &'static [ClauseDoc])| {
        docs.iter().map(move |doc| ClauseDoc { family, ..*doc })
    };
    families.flat_map(of_family).collect()
}
