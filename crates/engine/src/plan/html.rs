//! A plan as a page that needs nothing else: no script, no font, no other file. An operator with inputs can
//! be folded (`<details>`); its share of the time is a bar; light and dark follow the reader's setting.

use std::fmt::Write as _;

use super::tree::{PlanTree, share};
use super::words::{count, done_by, estimate, pieces, remarks, time};

const STYLE: &str = "
.trimorph-plan { font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; color: #1d2433; overflow-x: auto }
.trimorph-plan .row { display: grid; grid-template-columns: var(--columns); gap: 0 1em; padding: 1px .5em;
  white-space: pre; list-style: none; align-items: baseline }
.trimorph-plan summary { cursor: pointer }
.trimorph-plan summary::-webkit-details-marker { display: none }
.trimorph-plan .row:hover { background: #8881 }
.trimorph-plan .head { font-weight: 600; border-bottom: 1px solid #8886 }
.trimorph-plan .n { text-align: right }
.trimorph-plan .op { padding-left: calc(var(--depth) * 1.4em) }
.trimorph-plan summary .op::before { content: '▸ '; color: #888 }
.trimorph-plan details[open] > summary .op::before { content: '▾ ' }
.trimorph-plan div.row:not(.head) .op::before { content: '  ' }
.trimorph-plan .how { color: #68708a }
.trimorph-plan .look { color: #b25000 }
.trimorph-plan .bar { background: linear-gradient(to right, #4c8dff88 var(--share), transparent var(--share)); border-radius: 2px }
@media (prefers-color-scheme: dark) {
  .trimorph-plan { color: #d8deec } .trimorph-plan .how { color: #98a0b8 } .trimorph-plan .look { color: #ffab66 }
}
";

/// A whole page.
pub(super) fn page(tree: &PlanTree) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Plan</title>\n<meta name=\"color-scheme\" \
         content=\"light dark\">\n</head>\n<body>\n{}</body>\n</html>\n",
        part(tree)
    )
}

/// The plan with its style.
pub(super) fn part(tree: &PlanTree) -> String {
    let is_measured = tree.is_measured();
    let columns = if is_measured { "5em 5em 5.5em 5.5em 5em auto" } else { "5em auto" };
    let mut out =
        format!("<style>{STYLE}</style>\n<div class=\"trimorph-plan\" style=\"--columns: {columns}\">\n");
    let head: &[&str] =
        if is_measured { &["rows", "estimate", "own", "total", "share"] } else { &["estimate"] };
    let head: String = head.iter().map(|name| format!("<span class=\"n\">{name}</span>")).collect();
    // Infallible, all of it: it is a text.
    let _ = writeln!(out, "<div class=\"row head\">{head}<span>operator</span></div>");
    let mut open: Vec<usize> = Vec::new();
    for (at, operator) in tree.operators.iter().enumerate() {
        while open.last().is_some_and(|depth| *depth >= operator.depth) {
            open.pop();
            out.push_str("</details>\n");
        }
        let row = row(tree, at, is_measured);
        if tree.inputs(at).next().is_some() {
            let _ = writeln!(out, "<details open><summary class=\"row\">{row}</summary>");
            open.push(operator.depth);
        } else {
            let _ = writeln!(out, "<div class=\"row\">{row}</div>");
        }
    }
    out.push_str(&"</details>\n".repeat(open.len()));
    if let Some(read) = pieces(tree.pieces_read) {
        let _ = writeln!(out, "<div class=\"how\">{read}</div>");
    }
    out.push_str("</div>\n");
    out
}

fn row(tree: &PlanTree, at: usize, is_measured: bool) -> String {
    let operator = &tree.operators[at];
    let number = |text: &str| format!("<span class=\"n\">{text}</span>");
    let estimated = number(&estimate(operator.estimated_rows));
    let numbers = match operator.measured {
        Some(m) => {
            let percent = share(m.own, tree.whole()) * 100.0;
            let bar = format!("<span class=\"n bar\" style=\"--share: {percent:.1}%\">{percent:.0} %</span>");
            [number(&count(m.rows)), estimated, number(&time(m.own)), number(&time(m.total)), bar].concat()
        }
        None if is_measured => [number(""), estimated, number(""), number(""), number("")].concat(),
        None => estimated,
    };
    let mut text = format!(
        "{numbers}<span class=\"op\" style=\"--depth: {}\">{}",
        operator.depth,
        escape(&operator.text)
    );
    let how = done_by(operator);
    if !how.is_empty() {
        let codes = escape(&operator.codes.join(" "));
        let _ = write!(text, "<span class=\"how\" title=\"{codes}\"> · {}</span>", escape(&how));
    }
    for remark in remarks(operator) {
        let _ = write!(text, "<span class=\"look\"> · {}</span>", escape(&remark));
    }
    text + "</span>"
}

/// `text` without what HTML takes for its own.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
