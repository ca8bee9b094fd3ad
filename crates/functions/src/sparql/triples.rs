//! Triple terms: TRIPLE, SUBJECT, PREDICATE, OBJECT, isTRIPLE.

use trimorph_base::Diagnostic;
use trimorph_types::Value;
use trimorph_types::rdf::{Term, triple, triple_parts};

use super::found::{Found, found, of_terms};
use crate::context::Context;
use crate::function::{Function, result};

pub(super) const FUNCTIONS: &[Function] = &[
    of_terms!("triple", (3, 3), result::any, make, "triple(s, p, o): the triple term of three terms"),
    of_terms!("subject", (1, 1), result::any, |_, a| part(a, 0), "subject(t): the subject of a triple term"),
    of_terms!(
        "predicate",
        (1, 1),
        result::any,
        |_, a| part(a, 1),
        "predicate(t): the predicate of a triple term"
    ),
    of_terms!("object", (1, 1), result::any, |_, a| part(a, 2), "object(t): the object of a triple term"),
    of_terms!(
        "istriple",
        (1, 1),
        result::bool,
        |_, a| Ok(Value::Bool(matches!(Term::of(&a[0]), Term::Triple(_)))),
        "istriple(a): whether this is a triple term"
    ),
];

fn make(_: &Context<'_>, args: &[Value]) -> Found {
    // The arguments are terms already.
    let mut itself = |value: &Value| Ok::<_, Diagnostic>(value.clone());
    found(triple([&args[0], &args[1], &args[2]], &mut itself)?)
}

fn part(args: &[Value], place: usize) -> Found {
    match Term::of(&args[0]) {
        Term::Triple(text) => found(triple_parts(text).and_then(|parts| parts.into_iter().nth(place))),
        _ => found(None),
    }
}
