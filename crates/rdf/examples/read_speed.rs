//! How fast statements are read: a file in, statements per second of this thread out.
//!
//! `cargo run --release -p trimorph-rdf --example read_speed -- FILE [FORMAT]`

use std::convert::Infallible;
use std::fs::File;
use std::path::Path;
use std::time::Instant;

use trimorph_rdf::{BadStatements, Format, ParseOptions, TermRef, parse};

fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap_or_default();
    let format = args.next().map_or_else(|| Format::of_path(Path::new(&path)), |name| Format::named(&name));
    let Some(format) = format else { panic!("no format is known for \"{path}\"") };
    let options = ParseOptions {
        format,
        base: Some("http://example.org/".into()),
        blank_prefix: "f1-".into(),
        bad: BadStatements::Refuse,
    };
    for _ in 0..3 {
        let start = Instant::now();
        let mut bytes = 0;
        let Ok(file) = File::open(&path) else { panic!("no file \"{path}\"") };
        let report = parse(file, &options, |statement| {
            bytes += match statement.object {
                TermRef::Resource(text) => text.len(),
                TermRef::Literal(literal) => literal.lexical.len(),
            };
            Ok::<_, Infallible>(())
        });
        let Ok(report) = report else { panic!("{report:?}") };
        let seconds = start.elapsed().as_secs_f64();
        eprintln!(
            "{} statements, {:.2} million per second ({bytes} bytes of objects)",
            report.statements,
            report.statements as f64 / seconds / 1e6
        );
    }
}
