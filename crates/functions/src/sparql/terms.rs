//! Terms: their parts, what makes them, and which kind they are.

use std::hash::{DefaultHasher, Hash, Hasher};

use oxiri::Iri;
use trimorph_types::rdf::names::{rdf, xsd};
use trimorph_types::rdf::{Term, datatype, literal, normalise, tagged};
use trimorph_types::{Grouping, Value};

use super::found::{Found, Miss, found, of_terms, of_values};
use super::number::Number;
use super::term_vectors;
use super::texts::Text;
use crate::context::Context;
use crate::function::{Function, result};

pub(super) const FUNCTIONS: &[Function] = &[
    of_terms!("str", (1, 1), result::string, |_, a| text_of(&a[0]), "str(a): the text of an IRI or literal")
        .typed(term_vectors::text),
    of_terms!(
        "lang",
        (1, 1),
        result::string,
        |_, a| part(a, |language, _| language),
        "lang(a): the language"
    )
    .typed(|context, args, at| term_vectors::tag_part(context, args, at, |language, _| language)),
    of_terms!(
        "langdir",
        (1, 1),
        result::string,
        |_, a| part(a, |_, dir| dir),
        "langdir(a): the base direction"
    )
    .typed(|context, args, at| term_vectors::tag_part(context, args, at, |_, dir| dir)),
    of_terms!("datatype", (1, 1), result::any, datatype_of, "datatype(a): the datatype of a literal")
        .typed(term_vectors::datatype),
    of_terms!(
        "iri",
        (1, 2),
        result::any,
        iri,
        "iri(text[, base]): the IRI that a text is, relative to a base"
    ),
    of_terms!(
        "bnode",
        (0, 2),
        result::any,
        bnode,
        "bnode([label[, row]]): a new blank node, the same for the same label and row"
    )
    .not_deterministic(),
    of_terms!("strdt", (2, 2), result::any, strdt, "strdt(text, datatype): a literal of a datatype"),
    of_terms!("strlang", (2, 2), result::any, strlang, "strlang(text, tag): a text in a language"),
    of_terms!(
        "strlangdir",
        (3, 3),
        result::any,
        strlangdir,
        "strlangdir(text, tag, direction): a text in a language with a base direction"
    ),
    of_terms!(
        "uuid",
        (0, 0),
        result::any,
        |context, _| Ok(Value::iri(format!("urn:uuid:{}", random_uuid(context)))),
        "uuid(): a new IRI"
    )
    .not_deterministic(),
    of_terms!(
        "struuid",
        (0, 0),
        result::string,
        |context, _| Ok(Value::string(random_uuid(context))),
        "struuid(): a new UUID as text"
    )
    .not_deterministic(),
    of_terms!(
        "isiri",
        (1, 1),
        result::bool,
        |_, a| Ok(Value::Bool(matches!(Term::of(&a[0]), Term::Iri(_)))),
        "isiri(a): whether this is an IRI"
    )
    .typed(|context, args, at| term_vectors::is_resource(context, args, at, term_vectors::is_iri)),
    of_terms!(
        "isblank",
        (1, 1),
        result::bool,
        |_, a| Ok(Value::Bool(matches!(Term::of(&a[0]), Term::Blank(_)))),
        "isblank(a): whether this is a blank node"
    )
    .typed(|context, args, at| term_vectors::is_resource(context, args, at, |text| text.starts_with("_:"))),
    of_terms!(
        "isliteral",
        (1, 1),
        result::bool,
        |_, a| Ok(Value::Bool(datatype(&a[0]).is_some())),
        "isliteral(a): whether this is a literal"
    )
    .typed(term_vectors::is_literal),
    of_terms!(
        "isnumeric",
        (1, 1),
        result::bool,
        |_, a| Ok(Value::Bool(Number::of(&a[0]).is_some())),
        "isnumeric(a): whether this is a literal that means a number"
    )
    .typed(term_vectors::is_numeric),
    of_terms!("haslang", (1, 1), result::bool, |_, a| has(a, 1), "haslang(a): whether this has a language")
        .typed(|context, args, at| term_vectors::has_tag(context, args, at, 1)),
    of_terms!(
        "haslangdir",
        (1, 1),
        result::bool,
        |_, a| has(a, 2),
        "haslangdir(a): whether this has a base direction"
    )
    .typed(|context, args, at| term_vectors::has_tag(context, args, at, 2)),
    of_values!(
        "term",
        (1, 1),
        result::any,
        |_: &Context<'_>, a: &[Value]| Ok(normalise(a[0].clone())),
        "term(a): the term in its one form; nodes stay nodes"
    )
    .typed(term_vectors::term),
    of_values!("entity", (1, 1), result::any, entity, "entity(a): the node that has this name, or a itself")
        .of_graph()
        .typed(term_vectors::entity),
];

/// STR.
pub(super) fn text_of(value: &Value) -> Found {
    if let Value::String(_) = value {
        return Ok(value.clone());
    }
    match Term::of(value) {
        Term::Iri(iri) => Ok(Value::string(iri)),
        Term::Literal(literal) => Ok(match value {
            // The text is shared.
            Value::Literal(literal) => Value::String(literal.lexical.clone()),
            _ => Value::string(literal.lexical.into_owned()),
        }),
        _ => Err(Miss::Error),
    }
}

fn part(args: &[Value], of: for<'a> fn(Option<&'a str>, Option<&'a str>) -> Option<&'a str>) -> Found {
    match Term::of(&args[0]) {
        Term::Literal(literal) => {
            Ok(Value::string(of(literal.language, literal.direction).unwrap_or_default()))
        }
        _ => Err(Miss::Error),
    }
}

fn datatype_of(_: &Context<'_>, args: &[Value]) -> Found {
    found(datatype(&args[0])).map(|iri| Value::Iri(trimorph_types::rdf::shared_datatype(iri)))
}

/// Of a language, or of a language and a base direction; false for what is no literal.
fn has(args: &[Value], parts: usize) -> Found {
    let Term::Literal(literal) = Term::of(&args[0]) else { return Ok(Value::Bool(false)) };
    let count = usize::from(literal.language.is_some()) + usize::from(literal.direction.is_some());
    Ok(Value::Bool(count >= parts))
}

fn iri(_: &Context<'_>, args: &[Value]) -> Found {
    match &args[0] {
        Value::String(text) => found(match args.get(1) {
            Some(base) => {
                let (Value::String(base) | Value::Iri(base)) = base else { return Err(Miss::Error) };
                let base = found(Iri::parse(&**base).ok())?;
                base.resolve(text).ok().map(|iri| Value::iri(iri.into_inner()))
            }
            None => Iri::parse(&**text).ok().map(|_| Value::Iri(text.clone())),
        }),
        value if matches!(Term::of(value), Term::Iri(_)) => Ok(value.clone()),
        _ => Err(Miss::Error),
    }
}

/// Labels of one statement do not come up in another.
fn bnode(context: &Context<'_>, args: &[Value]) -> Found {
    let Some(label) = args.first() else {
        return Ok(Value::iri(format!("_:b{:016x}{:016x}", context.random_bits(), context.random_bits())));
    };
    let label = Text::plain(label)?;
    let hash = |salt: u8| {
        // Its keys are fixed.
        let mut hasher = DefaultHasher::new();
        (salt, label, context.statement.seconds, context.statement.nanos).hash(&mut hasher);
        args.get(1).map(|row| Grouping(row.clone())).hash(&mut hasher);
        hasher.finish()
    };
    Ok(Value::iri(format!("_:l{:016x}{:016x}", hash(0), hash(1))))
}

fn strdt(_: &Context<'_>, args: &[Value]) -> Found {
    let text = Text::plain(&args[0])?;
    let Term::Iri(datatype) = Term::of(&args[1]) else { return Err(Miss::Error) };
    if datatype == rdf::LANG_STRING || datatype == rdf::DIR_LANG_STRING {
        return Err(Miss::Error);
    }
    Ok(if datatype == xsd::STRING { args[0].clone() } else { literal(text, datatype) })
}

/// Letters and digits between hyphens, up to eight, the first only letters.
///
/// Source: BCP 47, as Turtle has it.
fn is_tag(tag: &str) -> bool {
    tag.split('-').enumerate().all(|(i, part)| {
        (1..=8).contains(&part.len())
            && part.bytes().all(|b| if i == 0 { b.is_ascii_alphabetic() } else { b.is_ascii_alphanumeric() })
    })
}

fn strlang(_: &Context<'_>, args: &[Value]) -> Found {
    let (text, tag) = (Text::plain(&args[0])?, Text::plain(&args[1])?);
    if is_tag(tag) { Ok(tagged(text, tag)) } else { Err(Miss::Error) }
}

fn strlangdir(_: &Context<'_>, args: &[Value]) -> Found {
    let (text, tag, direction) = (Text::plain(&args[0])?, Text::plain(&args[1])?, Text::plain(&args[2])?);
    if is_tag(tag) && matches!(direction, "ltr" | "rtl") {
        Ok(tagged(text, &format!("{tag}--{direction}")))
    } else {
        Err(Miss::Error)
    }
}

/// A version 4 UUID.
fn random_uuid(context: &Context<'_>) -> String {
    let (high, low) = (context.random_bits(), context.random_bits());
    let high = high & !0xF000 | 0x4000;
    let low = low & !(0b11 << 62) | 0b10 << 62;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xFFFF,
        high & 0xFFFF,
        low >> 48,
        low & 0xFFFF_FFFF_FFFF
    )
}

fn entity(context: &Context<'_>, args: &[Value]) -> Found {
    match &args[0] {
        Value::Iri(iri) => Ok(context.graph.entity_of(iri)?.unwrap_or_else(|| args[0].clone())),
        other => Ok(other.clone()),
    }
}
