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
mod pattern;
mod plan;
mod print;
mod procedure;
mod walk;

pub use expr::{Aggregate, AggregateKind, Expr, Op, QuantifierKind};
pub use field_type::{Content, FieldType};
pub use pattern::{
    Direction, EdgePattern, EdgeRange, LabelExpr, NodePattern, PathPattern, PathStep, QueryGraph,
    ShortestKind,
};
pub use plan::{
    ApplyKind, BoundQuery, CountStep, Extend, KeyLookup, NodeScan, Plan, ScanPredicate, SortKey, VarExtend,
    VarExtendMode, VarId, VarInfo, Vars, Walk,
};
pub use print::{explain, print_expr};
pub use procedure::{Field, Procedure, ProcedureCall, ProcedureRows, Procedures, Signature};
