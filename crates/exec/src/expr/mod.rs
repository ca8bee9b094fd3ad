//! Expressions, compiled against a layout.
//!
//! `compile` resolves variables to groups and slots, properties to columns, functions to kernels: what a plan
//! keeps. `bind` puts in the values of parameters and evaluates what is constant, for one execution. `scalar`
//! evaluates one tuple; `vector` evaluates all selected positions of one group, with typed kernels where both
//! sides have a type and the scalar evaluator for the rest. The two are tested against each other. `made`
//! bounds what either of them makes.

mod appended;
mod arithmetic;
mod arithmetic_floats;
mod arithmetic_wide;
mod asked_texts;
mod binary;
mod bind;
mod bodies;
mod bounds;
mod by_entry;
mod by_number;
mod chain;
mod choice;
mod compare;
mod compare_lists;
mod compare_wide;
mod compile;
mod contains_any;
mod differs;
mod elements;
mod evaluated;
mod filter;
mod general;
mod items;
mod joined_lists;
mod kept_results;
mod key_set;
mod labels;
mod logic;
mod made;
mod maps;
mod members;
mod moments;
mod named_properties;
mod numbers;
mod operands;
mod outer_list;
mod own_properties;
mod path_nodes;
mod property;
mod property_filter;
mod quantified;
mod range;
mod ranges;
mod reduction;
mod reduction_body;
mod reduction_numbers;
mod reduction_parts;
mod reduction_steps;
mod repeated;
mod scalar;
#[cfg(test)]
pub(crate) mod tests;
mod user_call;
mod vector;

use std::sync::Arc;

use trimorph_algebra::{Op, QuantifierKind, UserFunction};
use trimorph_base::Span;
use trimorph_functions::{Function, TextParts};
use trimorph_store::access::PropertyAccess;
use trimorph_types::Value;

use crate::layout::Place;

pub(crate) use bind::Binder;
pub(crate) use bounds::bounds_of;
pub(crate) use by_entry::{EntryMemo, of_one_property};
pub(crate) use compile::compile;
pub(crate) use evaluated::Evaluated;
pub(crate) use filter::{check_boolean, filter, filter_again};
pub(crate) use general::{gives_lists, reads_group};
pub(crate) use items::Items;
pub(crate) use key_set::{KeySetBuilder, PassedKeys};
pub(crate) use labels::LabelTest;
pub(crate) use made::{bounded, check_extent};
pub(crate) use maps::as_lists;
pub(crate) use members::Members;
pub(crate) use operands::apply_pure;
pub(crate) use outer_list::OuterLists;
pub(crate) use property::nulls_of;
pub(crate) use property_filter::{PropertyFilter, TestState};
pub(crate) use range::integer_range;
pub(crate) use ranges::ranges;
pub(crate) use scalar::Row;
pub(crate) use vector::evaluate;

/// A compiled expression. Parameters are in plans only: they are bound before anything is evaluated.
#[derive(Clone, Debug)]
pub(crate) enum Ex {
    Const(Value),
    Param(Arc<str>),
    Slot(Place),
    Local(usize),
    Property {
        base: Box<Ex>,
        key: Arc<str>,
        columns: Arc<PropertyAccess>,
        span: Span,
    },
    Op(Op, Vec<Ex>, Span),
    /// `IN` constants. Bound only.
    In(Box<Ex>, Arc<Members>, Span),
    /// Whether a text has one of several parts, or has none of them if that is wanted; and what was written.
    /// Bound only.
    ContainsAny {
        text: Box<Ex>,
        parts: Arc<TextParts>,
        wanted: bool,
        asked: Box<Ex>,
    },
    Chain(Box<Ex>, Vec<(Op, Ex, Span)>),
    Call(&'static Function, Vec<Ex>, Span),
    /// A function of the program.
    User(Arc<dyn UserFunction>, Vec<Ex>, Span),
    HasLabel {
        base: Box<Ex>,
        nodes: LabelTest,
        edge_tables: Arc<[bool]>,
    },
    List(Vec<Ex>),
    Map(Vec<(Arc<str>, Ex)>),
    MapProjection {
        base: Box<Ex>,
        all: bool,
        entries: Vec<(Arc<str>, Ex)>,
    },
    Case {
        branches: Vec<(Ex, Ex)>,
        otherwise: Box<Ex>,
    },
    ListComprehension {
        local: usize,
        list: Box<Ex>,
        filter: Option<Box<Ex>>,
        map: Option<Box<Ex>>,
    },
    Quantifier {
        kind: QuantifierKind,
        local: usize,
        list: Box<Ex>,
        predicate: Box<Ex>,
    },
    Reduce {
        acc: usize,
        init: Box<Ex>,
        local: usize,
        list: Box<Ex>,
        body: Box<Ex>,
    },
    Path(Vec<Ex>),
}

impl Ex {
    /// Where it stands in the query, as far as it is known.
    fn span(&self) -> Span {
        match self {
            Self::Property { span, .. }
            | Self::Op(_, _, span)
            | Self::In(_, _, span)
            | Self::Call(_, _, span)
            | Self::User(_, _, span) => *span,
            _ => Span::default(),
        }
    }
}

/// How many rows LIMIT or SKIP mean.
#[derive(Clone, Debug)]
pub(crate) enum Count {
    /// An expression without variables: in plans.
    Of(Ex),
    /// Once bound.
    Rows(u64),
}

impl Count {
    /// So many rows; all where it was not bound.
    pub(crate) fn rows(&self) -> u64 {
        match self {
            Self::Of(_) => u64::MAX,
            Self::Rows(rows) => *rows,
        }
    }
}
