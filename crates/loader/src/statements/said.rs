//! Relationships of another database: `trimorph:relationship/N`, the statements that they are, and what they
//! say, as an export writes them. They become what they were: edges with properties, each number one edge.
//!
//! What is no such thing (a statement that no data have beside, a second one of the same number, a number
//! that something else tells of, a named graph) is not built here: it is inserted, as nodes.
//!
//! Source: `docs/design/one-graph.md`, "What relationships say".

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use trimorph_rdf::LiteralRef;
use trimorph_store::bulk::{ColumnBatch, ColumnData};
use trimorph_types::iri_names::{EDGE_BASE, name_of};
use trimorph_types::{LogicalType, Value};

use super::literals::Literals;
use super::refused::Refused;

/// The number of a relationship, if a term is one.
pub(super) fn number_of(term: &str) -> Option<u64> {
    let text = term.strip_prefix(EDGE_BASE)?;
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// Relationships by the numbers of their predicates: ends, and places.
type ByPredicate = BTreeMap<u32, Vec<(u32, u32, u32)>>;

/// What is said with one predicate: the subjects are places of relationships.
struct Saying {
    name: String,
    literals: Literals,
    iris: Vec<(u32, Box<str>)>,
}

/// Relationships and what they say.
#[derive(Default)]
pub(super) struct Said {
    places: HashMap<u64, u32, RandomState>,
    /// The predicate of each one's statement, and its ends; none where it was not told yet.
    statements: Vec<Option<(u32, u32, u32)>>,
    names: HashMap<Box<str>, u32, RandomState>,
    sayings: Vec<Saying>,
}

impl Said {
    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    fn place(&mut self, number: u64) -> u32 {
        let next = self.statements.len() as u32;
        let place = *self.places.entry(number).or_insert(next);
        if place == next {
            self.statements.push(None);
        }
        place
    }

    /// Takes the statement that a relationship is: the number of its predicate, and of its ends.
    ///
    /// **Errors**: a second one.
    pub(super) fn reify(&mut self, number: u64, statement: (u32, u32, u32)) -> Result<(), Refused> {
        let place = self.place(number) as usize;
        match self.statements[place] {
            Some(known) if known != statement => Err(Refused::Unfit),
            _ => {
                self.statements[place] = Some(statement);
                Ok(())
            }
        }
    }

    fn saying(&mut self, predicate: &str) -> &mut Saying {
        let next = self.sayings.len() as u32;
        let at = *self.names.entry(predicate.into()).or_insert(next);
        if at == next {
            let name = name_of(predicate).into_owned();
            self.sayings.push(Saying { name, literals: Literals::default(), iris: Vec::new() });
        }
        &mut self.sayings[at as usize]
    }

    /// Takes a literal that a relationship says.
    ///
    /// **Errors**: more datatypes than one predicate has in its right mind.
    pub(super) fn say(
        &mut self,
        number: u64,
        predicate: &str,
        literal: &LiteralRef<'_>,
    ) -> Result<(), Refused> {
        let place = self.place(number);
        self.saying(predicate).literals.push(place, literal)
    }

    /// Takes an IRI that a relationship says.
    pub(super) fn say_iri(&mut self, number: u64, predicate: &str, iri: &str) {
        let place = self.place(number);
        self.saying(predicate).iris.push((place, iri.into()));
    }

    /// Bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let iris = |saying: &Saying| saying.iris.iter().map(|(_, iri)| iri.len() + 24).sum::<usize>();
        self.places.capacity() * 16
            + self.statements.capacity() * 16
            + self.sayings.iter().map(|saying| saying.literals.bytes() + iris(saying)).sum::<usize>()
    }

    /// Relationships by the numbers of their predicates: ends and places, sorted.
    ///
    /// **Errors**: one whose statement was not told, or that says nothing.
    pub(super) fn by_predicate(&self) -> Result<ByPredicate, Refused> {
        let mut says = vec![false; self.statements.len()];
        for saying in &self.sayings {
            saying.literals.subjects.each(|place| says[place as usize] = true);
            saying.iris.iter().for_each(|(place, _)| says[*place as usize] = true);
        }
        let mut all = ByPredicate::new();
        for ((place, statement), says) in (0..).zip(&self.statements).zip(says) {
            match statement {
                Some((predicate, from, to)) if says => {
                    all.entry(*predicate).or_default().push((*from, *to, place));
                }
                _ => return Err(Refused::Unfit),
            }
        }
        all.values_mut().for_each(|own| own.sort_unstable());
        Ok(all)
    }

    /// What each relationship says, in order.
    pub(super) fn in_order(self) -> Sayings {
        let order = |saying: Saying| {
            let literals = &saying.literals;
            let literals = (0..literals.len()).map(|at| (literals.subject(at), at as u32));
            let iris = (0..).zip(&saying.iris).map(|(at, (place, _))| (*place, at | IS_IRI));
            let mut order: Vec<(u32, u32)> = literals.chain(iris).collect();
            order.sort_by_key(|(place, _)| *place);
            (saying, order)
        };
        Sayings(self.sayings.into_iter().map(order).collect())
    }
}

/// The bit of a place in [`Saying::iris`].
const IS_IRI: u32 = 1 << 31;

/// What relationships say, by their places.
pub(super) struct Sayings(Vec<(Saying, Vec<(u32, u32)>)>);

impl Sayings {
    /// The properties of some relationships: names and types, and a column for each.
    pub(super) fn columns(&self, places: &[u32]) -> (Vec<(String, LogicalType)>, Vec<ColumnBatch>) {
        let (mut properties, mut columns) = (Vec::new(), Vec::new());
        for (saying, order) in &self.0 {
            let values: Vec<Value> = places.iter().map(|place| value_of(saying, order, *place)).collect();
            let mut types = values.iter().filter(|value| !value.is_null()).map(Value::logical_type);
            let Some(first) = types.next() else { continue };
            let ty = if types.all(|ty| ty == first) { first } else { LogicalType::Any };
            let nulls: Vec<bool> = values.iter().map(Value::is_null).collect();
            let nulls = nulls.contains(&true).then_some(nulls);
            properties.push((saying.name.clone(), ty));
            columns.push(ColumnBatch { data: ColumnData::Values(values), nulls });
        }
        (properties, columns)
    }
}

/// The value, or the list of values, that a relationship says with one predicate.
fn value_of(saying: &Saying, order: &[(u32, u32)], place: u32) -> Value {
    let from = order.partition_point(|(own, _)| *own < place);
    let own = order[from..].iter().take_while(|(own, _)| *own == place).map(|(_, at)| match at & IS_IRI {
        0 => saying.literals.value(*at as usize),
        _ => Value::iri(&*saying.iris[(at & !IS_IRI) as usize].1),
    });
    let mut values: Vec<Value> = Vec::new();
    for value in own {
        if !values.iter().any(|known| trimorph_types::equivalent(known, &value)) {
            values.push(value);
        }
    }
    match values.len() {
        0 => Value::Null,
        1 => values.remove(0),
        _ => Value::list(values),
    }
}
