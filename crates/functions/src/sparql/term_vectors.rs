//! Functions of terms over typed vectors: of all values of one type they say the same, or what depends on the
//! text alone. Vectors of several types are left to the functions value by value.
//!
//! 1. `Terms::of` says what the values are as terms. Nodes are IRIs, blank nodes or triple terms unless their
//!    table stands for literals; which of these they are only their names tell, which the graph gives for all
//!    of a vector.
//! 2. A language, a datatype or the form of a literal depends on its tag, of which a vector has few: the
//!    answer for each is found once.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use trimorph_base::TableId;
use trimorph_types::rdf::names::{XSD, rdf, xsd};
use trimorph_types::rdf::{is_in_term_form, shared_datatype, split_tag, write_canonical};
use trimorph_types::{Date, LiteralKind, Value};
use trimorph_vector::{Dictionary, Literals, Nodes, Positions, Texts, Values, Vector, map};

use super::number::Number;
use crate::context::Context;
use crate::kernel::Argument;
use crate::kernels::written::canonical_moments;

/// What all values of a vector are.
enum Terms<'a, 's> {
    /// Literals of one datatype.
    Plain(&'static str),
    /// Literals with tags.
    Tagged(&'a Literals<'s>),
    /// IRIs, blank nodes and triple terms.
    Resources(&'a Texts<'s>),
    /// The same as nodes and relationships.
    Entities,
}

impl<'a, 's> Terms<'a, 's> {
    fn of(context: &Context<'_>, vector: &'a Vector<'s>, at: Positions<'_>) -> Option<Self> {
        Some(match &vector.values {
            Values::Bool(_) => Self::Plain(xsd::BOOLEAN),
            Values::Int(_) => Self::Plain(xsd::INTEGER),
            Values::Float(_) => Self::Plain(xsd::DOUBLE),
            Values::Decimal(_) => Self::Plain(xsd::DECIMAL),
            Values::String(_) => Self::Plain(xsd::STRING),
            Values::Date(_) => Self::Plain(xsd::DATE),
            Values::LocalTime(_) | Values::Time(_) => Self::Plain(xsd::TIME),
            Values::LocalDateTime(_) | Values::DateTime(_) | Values::Zoned(_) => Self::Plain(xsd::DATE_TIME),
            Values::Duration(_) => Self::Plain(xsd::DURATION),
            Values::Literal(literals) => Self::Tagged(literals),
            Values::Iri(texts) => Self::Resources(texts),
            Values::Node(nodes) if !has_literals(context, nodes, vector, at) => Self::Entities,
            Values::Edge(_) => Self::Entities,
            Values::Number(_)
            | Values::Node(_)
            | Values::List(_)
            | Values::Map(_)
            | Values::Tuple(_)
            | Values::Any(_) => {
                return None;
            }
        })
    }
}

/// Whether nodes are in a table that stands for literals.
fn has_literals(context: &Context<'_>, nodes: &Nodes<'_>, vector: &Vector<'_>, at: Positions<'_>) -> bool {
    let (mut last, mut has): (Option<TableId>, bool) = (None, false);
    let mut look = |i: usize| {
        let node = nodes.id(i);
        if last != Some(node.table()) {
            last = Some(node.table());
            has |= context.graph.is_literal(&Value::Node(node));
        }
    };
    match nodes.table() {
        Some(_) if at.len > 0 && vector.nulls.is_none() => look(0),
        _ => at.for_each(|i| {
            if !vector.nulls.get(i) {
                look(i);
            }
        }),
    }
    has
}

pub(super) fn only<'a, 's>(args: &[Argument<'a, 's>]) -> Option<&'a Vector<'s>> {
    match args {
        [Argument::Each(vector)] => Some(vector),
        _ => None,
    }
}

/// The same answer for all that are not null.
fn all<'s>(vector: &Vector<'s>, values: Values<'s>) -> Option<Vector<'s>> {
    Some(Vector { values, nulls: vector.nulls.clone() })
}

fn all_are<'s>(vector: &Vector<'s>, at: Positions<'_>, is: bool) -> Option<Vector<'s>> {
    all(vector, Values::Bool(vec![is; at.len]))
}

/// An answer for each tag.
fn by_tag<'s>(vector: &Vector<'s>, literals: &Literals<'s>, of: impl Fn(&LiteralKind) -> bool) -> Vector<'s> {
    let table = literals.table(false, of);
    let is = literals.codes().iter().map(|code| table[usize::from(*code)]).collect();
    Vector { values: Values::Bool(is), nulls: vector.nulls.clone() }
}

/// The text for each tag, as codes of a dictionary of them.
fn texts_by_tag<'s>(literals: &Literals<'s>, of: impl Fn(&LiteralKind) -> &str) -> Texts<'s> {
    let mut texts = Texts::with_capacity(literals.tags().len() + 1);
    literals.tags().iter().for_each(|tag| texts.push(of(tag)));
    // Values that are arbitrary may have a number that no tag has.
    texts.push("");
    let last = literals.tags().len();
    let codes = literals.codes().iter().map(|code| usize::from(*code).min(last) as u32).collect();
    Texts::coded(codes, &Arc::new(Dictionary::new(texts)))
}

/// Datatypes that typed vectors have, as one dictionary for all of them: who groups by them groups by codes.
fn datatypes() -> &'static Arc<Dictionary<'static>> {
    static ALL: LazyLock<Arc<Dictionary<'static>>> =
        LazyLock::new(|| Arc::new(xsd::ALL.iter().chain(rdf::ALL).copied().collect()));
    &ALL
}

fn datatype_code(iri: &str) -> Option<u32> {
    let mut all = (0..).zip(xsd::ALL.iter().chain(rdf::ALL));
    all.find(|(_, known)| **known == iri).map(|(code, _)| code)
}

fn datatype_of_kind(kind: &LiteralKind) -> &str {
    match kind {
        LiteralKind::Datatype(iri) => iri,
        LiteralKind::Language(tag) if split_tag(tag).1.is_some() => rdf::DIR_LANG_STRING,
        LiteralKind::Language(_) => rdf::LANG_STRING,
    }
}

pub(super) fn datatype<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let vector = only(args)?;
    match Terms::of(context, vector, at)? {
        Terms::Plain(iri) => {
            let codes = vec![datatype_code(iri)?; at.len];
            all(vector, Values::Iri(Texts::coded(codes, datatypes())))
        }
        Terms::Tagged(literals) => {
            let known: Option<Vec<u32>> =
                literals.tags().iter().map(|tag| datatype_code(datatype_of_kind(tag))).collect();
            let texts = match known {
                Some(known) => {
                    let code = |code: &u8| known.get(usize::from(*code)).copied().unwrap_or(0);
                    Texts::coded(literals.codes().iter().map(code).collect(), datatypes())
                }
                None => texts_by_tag(literals, datatype_of_kind),
            };
            all(vector, Values::Iri(texts))
        }
        Terms::Resources(_) | Terms::Entities => Some(Vector::nulls(at.len)),
    }
}

/// The language or the base direction of a tag, and empty where there is none.
pub(super) fn tag_part<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    of: for<'a> fn(Option<&'a str>, Option<&'a str>) -> Option<&'a str>,
) -> Option<Vector<'s>> {
    let vector = only(args)?;
    match Terms::of(context, vector, at)? {
        Terms::Plain(_) => all(vector, Values::String(Texts::blank(at.len))),
        Terms::Tagged(literals) => {
            let texts = texts_by_tag(literals, |kind| match kind {
                LiteralKind::Language(tag) => {
                    let (language, direction) = split_tag(tag);
                    of(Some(language), direction).unwrap_or_default()
                }
                LiteralKind::Datatype(_) => "",
            });
            all(vector, Values::String(texts))
        }
        Terms::Resources(_) | Terms::Entities => Some(Vector::nulls(at.len)),
    }
}

/// The names of a vector of IRIs, or of nodes none of which stands for a literal; relationships are asked one
/// by one.
pub(super) fn names_of<'a, 's>(
    context: &Context<'_>,
    vector: &'a Vector<'s>,
    at: Positions<'_>,
) -> Option<Cow<'a, Texts<'s>>> {
    match Terms::of(context, vector, at)? {
        Terms::Resources(texts) => Some(Cow::Borrowed(texts)),
        Terms::Entities => names(context, vector, at).map(Cow::Owned),
        Terms::Plain(_) | Terms::Tagged(_) => None,
    }
}

/// The terms that nodes are; what is none as it is.
pub(super) fn resource<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let vector = only(args)?;
    match Terms::of(context, vector, at)? {
        Terms::Entities => all(vector, Values::Iri(names(context, vector, at)?)),
        Terms::Resources(_) | Terms::Plain(_) | Terms::Tagged(_) => Some(vector.clone()),
    }
}

/// The names of nodes none of which stands for a literal; relationships are asked one by one.
fn names(context: &Context<'_>, vector: &Vector<'_>, at: Positions<'_>) -> Option<Texts<'static>> {
    let Values::Node(nodes) = &vector.values else { return None };
    let mut all = Vec::with_capacity(at.len);
    at.for_each(|i| {
        if !vector.nulls.get(i) {
            all.push((i, nodes.id(i)));
        }
    });
    context.graph.names(&all, at.len)
}

pub(super) fn is_literal<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let vector = only(args)?;
    if let Values::Node(nodes) = &vector.values {
        let (mut is, mut last) = (vec![false; at.len], None);
        at.for_each(|i| {
            if !vector.nulls.get(i) {
                let node = nodes.id(i);
                is[i] = match last {
                    Some((table, known)) if table == node.table() => known,
                    _ => context.graph.is_literal(&Value::Node(node)),
                };
                last = Some((node.table(), is[i]));
            }
        });
        return all(vector, Values::Bool(is));
    }
    let is = matches!(Terms::of(context, vector, at)?, Terms::Plain(_) | Terms::Tagged(_));
    all_are(vector, at, is)
}

/// Whether they are IRIs, or blank nodes.
pub(super) fn is_resource<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    of: impl Fn(&str) -> bool,
) -> Option<Vector<'s>> {
    let vector = only(args)?;
    match Terms::of(context, vector, at)? {
        Terms::Plain(_) | Terms::Tagged(_) => all_are(vector, at, false),
        Terms::Resources(texts) => {
            let mut is = vec![false; at.len];
            match texts.codes() {
                Some((codes, entries)) => {
                    let known: Vec<bool> = entries.iter().map(of).collect();
                    at.for_each(|i| is[i] = known[codes[i] as usize]);
                }
                None => at.for_each(|i| is[i] = of(texts.get(i))),
            }
            all(vector, Values::Bool(is))
        }
        Terms::Entities => {
            let (names, mut is) = (names(context, vector, at)?, vec![false; at.len]);
            at.for_each(|i| is[i] = of(names.get(i)));
            all(vector, Values::Bool(is))
        }
    }
}

/// Whether a text is an IRI, and no blank node or triple term.
pub(super) fn is_iri(text: &str) -> bool {
    !text.starts_with("_:") && !text.starts_with("<<(")
}

pub(super) fn is_numeric<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let vector = only(args)?;
    match Terms::of(context, vector, at)? {
        Terms::Plain(iri) => all_are(vector, at, [xsd::INTEGER, xsd::DECIMAL, xsd::DOUBLE].contains(&iri)),
        Terms::Tagged(literals) => {
            let mut is = vec![false; at.len];
            at.for_each(|i| {
                if let Some(LiteralKind::Datatype(iri)) = literals.tag(i)
                    && let Some(name) = iri.strip_prefix(XSD)
                {
                    is[i] = Number::read(literals.values().get(i), name).is_some();
                }
            });
            all(vector, Values::Bool(is))
        }
        Terms::Resources(_) | Terms::Entities => all_are(vector, at, false),
    }
}

/// Whether they have a language, or a language and a base direction.
pub(super) fn has_tag<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
    parts: usize,
) -> Option<Vector<'s>> {
    let vector = only(args)?;
    match Terms::of(context, vector, at)? {
        Terms::Tagged(literals) => Some(by_tag(vector, literals, |kind| match kind {
            LiteralKind::Language(tag) => 1 + usize::from(split_tag(tag).1.is_some()) >= parts,
            LiteralKind::Datatype(_) => false,
        })),
        Terms::Plain(_) | Terms::Resources(_) | Terms::Entities => all_are(vector, at, false),
    }
}

/// The canonical texts of literals.
fn canonical<'s>(vector: &Vector<'s>, at: Positions<'_>) -> Texts<'s> {
    if let Values::DateTime(nanos) = &vector.values {
        return canonical_moments(nanos, &vector.nulls, at);
    }
    let (mut texts, mut text) = (Texts::blank(at.len), String::new());
    at.for_each(|i| {
        if !vector.nulls.get(i) {
            text.clear();
            // A string takes all that is written.
            _ = write_canonical(&mut text, &vector.value(i, &|_| Value::Null));
            texts.set(i, &text);
        }
    });
    texts
}

/// The texts of those that are IRIs.
fn iris_as_texts<'s>(texts: Texts<'s>, vector: &Vector<'_>, at: Positions<'_>) -> Vector<'s> {
    let mut nulls = vector.nulls.clone();
    at.for_each(|i| {
        if !vector.nulls.get(i) && !is_iri(texts.get(i)) {
            nulls.set(i, at.len);
        }
    });
    Vector { values: Values::String(texts), nulls }
}

pub(super) fn text<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let vector = only(args)?;
    let texts = match (Terms::of(context, vector, at)?, &vector.values) {
        (Terms::Plain(_), Values::String(texts)) => texts.clone(),
        (Terms::Plain(_), _) => canonical(vector, at),
        (Terms::Tagged(literals), _) => literals.values().clone(),
        (Terms::Resources(texts), _) => return Some(iris_as_texts(texts.clone(), vector, at)),
        (Terms::Entities, _) => return Some(iris_as_texts(names(context, vector, at)?, vector, at)),
    };
    all(vector, Values::String(texts))
}

/// Terms in their one form.
pub(super) fn term<'s>(_: &Context<'_>, args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let vector = only(args)?;
    let iri = match &vector.values {
        Values::Bool(_)
        | Values::Int(_)
        | Values::String(_)
        | Values::Date(_)
        | Values::LocalTime(_)
        | Values::LocalDateTime(_)
        | Values::Iri(_)
        | Values::Node(_)
        | Values::Edge(_) => return Some(vector.clone()),
        Values::Literal(literals) => {
            let language = literals.table(false, |kind| matches!(kind, LiteralKind::Language(_)));
            // Of a dictionary each entry is looked at once for each tag.
            let coded = literals.values().codes();
            let places = coded.map_or(0, |(_, entries)| entries.len() * literals.tags().len());
            let mut seen = vec![false; if places <= at.len { places } else { 0 }];
            let mut is = true;
            at.for_each(|i| {
                let tag = usize::from(literals.codes()[i]);
                if !is || vector.nulls.get(i) || language[tag] {
                    return;
                }
                let place = coded.map(|(codes, entries)| tag * entries.len() + codes[i] as usize);
                match place.and_then(|place| seen.get_mut(place)) {
                    Some(true) => return,
                    Some(seen) => *seen = true,
                    None => {}
                }
                let kind = literals.tag(i);
                is = kind.is_some_and(|kind| is_in_term_form(literals.values().get(i), kind));
            });
            return is.then(|| vector.clone());
        }
        Values::Float(_) => xsd::DOUBLE,
        Values::Decimal(_) => xsd::DECIMAL,
        Values::DateTime(_) | Values::Zoned(_) => xsd::DATE_TIME,
        Values::Time(_) => xsd::TIME,
        Values::Duration(_) => xsd::DURATION,
        Values::Number(_) | Values::List(_) | Values::Map(_) | Values::Tuple(_) | Values::Any(_) => {
            return None;
        }
    };
    let kind = LiteralKind::Datatype(shared_datatype(iri));
    all(vector, Values::Literal(Literals::all(canonical(vector, at), kind)))
}

const NANOS_OF_DAY: i64 = 86_400_000_000_000;
/// Days from the first to the last of a vector for which the texts are made once each. Chosen.
const DAYS_MAX: i64 = 1 << 16;

/// The dates of moments: with the zone that these are shown in, UTC, where they have one.
pub(super) fn dates<'s>(args: &[Argument<'_, 's>], at: Positions<'_>) -> Option<Vector<'s>> {
    let vector = only(args)?;
    let day = |nanos: i64| nanos.div_euclid(NANOS_OF_DAY);
    let nanos = match &vector.values {
        Values::Date(_) => return Some(vector.clone()),
        // 64 bits of nanoseconds are few days.
        Values::LocalDateTime(nanos) => return all(vector, Values::Date(map(nanos, at, |n| day(n) as i32))),
        Values::DateTime(nanos) => nanos,
        _ => return None,
    };
    let (mut first, mut last) = (i64::MAX, i64::MIN);
    at.for_each(|i| {
        if !vector.nulls.get(i) {
            (first, last) = (first.min(day(nanos[i])), last.max(day(nanos[i])));
        }
    });
    let days = last.saturating_sub(first).saturating_add(1);
    if days > DAYS_MAX {
        return None;
    }
    let mut code_of = vec![u32::MAX; usize::try_from(days).unwrap_or(0)];
    let (mut texts, mut codes) = (Texts::with_capacity(0), vec![0; at.len]);
    let mut text = String::new();
    at.for_each(|i| {
        if vector.nulls.get(i) {
            return;
        }
        let day = day(nanos[i]);
        let code = &mut code_of[(day - first) as usize];
        if *code == u32::MAX {
            *code = texts.len() as u32;
            text.clear();
            // A string takes all that is written.
            _ = write_canonical(&mut text, &Value::Date(Date { days: day }));
            text.push('Z');
            texts.push(&text);
        }
        codes[i] = *code;
    });
    let texts = Texts::coded(codes, &Arc::new(Dictionary::new(texts)));
    let kind = LiteralKind::Datatype(shared_datatype(xsd::DATE));
    all(vector, Values::Literal(Literals::all(texts, kind)))
}

/// Texts of a vector that are remembered with what they name: queries have few datatypes and classes, or as
/// many names as rows.
const NAMES_MAX: usize = 64;

/// The nodes and relationships that IRIs name; everything else as it is.
pub(super) fn entity<'s>(
    context: &Context<'_>,
    args: &[Argument<'_, 's>],
    at: Positions<'_>,
) -> Option<Vector<'s>> {
    let vector = only(args)?;
    let texts = match &vector.values {
        Values::Iri(texts) => texts,
        Values::Any(_) => return None,
        _ => return Some(vector.clone()),
    };
    let mut found: Vec<Option<Value>> = vec![None; at.len];
    let (mut known, mut failed, mut has) = (HashMap::<&str, Option<Value>>::new(), false, (false, false));
    at.for_each(|i| {
        if failed || vector.nulls.get(i) {
            return;
        }
        let text = texts.get(i);
        let one = match known.get(text) {
            Some(one) => one.clone(),
            None => match context.graph.entity_of(text) {
                Ok(one) => {
                    if known.len() < NAMES_MAX {
                        known.insert(text, one.clone());
                    }
                    one
                }
                Err(_) => {
                    failed = true;
                    return;
                }
            },
        };
        match &one {
            Some(_) => has.0 = true,
            None => has.1 = true,
        }
        found[i] = one;
    });
    match has {
        _ if failed => None,
        (false, _) => Some(vector.clone()),
        (true, _) => {
            // Those that are not meant may be anything.
            let name = |i: usize, one: Option<Value>| match one {
                None if has.1 && !vector.nulls.get(i) => Value::iri(texts.get(i)),
                one => one.unwrap_or_default(),
            };
            let values = found.into_iter().enumerate().map(|(i, one)| name(i, one)).collect();
            Some(Vector::of_values(values, at))
        }
    }
}
