//! Triple terms: TRIPLE, SUBJECT, PREDICATE, OBJECT, isTRIPLE.
//!
//! Of a vector of triple terms a part is, as a rule, a name that stands in their texts: it is found there and
//! not copied. Made of vectors, a triple term is written from names that are fetched together.

use std::borrow::Cow;

use trimorph_base::Diagnostic;
use trimorph_types::Value;
use trimorph_types::rdf::{Part, Term, split_triple, triple, write_triple};
use trimorph_vector::{Positions, Texts, Values, Vector};

use super::found::{Found, found, is_entity, of_terms};
use super::term_vectors::{names_of, only};
use crate::context::Context;
use crate::function::{Function, result};
use crate::kernel::{Argument, nulls_of};

pub(super) const FUNCTIONS: &[Function] = &[
    of_terms!("triple", (3, 3), result::any, make, "triple(s, p, o): the triple term of three terms")
        .typed(make_all),
    of_terms!("subject", (1, 1), result::any, |_, a| part(a, 0), "subject(t): the subject of a triple term")
        .typed(|context, args, at| parts(context, args, at, 0)),
    of_terms!(
        "predicate",
        (1, 1),
        result::any,
        |_, a| part(a, 1),
        "predicate(t): the predicate of a triple term"
    )
    .typed(|context, args, at| parts(context, args, at, 1)),
    of_terms!("object", (1, 1), result::any, |_, a| part(a, 2), "object(t): the object of a triple term")
        .typed(|context, args, at| parts(context, args, at, 2)),
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
        Term::Triple(text) => found(split_triple(text).and_then(|parts| parts[place].value())),
        _ => found(None),
    }
}

/// One of the three parts of each triple term of a vector.
fn parts<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    place: usize,
) -> Option<Vector<'s>> {
    let vector = only(args)?;
    let terms = names_of(context, vector, at)?;
    let (mut nulls, mut are_names) = (vector.nulls.clone(), true);
    let names = terms.parts(at, &vector.nulls, |i, text| {
        match split_triple(text).map(|[subject, predicate, object]| match place {
            0 => subject,
            1 => predicate,
            _ => object,
        }) {
            Some(Part::Resource(Cow::Borrowed(name))) => return name,
            Some(_) => are_names = false,
            None => nulls.set(i, at.len),
        }
        ""
    });
    if are_names {
        return Some(Vector { values: Values::Iri(names), nulls });
    }
    let mut values = vec![Value::Null; at.len];
    at.for_each(|i| {
        if !nulls.get(i) {
            let value = split_triple(terms.get(i)).and_then(|parts| parts[place].value());
            values[i] = value.unwrap_or_default();
        }
    });
    Some(Vector::of_values(values, at))
}

/// What the parts of triple terms are made of.
enum Side<'a, 's> {
    One(&'a Value),
    Names(Cow<'a, Texts<'s>>),
    Values(&'a Vector<'s>),
}

impl<'a, 's> Side<'a, 's> {
    fn of(context: &Context<'_>, arg: Argument<'a, 's>, at: Positions<'_>) -> Option<Self> {
        match arg {
            // Of the graph: value by value.
            Argument::One(value) => (!is_entity(value)).then_some(Self::One(value)),
            Argument::Each(vector) => match &vector.values {
                Values::Iri(_) | Values::Node(_) => names_of(context, vector, at).map(Self::Names),
                Values::Edge(_) | Values::Any(_) => None,
                _ => Some(Self::Values(vector)),
            },
        }
    }
}

/// The triple terms of the terms of vectors.
fn make_all<'s>(context: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let [subject, predicate, object] = args else { return None };
    let [subject, predicate, object] = [subject, predicate, object].map(|arg| Side::of(context, *arg, at));
    let sides = [subject?, predicate?, object?];
    let mut nulls = nulls_of(args, at.len);
    let (mut texts, mut text) = (Texts::blank(at.len), String::new());
    let mut missing = Vec::new();
    at.for_each(|i| {
        if nulls.get(i) {
            return;
        }
        let values = sides.each_ref().map(|side| match side {
            Side::Values(vector) => vector.value(i, &|_| Value::Null),
            Side::One(_) | Side::Names(_) => Value::Null,
        });
        let mut terms = values.each_ref().map(Term::of);
        for (term, side) in terms.iter_mut().zip(&sides) {
            match side {
                Side::One(value) => *term = Term::of(value),
                Side::Names(names) => *term = Term::of_name(names.get(i)),
                Side::Values(_) => {}
            }
        }
        text.clear();
        match write_triple(&mut text, &terms) {
            true => texts.set(i, &text),
            false => missing.push(i),
        }
    });
    missing.into_iter().for_each(|i| nulls.set(i, at.len));
    Some(Vector { values: Values::Iri(texts), nulls })
}
