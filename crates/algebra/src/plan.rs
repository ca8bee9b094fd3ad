//! Operators: what binders produce and what the optimizer makes of it.

use std::sync::Arc;

use trimorph_base::{Notice, TableId};

use crate::{
    Aggregate, CountStep, Expr, Extend, LabelExpr, Merge, ProcedureCall, PropertyPath, QueryGraph,
    TriplePattern, Update, VarExtend, VarId, Vars,
};

/// What becomes of each input row and the rows its subplan gives for it.
///
/// A subplan that changes the graph is run row by row, so that each row sees what earlier ones changed, but
/// for [`ApplyKind::Effects`] that says otherwise.
#[derive(Clone, Debug)]
pub enum ApplyKind {
    /// Input row × subplan rows; an input row without any is lost.
    Inner,
    /// As `Inner`, but an input row without any appears once, with the subplan's variables null.
    Optional,
    /// Input rows that have at least one.
    Semi,
    /// Input rows that have none.
    Anti,
    /// Every input row, with a variable that says whether there is one.
    Mark(VarId),
    /// Every input row, with the number of subplan rows.
    Count(VarId),
    /// Every input row, with the list of this expression's values over the subplan rows.
    Collect(VarId, Expr),
    /// One answer for each row, of the kinds above that give one. A row of the subplan belongs to the rows
    /// whose `node` is its `found`, or equals it where these are no nodes: rows that differ in that only
    /// share a run of the subplan, which does not look at it. Optimizer only.
    Paired {
        /// What each row gets.
        answer: Box<ApplyKind>,
        /// A node of the input, or a value.
        node: VarId,
        /// A node of the subplan, or a value that it computes last.
        found: VarId,
    },
    /// Every input row as it is: the subplan is run for what it changes. With `together`, for all rows at
    /// once, clause by clause, else row by row.
    Effects {
        /// Whether rows need not see what earlier rows changed.
        together: bool,
    },
}

impl ApplyKind {
    /// What each row gets, however it is found.
    pub fn answer(&self) -> &Self {
        match self {
            Self::Paired { answer, .. } => answer,
            own => own,
        }
    }
}

/// One sort key.
#[derive(Clone, Debug)]
pub struct SortKey {
    /// The value sorted by.
    pub expr: Expr,
    /// Whether larger comes first.
    pub descending: bool,
}

/// A comparison of a property with a value known when the scan starts: what zone maps can prune by.
#[derive(Clone, Debug)]
pub struct ScanPredicate {
    /// The property's name.
    pub property: Arc<str>,
    /// `Eq`, `Lt`, `Le`, `Gt` or `Ge`.
    pub op: crate::Op,
    /// A constant or a parameter.
    pub value: Expr,
}

/// Scan of all nodes whose labels match.
#[derive(Clone, Debug)]
pub struct NodeScan {
    /// The node.
    pub var: VarId,
    /// Its labels.
    pub labels: LabelExpr,
    /// The node tables whose label sets match.
    pub tables: Vec<TableId>,
    /// Conditions that let zones be skipped. They are checked again above.
    pub prune: Vec<ScanPredicate>,
}

/// Look-up of nodes by their key, or an indexed property.
#[derive(Clone, Debug)]
pub struct KeyLookup {
    /// The node.
    pub var: VarId,
    /// The node tables to probe.
    pub tables: Vec<TableId>,
    /// The property.
    pub property: Arc<str>,
    /// The key, over the input's variables.
    pub key: Expr,
    /// What nodes have to do with it.
    pub by: LookupBy,
    /// Where it is looked for together with other properties, these.
    pub together: Option<Together>,
}

/// An index of several properties, and what the first of them must be equal to; the next one is the property
/// of the look-up.
#[derive(Clone, Debug)]
pub struct Together {
    /// All properties of the index, in its order.
    pub properties: Vec<Arc<str>>,
    /// What the first are equal to, over the input's variables; at least one, and fewer than properties.
    pub equal: Vec<Expr>,
}

impl KeyLookup {
    /// The expressions over the input's variables.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let equal = self.together.iter().flat_map(|together| &together.equal);
        equal.chain([&self.key])
    }
}

/// Look-up of edges by an indexed property, each with its ends.
#[derive(Clone, Debug)]
pub struct EdgeLookup {
    /// The edge, which is looked at, and its ends: none of them is there before.
    pub step: Extend,
    /// Tables that the node it starts from must be in; none for all.
    pub from_tables: Option<Vec<TableId>>,
    /// The property.
    pub property: Arc<str>,
    /// The key, over the input's variables.
    pub key: Expr,
    /// What edges have to do with it.
    pub by: LookupBy,
}

/// What nodes or edges that are looked up have to do with a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LookupBy {
    /// Their property is equal to it.
    Equal,
    /// It is a list of keys: nodes with any of them, each once.
    AnyOf,
    /// It is a list of two: their property is between them; null is no bound.
    Between {
        /// Whether it may be the first.
        low: bool,
        /// Whether it may be the second.
        high: bool,
    },
    /// Their property is a text that begins with it.
    Prefix,
    /// It is a number: their property is among so many that come first in order. More may be found.
    First {
        /// Whether large ones come first, and before all what has none.
        descending: bool,
        /// Whether all that are equal to the last one are found.
        ties: bool,
        /// Whether those count that have no value.
        nulls: bool,
    },
}

/// What is looked at of the rows of a sort where each group gives only its first ones to what is above, as
/// `collect(x)[0..3]` does: rows behind so many others of their group may be left out before they are sorted.
/// Spark has the same as `WindowGroupLimit`.
#[derive(Clone, Debug)]
pub struct GroupLimit {
    /// What the groups are made by.
    pub keys: Vec<Expr>,
    /// How many rows of a group are looked at from its beginning.
    pub first: u32,
    /// How many from its end; at one of the ends at least one.
    pub last: u32,
    /// Rows count only where none of these is null.
    pub present: Vec<Expr>,
    /// Whether no other rows come. Then the keys of the groups are the first keys of the sort, so that each
    /// group comes together, and the first rows are those by its further keys; none are looked at from the
    /// end.
    pub exact: bool,
    /// The place among the keys of the sort of the first by which rows of a group differ.
    pub first_key: usize,
}

impl GroupLimit {
    /// Its expressions.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        self.keys.iter().chain(&self.present)
    }
}

/// An operator tree.
#[derive(Clone, Debug)]
pub enum Plan {
    /// One row without variables.
    Unit,
    /// No row of these variables.
    Empty(Vec<VarId>),
    /// The rows of the enclosing [`Plan::Apply`], with these variables.
    Argument(Vec<VarId>),
    /// Input rows × matches of the graph. Only before the optimizer.
    Match {
        /// Rows whose variables the graph may use.
        input: Box<Plan>,
        /// What to match.
        graph: QueryGraph,
    },
    /// For each input row, the subplan's rows (the subplan starts at [`Plan::Argument`]).
    Apply {
        /// The outer rows.
        input: Box<Plan>,
        /// The inner plan.
        subplan: Box<Plan>,
        /// What becomes of them.
        kind: ApplyKind,
    },
    /// Rows for which the predicate is true.
    Filter {
        /// Input.
        input: Box<Plan>,
        /// The predicate.
        predicate: Expr,
    },
    /// New variables, added to the old ones.
    Extra {
        /// Input.
        input: Box<Plan>,
        /// Variables and their values.
        items: Vec<(VarId, Expr)>,
    },
    /// Exactly these variables, in this order.
    Project {
        /// Input.
        input: Box<Plan>,
        /// Variables and their values; `(v, Var(v))` keeps one.
        items: Vec<(VarId, Expr)>,
    },
    /// Groups by keys. Without keys there is exactly one group.
    Aggregate {
        /// Input.
        input: Box<Plan>,
        /// Grouping keys.
        keys: Vec<(VarId, Expr)>,
        /// Aggregates.
        aggregates: Vec<(VarId, Aggregate)>,
    },
    /// One of each set of equivalent rows over these variables.
    Distinct {
        /// Input.
        input: Box<Plan>,
        /// The variables.
        vars: Vec<VarId>,
    },
    /// Sorted rows; with `limit`, only the first `skip + limit` need be kept.
    Sort {
        /// Input.
        input: Box<Plan>,
        /// Keys, most significant first.
        keys: Vec<SortKey>,
        /// Rows wanted, if only the first are.
        limit: Option<Expr>,
        /// Rows of a group that are looked at, if only its first are: others may come as well, but where it
        /// is exact.
        of_group: Option<GroupLimit>,
    },
    /// All but the first rows.
    Skip {
        /// Input.
        input: Box<Plan>,
        /// How many to leave out: an expression without variables.
        count: Expr,
    },
    /// Only the first rows.
    Limit {
        /// Input.
        input: Box<Plan>,
        /// How many to keep: an expression without variables.
        count: Expr,
    },
    /// Of rows whose walks come in order of length ([`ShortestKind::Ordered`]) the first, or all that are as
    /// long. The input is one search, with what is asked of each path above it.
    Shortest {
        /// Input.
        input: Box<Plan>,
        /// The list of the walk's edges.
        edges: VarId,
        /// Whether all that are as long are taken.
        all: bool,
    },
    /// One row for each element of a list.
    Unwind {
        /// Input.
        input: Box<Plan>,
        /// The list; null gives no row, any other value one.
        list: Expr,
        /// The element.
        var: VarId,
    },
    /// For each input row, the rows that a procedure gives for it.
    ProcedureCall {
        /// Input.
        input: Box<Plan>,
        /// The call.
        call: ProcedureCall,
    },
    /// For each input row, the statements that agree with a triple pattern.
    Statements {
        /// Input.
        input: Box<Plan>,
        /// What to look for.
        pattern: TriplePattern,
    },
    /// For each input row, the pairs of terms that a property path connects.
    PropertyPath {
        /// Input.
        input: Box<Plan>,
        /// What to look for.
        path: PropertyPath,
    },
    /// Every input row, with what the update makes; all rows are there before it changes anything, and it is
    /// run whether or not somebody asks for its rows.
    Update {
        /// Input.
        input: Box<Plan>,
        /// What to do.
        update: Update,
    },
    /// For each input row the subplan's rows (the subplan starts at [`Plan::Argument`]), or one with what is
    /// made where it has none. As [`Plan::Update`] it is run in any case.
    Merge {
        /// The outer rows.
        input: Box<Plan>,
        /// Finds the pattern.
        subplan: Box<Plan>,
        /// What to do then.
        merge: Merge,
    },
    /// The rows of all inputs, one after the other. Every input gives the variables `vars`.
    Union {
        /// Inputs.
        inputs: Vec<Plan>,
        /// Their common variables.
        vars: Vec<VarId>,
    },
    /// Scan. Optimizer only.
    NodeScan(NodeScan),
    /// Key look-up for each input row. Optimizer only.
    KeyLookup {
        /// Input.
        input: Box<Plan>,
        /// What to look up.
        lookup: KeyLookup,
    },
    /// Look-up of edges for each input row, in each direction that is asked for. Optimizer only.
    EdgeLookup {
        /// Input.
        input: Box<Plan>,
        /// What to look up.
        lookup: EdgeLookup,
    },
    /// Nodes by internal id (`id(n) = …`). Optimizer only.
    IdLookup {
        /// Input.
        input: Box<Plan>,
        /// The node.
        var: VarId,
        /// The id.
        id: Expr,
        /// Tables it must be in.
        tables: Vec<TableId>,
    },
    /// One step to an unbound node. Optimizer only.
    Extend {
        /// Input.
        input: Box<Plan>,
        /// The step.
        step: Extend,
    },
    /// One step between two bound nodes. Optimizer only.
    ExtendInto {
        /// Input.
        input: Box<Plan>,
        /// The step.
        step: Extend,
    },
    /// Multiplies each row by the number of such steps, without making them (GF-CL §6.2: counting on the
    /// factorised form). Optimizer only.
    ExtendCount {
        /// Input.
        input: Box<Plan>,
        /// The step and what hangs at the node it reaches.
        step: CountStep,
    },
    /// Many steps. Optimizer only.
    VarExtend {
        /// Input.
        input: Box<Plan>,
        /// The steps.
        step: VarExtend,
    },
    /// Nodes reached from several bound nodes at once, by intersecting their sorted lists. Optimizer only.
    Intersect {
        /// Input.
        input: Box<Plan>,
        /// Steps with the same `to`.
        steps: Vec<Extend>,
    },
    /// Rows whose node `var` is one of those that another plan gives, or none of them. Optimizer only.
    SemiJoin {
        /// Input.
        input: Box<Plan>,
        /// Gives the nodes, as the same variable; how often does not matter.
        filter: Box<Plan>,
        /// The node.
        var: VarId,
        /// Whether rows are kept whose node is none of them, or null.
        anti: bool,
    },
    /// Equi-join on variables bound on both sides. Optimizer only.
    HashJoin {
        /// Probe side.
        left: Box<Plan>,
        /// Build side.
        right: Box<Plan>,
        /// Join variables; none for the product.
        on: Vec<VarId>,
    },
    /// Rows of both sides where a value of the right one is within bounds of the left one. Optimizer only.
    RangeJoin {
        /// Probe side.
        left: Box<Plan>,
        /// Build side.
        right: Box<Plan>,
        /// Variables of both sides that must be equal, too; none where all rows are asked.
        on: Vec<VarId>,
        /// What must be within which bounds.
        band: Band,
    },
    /// Keeps the rows of a plan, which are made once and read in several places of the query. Optimizer only,
    /// at the top.
    Spool {
        /// The query: [`Plan::SpoolRead`] stands for the rows.
        input: Box<Plan>,
        /// Makes the rows, when the first of them is asked for.
        rows: Box<Plan>,
        /// The variables of these that are read.
        vars: Vec<VarId>,
        /// Tells the spools of a query apart.
        number: u32,
    },
    /// The rows that a [`Plan::Spool`] further up keeps. Optimizer only.
    SpoolRead {
        /// Variables, and those of the spool's plan whose values they have.
        columns: Vec<(VarId, VarId)>,
        /// The number of the spool.
        number: u32,
        /// How many rows it has at most, where that is known.
        rows_max: Option<u64>,
    },
}

/// A value between bounds, at least one of them; or a text and its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Band {
    /// The value.
    pub key: VarId,
    /// What it must not be below, and whether it may be equal.
    pub low: Option<(VarId, bool)>,
    /// What it must not be above, and whether it may be equal.
    pub high: Option<(VarId, bool)>,
    /// What is asked of the value and its bounds.
    pub kind: BandKind,
    /// How many of the rows within the bounds are wanted, of each row that asks.
    pub wanted: Wanted,
}

/// How many of the rows within the bounds of a [`Band`] are wanted. More may be given: those that are equal
/// to the last one, and any number where there is no room for all rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Wanted {
    /// Each of them.
    #[default]
    All,
    /// So many with the least values.
    First(u32),
    /// So many with the greatest values.
    Last(u32),
}

/// What is asked of the value of a [`Band`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BandKind {
    /// It lies between the bounds.
    #[default]
    Between,
    /// It is a text that begins with the text `low`.
    BeginsWith,
    /// It is a text that the text `low` begins with.
    BeginningOf,
}

impl Band {
    /// The variables of the bounds.
    pub fn bounds(&self) -> impl Iterator<Item = VarId> {
        self.low.into_iter().chain(self.high).map(|(var, _)| var)
    }
}

/// What the rows of a result are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Answer {
    /// What was asked for, by columns.
    #[default]
    Rows,
    /// One row with one boolean: SPARQL's `ASK`.
    Boolean,
    /// Statements of RDF, by subject, predicate and object: `CONSTRUCT` and `DESCRIBE`.
    Statements,
}

/// A bound query: its plan, its result columns and its variables.
#[derive(Clone, Debug)]
pub struct BoundQuery {
    /// The plan. Its top gives the variables of `columns`.
    pub plan: Plan,
    /// Column names and the variables that hold them. Empty for a query that returns nothing.
    pub columns: Vec<(String, VarId)>,
    /// All variables.
    pub vars: Vars,
    /// Names of the parameters used.
    pub parameters: Vec<Arc<str>>,
    /// What the user should know of the text, in its order. They change nothing.
    pub notices: Vec<Notice>,
    /// Operators and expressions one within the other, at most: how many calls within calls it takes to run
    /// the plan. None before the optimizer has counted.
    pub depth: Option<usize>,
    /// What its rows are.
    pub answer: Answer,
}

impl BoundQuery {
    /// A query without parameters, of which there is nothing else to know.
    pub fn new(plan: Plan, columns: Vec<(String, VarId)>, vars: Vars) -> Self {
        let (parameters, notices) = (Vec::new(), Vec::new());
        Self { plan, columns, vars, parameters, notices, depth: None, answer: Answer::default() }
    }
}

impl Drop for BoundQuery {
    /// Takes the plan apart level by level: a plan of thousands of levels would overflow the stack if each
    /// dropped the next.
    fn drop(&mut self) {
        std::mem::replace(&mut self.plan, Plan::Unit).take_apart();
    }
}
