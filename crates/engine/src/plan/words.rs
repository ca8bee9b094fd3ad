//! What physical operators are called among people, and what else is to be said of an operator. The book's
//! page about plans has these words in its legend; a test compares.

use super::tree::PlanOperator;

/// Names of the executor, and the words for them.
pub(super) const WORDS: &[(&str, &str)] = &[
    ("one row", "one row to begin with"),
    ("no row", "nothing"),
    ("argument", "the row of the operator above"),
    ("rows so far", "rows of the clauses before"),
    ("node scan", "reads nodes one after the other"),
    ("key look-up", "looks nodes up by key"),
    ("look-up of keys", "looks nodes up by several keys"),
    ("key look-up by scan", "finds nodes by reading all"),
    ("index look-up", "looks nodes up in an index"),
    ("relationship look-up", "looks relationships up in an index"),
    ("id look-up", "looks up by id"),
    ("list extend", "takes each node's neighbours as a list"),
    ("column extend", "takes the one neighbour that each node has"),
    ("batch extend", "takes the neighbours of many nodes at once"),
    ("scan extend", "reads relationships in the order of their nodes"),
    ("scan or batch extend", "takes neighbours in order, or of many nodes at once"),
    ("counting extend", "counts neighbours without reading them"),
    ("var extend", "walks step by step"),
    ("chain extend", "walks from node to node, where each has one way to go"),
    ("expand into", "looks for relationships between two known nodes"),
    ("intersect", "takes neighbours that several nodes have together"),
    ("semi-join", "keeps nodes that the other side has"),
    ("anti-join", "keeps nodes that the other side has not"),
    ("product with few rows", "puts each of the few rows of the other input beside all"),
    ("hash join", "joins by a hash table of the second input"),
    ("hash semi-join", "keeps the rows whose key is in a hash table of the second input"),
    ("keys of a join", "leaves out rows that no later join would keep"),
    ("range join", "joins by a sorted list of the second input"),
    ("filter", "keeps rows that meet the condition"),
    ("compute", "computes values"),
    ("flatten", "takes lists apart"),
    ("pack", "puts rows together"),
    ("aggregate", "groups and counts"),
    ("aggregate on threads", "groups and counts, on each thread by itself"),
    ("aggregate in runs", "groups and counts rows that come node by node"),
    ("sort", "sorts"),
    ("sort of the first of groups", "sorts rows, leaving out most that come late in their group"),
    ("top-k", "keeps the first rows of the order"),
    ("top-k that leads the scan", "keeps the first rows, and reads where they are"),
    ("distinct", "leaves out rows that were there before"),
    ("skip", "leaves out the first rows"),
    ("skip of each row", "leaves out the first rows of each row of the operator above"),
    ("limit", "ends after so many rows"),
    ("limit of each row", "keeps so many rows of each row of the operator above"),
    ("one of each row", "gives a row for each row of the operator above"),
    ("spool read", "reads rows that several places of the plan have in common"),
    ("shortest", "keeps the shortest paths"),
    ("unwind", "makes a row of each item"),
    ("procedure call", "calls a procedure"),
    ("statements", "reads statements of RDF"),
    ("deal", "hands rows to several threads"),
    ("deal few", "hands rows to several threads if they are few"),
    ("gather", "collects rows of several threads"),
    ("union", "one input after the other"),
    ("apply", "runs the second input for many rows at once"),
    ("apply by pairs", "runs the second input once for rows that share a node, then looks each pair up"),
    ("apply row by row", "runs the second input for each row"),
];

/// The words for a name of the executor.
pub(super) fn words(name: &'static str) -> &'static str {
    WORDS.iter().find(|(known, _)| *known == name).map_or(name, |(_, words)| words)
}

/// What an operator is done by, in words.
pub(super) fn done_by(operator: &PlanOperator) -> String {
    operator.done_by.iter().map(|name| words(name)).collect::<Vec<_>>().join(", then ")
}

/// What should be looked at, and what was saved.
pub(super) fn remarks(operator: &PlanOperator) -> Vec<String> {
    let Some(m) = operator.measured else { return Vec::new() };
    let mut out = Vec::new();
    #[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
    let (rows, estimate) = ((m.rows as f64).max(1.0), operator.estimated_rows.max(1.0));
    let (ratio, side) = if rows > estimate { (rows / estimate, "more") } else { (estimate / rows, "fewer") };
    if ratio >= 10.0 && rows.max(estimate) >= 1000.0 {
        out.push(format!("{ratio:.0} times {side} than estimated"));
    }
    if m.rows > m.positions.saturating_mul(2) {
        out.push(format!("kept as {} positions", count(m.positions)));
    }
    if m.looked_up > 0 {
        out.push(format!("{} looked up at once", count(m.looked_up)));
    }
    if m.asked.0 > 0 {
        out.push(format!("{} of {} may be joined", count(m.asked.1), count(m.asked.0)));
    }
    if m.spilled_bytes > 0 {
        out.push(format!("{} bytes in temporary files", count(m.spilled_bytes)));
    }
    out
}

/// What is said of pieces that were read, if any were.
pub(super) fn pieces(read: u64) -> Option<String> {
    match read {
        0 => None,
        1 => Some("1 piece was read from files".to_owned()),
        more => Some(format!("{} pieces were read from files", count(more))),
    }
}

/// A number in groups of three digits.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// An estimate: exact below ten thousand, else two digits and a unit.
pub(super) fn estimate(rows: f64) -> String {
    let unit = |rows: f64, name| {
        if rows < 10.0 { format!("~{rows:.1} {name}") } else { format!("~{rows:.0} {name}") }
    };
    match rows {
        r if !r.is_finite() => "~any".to_owned(),
        r if r >= 1e9 => unit(r / 1e9, "G"),
        r if r >= 1e6 => unit(r / 1e6, "M"),
        r if r >= 1e4 => unit(r / 1e3, "k"),
        r => format!("~{r:.0}"),
    }
}

/// A time with two or three digits.
pub(super) fn time(time: std::time::Duration) -> String {
    match time.as_secs_f64() {
        s if s < 1e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-4 => format!("{:.1} µs", s * 1e6),
        s if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 0.01 => format!("{:.2} ms", s * 1e3),
        s if s < 0.1 => format!("{:.1} ms", s * 1e3),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}
