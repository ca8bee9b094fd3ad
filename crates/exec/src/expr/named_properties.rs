//! `entity[key]`: properties whose names rows bring, as `p[CASE WHEN … THEN 'firstName' ELSE 'lastName' END]`
//! or `UNWIND keys(p) AS key … p[key]`. Where a chunk has few names it is a CASE of the properties of these,
//! which are read column by column.

use std::sync::Arc;

use trimorph_algebra::Op;
use trimorph_base::Span;
use trimorph_catalog::CatalogView;
use trimorph_store::access::PropertyAccess;
use trimorph_types::Value;
use trimorph_vector::{Values, Vector};

use super::Ex;
use super::evaluated::{Evaluate, Evaluated, Outcome, Over};
use crate::Context;

/// Names of a chunk up to which each is compared with the keys of all rows.
const NAMES_MAX: usize = 16;

/// The properties of nodes or relationships in a slot, by the names that `key` gives; `None` where that is
/// not what they are, or there are many names.
pub(super) fn named_properties<'a, 's>(
    (base, key, span): (&Ex, &Ex, Span),
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
    evaluate: Evaluate<'a, 's>,
) -> Option<Outcome<'a, 's>> {
    let entities = over.slot(base)?;
    if !matches!(entities.values, Values::Node(_) | Values::Edge(_)) {
        return None;
    }
    let property = |name: &Arc<str>| Ex::Property {
        base: Box::new(base.clone()),
        key: Arc::clone(name),
        columns: Arc::new(PropertyAccess::new(&CatalogView::new(cx.reader.catalog()), name)),
        span,
    };
    let keys = match evaluate(key, over, cx) {
        Ok(Evaluated::Const(Value::String(name))) => {
            return Some(evaluate(&property(&Arc::from(&*name)), over, cx));
        }
        Ok(keys) => keys,
        Err(error) => return Some(Err(error)),
    };
    let Some(Vector { values: Values::String(texts), nulls }) = keys.vector() else { return None };
    let mut names: Vec<Arc<str>> = Vec::new();
    let mut are_few = true;
    over.at.for_each(|i| {
        if are_few && !nulls.get(i) {
            let name = texts.get(i);
            // Most rows have a name of those before.
            if names.last().is_none_or(|last| **last != *name) {
                match names.iter().position(|known| **known == *name) {
                    Some(place) => {
                        let last = names.len() - 1;
                        names.swap(place, last);
                    }
                    None => names.push(name.into()),
                }
            }
            are_few = names.len() <= NAMES_MAX;
        }
    });
    if !are_few {
        return None;
    }
    let branch = |name: &Arc<str>| {
        let is_it = Ex::Op(Op::Eq, vec![key.clone(), Ex::Const(Value::String(name.as_ref().into()))], span);
        (is_it, property(name))
    };
    let branches = names.iter().map(branch).collect();
    let all = Ex::Case { branches, otherwise: Box::new(Ex::Const(Value::Null)) };
    Some(evaluate(&all, over, cx))
}
