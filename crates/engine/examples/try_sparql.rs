//! Runs SPARQL texts, one after the other, on an empty database in memory:
//! `cargo run --example try_sparql -- 'TEXT' …`.
//! A text that begins with `cypher:` is openCypher.

use trimorph::{Config, Database};

#[expect(clippy::print_stdout, reason = "it is what the example is for")]
fn main() {
    let db = Database::in_memory(Config::default());
    let connection = db.connect();
    for text in std::env::args().skip(1) {
        println!("> {text}");
        let result = match text.strip_prefix("cypher:") {
            Some(text) => connection.query(text, &[]),
            None => connection.sparql(&text),
        };
        let mut result = match result {
            Ok(result) => result,
            Err(error) => {
                println!("{error}");
                continue;
            }
        };
        println!("{:?} {}", result.columns(), result.side_effects());
        loop {
            match result.next_row() {
                Ok(Some(row)) => {
                    println!("  {}", row.iter().map(|v| result.format(v)).collect::<Vec<_>>().join(" | "))
                }
                Ok(None) => break,
                Err(error) => {
                    println!("{error}");
                    break;
                }
            }
        }
    }
}
