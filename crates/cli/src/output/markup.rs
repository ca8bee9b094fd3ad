//! Tables of other languages: HTML and LaTeX, as wide as they get.

use std::io::Write;

use trimorph::QueryResult;

use super::Limits;
use crate::failure::Failure;

/// A language of markup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Markup {
    Html,
    Latex,
}

/// `text` without what HTML takes for its own.
pub(crate) fn html_escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// `text` without what LaTeX takes for its own.
fn latex_escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            c => out.push(c),
        }
    }
    out
}

pub(super) fn write(
    result: &mut QueryResult,
    markup: Markup,
    limits: &Limits,
    out: &mut dyn Write,
) -> Result<u64, Failure> {
    let names = result.columns().to_vec();
    match markup {
        Markup::Html => {
            let head: String = names.iter().map(|n| format!("<th>{}</th>", html_escape(n))).collect();
            writeln!(out, "<table>\n<thead><tr>{head}</tr></thead>\n<tbody>")?;
        }
        Markup::Latex => {
            let head: Vec<String> = names.iter().map(|n| latex_escape(n)).collect();
            writeln!(out, "\\begin{{tabular}}{{{}}}\n\\hline", "l".repeat(names.len()))?;
            writeln!(out, "{} \\\\\n\\hline", head.join(" & "))?;
        }
    }
    let mut rows = 0;
    while let Some(row) = result.next_row()? {
        let cells = row.iter().map(|value| limits.cell(result, value).0);
        match markup {
            Markup::Html => {
                let cells: String = cells.map(|c| format!("<td>{}</td>", html_escape(&c))).collect();
                writeln!(out, "<tr>{cells}</tr>")?;
            }
            Markup::Latex => {
                let cells: Vec<String> = cells.map(|c| latex_escape(&c)).collect();
                writeln!(out, "{} \\\\", cells.join(" & "))?;
            }
        }
        rows += 1;
    }
    match markup {
        Markup::Html => writeln!(out, "</tbody>\n</table>")?,
        Markup::Latex => writeln!(out, "\\hline\n\\end{{tabular}}")?,
    }
    Ok(rows)
}
