//! Bodies of comprehensions, quantifiers and reductions over a group of elements: their form, and what is
//! repeated for the elements.
//!
//! 1. A body reads its own local variables, those of bodies within it, and slots of the chunk.
//! 2. Over elements, the body's variables are slots 0 and on of the one group there is. What it reads of the
//!    group that lists come from follows, repeated for the elements; what it reads of flat groups is
//!    constant.
//! 3. What does not depend on the element is evaluated once for each list, and that is what is repeated.
//!    Should it fail where there are no elements, the evaluation row by row tells.

use trimorph_vector::{Values, Vector};

use super::bodies::{reads_locals, rewrite};
use super::evaluated::{Evaluated, Over, OverElements};
use super::general::is_small;
use super::{Ex, Row};
use crate::layout::Place;
use crate::{Context, ExecError};

/// What is repeated for the elements.
pub(super) enum Outer<'s> {
    /// A slot of the group of their lists.
    Slot(usize),
    /// What an expression gives that does not read the element.
    Made(Vector<'s>),
}

impl<'s> Outer<'s> {
    /// One for each list; `None` where it is nothing to be repeated.
    pub(super) fn vector<'a>(&'a self, vectors: &'a [Vector<'s>]) -> Option<&'a Vector<'s>> {
        let vector = match self {
            Self::Slot(slot) => vectors.get(*slot)?,
            Self::Made(vector) => vector,
        };
        // An edge that is known by its slot only is nothing to be gathered.
        (!matches!(vector.values, Values::Edge(_))).then_some(vector)
    }
}

/// Bodies over elements.
pub(super) struct Bodies<'s> {
    /// What is repeated for the elements, in the order in which it follows the variables.
    pub(super) outer: Vec<Outer<'s>>,
    /// Evaluates what does not depend on the element, where there are about as many elements as lists.
    evaluate: Option<OverElements<'s>>,
}

impl<'s> Bodies<'s> {
    /// Bodies that are evaluated by `evaluate`, where that pays also for what does not depend on the element.
    pub(super) fn new(evaluate: OverElements<'s>, pays: bool) -> Self {
        Self { outer: Vec::new(), evaluate: pays.then_some(evaluate) }
    }

    /// A body, whose variables are `count` locals from `first` on, over a group of their values.
    ///
    /// **Errors**: what a slot of a flat group has cannot be read, or what does not depend on the element
    /// fails.
    pub(super) fn over(
        &mut self,
        body: &Ex,
        (first, count): (usize, usize),
        over: Over<'_, '_, 's>,
        cx: &Context<'s>,
    ) -> Result<Ex, ExecError> {
        let mut failed = None;
        let made = rewrite(body, &mut |ex| match ex {
            Ex::Local(i) if (first..first + count).contains(i) => {
                Some(Ex::Slot(Place { group: 0, slot: i - first }))
            }
            Ex::Slot(place) if place.group == over.group => {
                let is = |outer: &Outer<'_>| matches!(outer, Outer::Slot(slot) if *slot == place.slot);
                Some(self.repeated(count, is, || Outer::Slot(place.slot)))
            }
            Ex::Slot(_) => match Row::new(over.chunk, usize::MAX, 0).eval(ex, cx) {
                Ok(value) => Some(Ex::Const(value)),
                Err(d) => {
                    failed = Some(d.into());
                    None
                }
            },
            Ex::Const(_) | Ex::Local(_) | Ex::Param(_) => None,
            _ => {
                let evaluate = self.evaluate.filter(|_| is_small(ex) && !reads_locals(ex))?;
                match evaluate(ex, over, cx) {
                    Ok(Evaluated::Const(value)) => Some(Ex::Const(value)),
                    Ok(other) => {
                        let vector = other.into_vector(over.at.len);
                        Some(self.repeated(count, |_| false, || Outer::Made(vector)))
                    }
                    Err(error) => {
                        failed = Some(error);
                        None
                    }
                }
            }
        });
        failed.map_or(Ok(made), Err)
    }

    /// The slot of something that is repeated behind `count` variables.
    fn repeated(
        &mut self,
        count: usize,
        is: impl Fn(&Outer<'s>) -> bool,
        make: impl FnOnce() -> Outer<'s>,
    ) -> Ex {
        let index = self.outer.iter().position(is).unwrap_or_else(|| {
            self.outer.push(make());
            self.outer.len() - 1
        });
        Ex::Slot(Place { group: 0, slot: count + index })
    }
}
