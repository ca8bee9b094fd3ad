//! The one logical algebra that every language binds to and every plan is made of.
//!
//! A plan is a tree of [`Plan`] operators over variables ([`VarId`]). Binders produce [`Plan::Match`] with a
//! [`QueryGraph`]; the optimizer replaces each by scans, extends and joins. Names of labels, edge labels and
//! properties stay names: they are resolved against the catalog of the snapshot a plan is lowered for.
//!
//! Source: design §7; Poseidon §8; GF-CL §7.
#![forbid(unsafe_code)]

mod expr;
mod field_type;
mod labels;
mod pattern;
mod plan;
mod print;
mod procedure;
mod rows_max;
mod statements;
mod steps;
mod update;
mod user_function;
mod vars;
mod walk;

pub use expr::{Aggregate, AggregateKind, Expr, ListOrder, Op, QuantifierKind};
pub use field_type::{Content, FieldType};
pub use labels::LabelExpr;
pub use pattern::{EdgePattern, EdgeRange, NodePattern, PathPattern, PathStep, QueryGraph};
pub use plan::{
    Answer, ApplyKind, Band, BandKind, BoundQuery, EdgeLookup, GroupLimit, KeyLookup, LookupBy, NodeScan,
    Plan, ScanPredicate, SortKey, Together, Wanted,
};
pub use print::{explain, operators, print_expr};
pub use procedure::{Field, Procedure, ProcedureCall, ProcedureRows, Procedures, Signature};
pub use rows_max::FEW_ROWS;
pub use statements::{GraphChoice, PathExpr, PredicateTerm, PropertyPath, TriplePattern};
pub use steps::{CountStep, Direction, Extend, ShortestKind, VarExtend, VarExtendMode, Walk};
pub use trimorph_catalog::PredicateSet;
pub use update::{Change, Merge, NewProperties, PropertyKey, StatementVars, Update};
pub use user_function::{FUNCTION_FAILED, UserFunction};
pub use vars::{VarId, VarInfo, Vars};
