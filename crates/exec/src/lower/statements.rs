//! Lowering of triple patterns and property paths: what the input has is given, the rest is found.

use std::sync::Arc;

use trimorph_algebra::{GraphChoice, Plan, PredicateSet, PredicateTerm, PropertyPath, TriplePattern, VarId};

use super::lowering::{Lowered, Lowering, Vars};
use crate::ExecError;
use crate::layout::Layout;
use crate::ops::{Between, GraphPlace, StatementPlace, StatementsSpec};
use crate::physical::Spec;

/// A pattern or a path: its ends, what is between them, and the graph.
struct Wanted<'a> {
    subject: VarId,
    between: Middle<'a>,
    object: VarId,
    graph: &'a GraphChoice,
    vars: Vec<VarId>,
    /// What gets the number of statements.
    count: Option<VarId>,
}

enum Middle<'a> {
    Predicate(&'a PredicateTerm, Option<&'a PredicateSet>),
    Path(&'a PropertyPath),
}

impl Lowering<'_> {
    pub(super) fn lower_triple(
        &mut self,
        input: &Plan,
        pattern: &TriplePattern,
        needed: &Vars,
    ) -> Result<Lowered, ExecError> {
        let wanted = Wanted {
            subject: pattern.subject,
            between: Middle::Predicate(&pattern.predicate, pattern.among.as_ref()),
            object: pattern.object,
            graph: &pattern.graph,
            vars: pattern.vars().collect(),
            count: pattern.count,
        };
        self.lower_statements(input, &wanted, needed)
    }

    pub(super) fn lower_path(
        &mut self,
        input: &Plan,
        path: &PropertyPath,
        needed: &Vars,
    ) -> Result<Lowered, ExecError> {
        let (subject, object) = (path.from, path.to);
        let (between, graph) = (Middle::Path(path), &path.graph);
        let vars = path.vars().collect();
        self.lower_statements(input, &Wanted { subject, between, object, graph, vars, count: None }, needed)
    }

    fn lower_statements(
        &mut self,
        input: &Plan,
        wanted: &Wanted<'_>,
        needed: &Vars,
    ) -> Result<Lowered, ExecError> {
        let has: Vars = input.vars().into_iter().collect();
        let given: Vars = wanted.vars.iter().copied().filter(|var| has.contains(var)).collect();
        // Each once, in the order of the pattern.
        let mut new: Vec<VarId> = Vec::new();
        for var in wanted.vars.iter().filter(|var| !given.contains(var) && needed.contains(var)) {
            if !new.contains(var) {
                new.push(*var);
            }
        }
        let mut below: Vars = needed.iter().copied().filter(|var| !new.contains(var)).collect();
        below.extend(&given);
        let lowered = self.child(0, input, &below)?;
        let lowered = self.pack(lowered, &below, false)?;
        let (keep, layout) = self.keep(&lowered.layout, needed, &new)?;
        let place = |var: VarId, layout: &Layout| -> Result<StatementPlace, ExecError> {
            Ok(match given.contains(&var) {
                true => StatementPlace::Given(self.slot(layout, var)?),
                false => StatementPlace::Found(new.iter().position(|own| *own == var)),
            })
        };
        let inner = &lowered.layout;
        let spec = StatementsSpec {
            slots: inner.groups[0].slots,
            keep,
            subject: place(wanted.subject, inner)?,
            between: match wanted.between {
                Middle::Path(path) => Between::Path(path.path.clone(), path.within),
                Middle::Predicate(PredicateTerm::Iri(iri), _) => Between::Iri(Arc::clone(iri)),
                Middle::Predicate(PredicateTerm::Var(var), among) => {
                    Between::Predicate(place(*var, inner)?, among.cloned())
                }
            },
            object: place(wanted.object, inner)?,
            graph: match wanted.graph {
                GraphChoice::Default => GraphPlace::Default,
                GraphChoice::Union(all) => GraphPlace::Union(Arc::clone(all)),
                GraphChoice::Named(var, among) => GraphPlace::Named(place(*var, inner)?, among.clone()),
            },
            columns: new.len(),
            count: wanted.count.and_then(|count| new.iter().position(|own| *own == count)),
        };
        Ok(Lowered { node: self.node(Spec::Statements(Arc::new(spec)), [lowered.node]), layout })
    }
}
