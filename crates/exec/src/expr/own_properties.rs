//! `keys(n)`, `properties(n)` and `n {.*}` over a vector of nodes or edges: takes them, gives the lists or
//! maps, column by column.
//!
//! 1. Entities are taken apart by table; each table's columns are looked at in the order of their names.
//! 2. Entities that have the same properties are of one *shape*. All begin without any; each column parts
//!    every shape into those that have a value in it and those that have none. There are few shapes, so keys
//!    are lists of a few runs of names.
//! 3. Where all that are meant have one shape, their maps are a vector for each property. Otherwise each map
//!    is made of the vectors' values.
//!
//! A reader that notes what it reads, or knows of entities that it deleted, asks row by row.

use std::sync::Arc;

use trimorph_base::TableId;
use trimorph_store::PropertyColumn;
use trimorph_types::{Map, Value};
use trimorph_vector::{Dictionary, Edges, Lists, Maps, Nulls, Positions, Texts, Values, Vector};

use super::evaluated::{Evaluated, Over};
use super::general::each;
use crate::{Context, ExecError};

/// Entities of one table.
struct Part {
    edges: bool,
    table: usize,
    /// Positions, ascending, with the row of each.
    rows: Vec<(u32, u64)>,
}

/// A column of a table, and its name.
struct Named<'r, 's> {
    name: Arc<str>,
    column: PropertyColumn<'r, 's>,
}

impl Part {
    /// The columns of the table, by their names.
    fn columns<'r, 's>(&self, cx: &'r Context<'s>) -> Vec<Named<'r, 's>> {
        let (schema, reader) = (cx.reader.schema(), &cx.reader);
        let properties = match self.edges {
            true => schema.edge_tables.get(self.table).map(|info| &info.properties),
            false => schema.node_tables.get(self.table).map(|info| &info.properties),
        };
        let mut columns: Vec<Named<'r, 's>> = (properties.into_iter().flatten().enumerate())
            .filter_map(|(place, property)| {
                let column = match self.edges {
                    true => PropertyColumn::of_edges(self.table, place, reader),
                    false => {
                        PropertyColumn::of_nodes(TableId(u16::try_from(self.table).ok()?), place, reader)
                    }
                };
                Some(Named { name: schema.property_name(property.id), column })
            })
            .collect();
        columns.sort_by(|a, b| a.name.cmp(&b.name));
        columns
    }

    /// The first row, where positions and rows follow each other.
    fn run(&self) -> Option<u64> {
        let ((first, row), (last, last_row)) = (*self.rows.first()?, *self.rows.last()?);
        let (count, rows) = (self.rows.len() as u64 - 1, last_row.checked_sub(row)?);
        // Positions ascend; rows are looked at, as they may come in any order.
        (u64::from(last - first) == count && rows == count)
            .then(|| self.rows.windows(2).all(|pair| pair[1].1 == pair[0].1 + 1))?
            .then_some(row)
    }

    /// Calls `visit` with the place in `rows` of each that has no value.
    fn each_null(&self, column: &PropertyColumn<'_, '_>, mut visit: impl FnMut(usize)) {
        if let Some(first) = self.run()
            && let Some(nulls) = column.scan_nulls(first, self.rows.len())
        {
            if !nulls.is_none() {
                (0..self.rows.len()).filter(|k| nulls.get(*k)).for_each(visit);
            }
            return;
        }
        for (k, (_, row)) in self.rows.iter().enumerate() {
            if column.is_null(*row) {
                visit(k);
            }
        }
    }

    /// The values of a column, at their positions of `len`.
    fn values<'s>(&self, column: &PropertyColumn<'_, 's>, len: usize) -> Vector<'s> {
        match self.run() {
            Some(first) if self.rows.len() == len => column.scan(first, len),
            _ => column.gather(self.rows.iter().map(|(i, row)| (*i as usize, *row)), len),
        }
    }
}

/// The nodes or edges of a vector that are there, by table; `None` where it is another vector, or the reader
/// must be asked row by row.
fn parts(vector: &Vector<'_>, at: Positions<'_>, cx: &Context<'_>) -> Option<Vec<Part>> {
    if cx.reader.notes_reads() || cx.reader.is_after_deletion() {
        return None;
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut put = |i: usize, edges: bool, table: usize, row: u64| {
        if vector.nulls.get(i) {
            return;
        }
        let row = (i as u32, row);
        // Those of one table mostly come together.
        let place = match parts.last() {
            Some(last) if last.table == table => parts.len() - 1,
            _ => parts.iter().position(|part| part.table == table).unwrap_or(parts.len()),
        };
        match parts.get_mut(place) {
            Some(part) => part.rows.push(row),
            None => parts.push(Part { edges, table, rows: vec![row] }),
        }
    };
    match &vector.values {
        Values::Node(nodes) => at.for_each(|i| {
            let node = nodes.id(i);
            put(i, false, usize::from(node.table().0), node.row());
        }),
        Values::Edge(Edges::Slots { table, first, .. }) => {
            at.for_each(|i| put(i, true, *table, first + i as u64));
        }
        Values::Edge(edges) => at.for_each(|i| {
            let edge = edges.id(i);
            put(i, true, usize::from(edge.table().0), cx.reader.edge_slot(edge));
        }),
        _ => return None,
    }
    Some(parts)
}

/// Shapes: each but the first, which has no property, is another with one name more.
struct Shapes {
    /// The shape it was made of, and the place of the name among all.
    made: Vec<(u32, u32)>,
}

/// The shape of each of some entities.
struct Shaped {
    of: Vec<u32>,
    /// That of all of them, while they have one: `of` is not kept then.
    one: Option<u32>,
}

impl Shaped {
    /// So many without any property.
    fn new(entities: usize) -> Self {
        Self { of: vec![0; entities], one: Some(0) }
    }

    fn get(&self, k: usize) -> u32 {
        self.one.unwrap_or_else(|| self.of[k])
    }
}

impl Shapes {
    fn new() -> Self {
        Self { made: vec![(0, 0)] }
    }

    /// Parts the shapes of entities by a column: those at places that `each_null` gives stay as they are.
    fn part(&mut self, shaped: &mut Shaped, name: u32, each_null: impl FnOnce(&mut dyn FnMut(usize))) {
        const NONE: u32 = u32::MAX;
        let mut nulls = Vec::new();
        each_null(&mut |null| nulls.push(null));
        if let Some(one) = &mut shaped.one {
            if nulls.is_empty() {
                self.made.push((*one, name));
                // There are no more than columns.
                *one = self.made.len() as u32 - 1;
                return;
            }
            shaped.of.fill(*one);
            shaped.one = None;
        }
        let of = &mut shaped.of[..];
        let mut with = vec![NONE; self.made.len()];
        let mut take = |shape: &mut u32| {
            let known = &mut with[*shape as usize];
            if *known == NONE {
                // There are no more than entities and columns.
                *known = self.made.len() as u32;
                self.made.push((*shape, name));
            }
            *shape = *known;
        };
        let mut next = 0;
        for null in nulls {
            of[next..null].iter_mut().for_each(&mut take);
            next = null + 1;
        }
        of[next..].iter_mut().for_each(take);
    }

    /// The places of the names of a shape, the last one first.
    fn names(&self, mut shape: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::from_fn(move || {
            let (of, name) = self.made.get(shape as usize).copied().filter(|_| shape != 0)?;
            shape = of;
            Some(name)
        })
    }
}

/// The names of the properties that each entity has.
pub(super) fn keys<'s>(vector: &Vector<'s>, at: Positions<'_>, cx: &Context<'s>) -> Option<Vector<'s>> {
    let parts = parts(vector, at, cx)?;
    let mut runs = vec![(0u32, 0u32); at.len];
    let (mut all, mut codes): (Vec<Arc<str>>, Vec<u32>) = (Vec::new(), Vec::new());
    for part in &parts {
        let (mut shapes, mut shaped) = (Shapes::new(), Shaped::new(part.rows.len()));
        for Named { name, column } in part.columns(cx) {
            let code = all.iter().position(|known| *known == name).unwrap_or_else(|| {
                all.push(name);
                all.len() - 1
            });
            shapes.part(&mut shaped, u32::try_from(code).ok()?, |visit| part.each_null(&column, visit));
        }
        let mut listed: Vec<Option<(u32, u32)>> = vec![None; shapes.made.len()];
        for (k, (position, _)) in part.rows.iter().enumerate() {
            let shape = shaped.get(k);
            let run = match listed[shape as usize] {
                Some(run) => run,
                None => {
                    let start = codes.len();
                    codes.extend(shapes.names(shape));
                    codes[start..].reverse();
                    (u32::try_from(start).ok()?, u32::try_from(codes.len() - start).ok()?)
                }
            };
            listed[shape as usize] = Some(run);
            runs[*position as usize] = run;
        }
    }
    let mut names = Texts::default();
    all.iter().for_each(|name| names.push(name));
    let child = Vector::new(Values::String(Texts::coded(codes, &Arc::new(Dictionary::new(names)))));
    let lists = Lists::new(runs.into_iter(), child)?;
    Some(Vector { values: Values::List(lists), nulls: vector.nulls.clone() })
}

/// All properties of each entity as a map, with `entries` besides or in their place. `None` where they are to
/// be made row by row.
///
/// **Errors**: a map that is too large.
pub(super) fn properties<'a, 's>(
    vector: &Vector<'s>,
    entries: Vec<(Arc<str>, Vector<'s>)>,
    over: Over<'a, '_, 's>,
    cx: &Context<'s>,
) -> Result<Option<Evaluated<'a, 's>>, ExecError> {
    let Some(parts) = parts(vector, over.at, cx) else { return Ok(None) };
    let mut columns: Vec<Vec<(Arc<str>, Vector<'s>)>> = Vec::with_capacity(parts.len());
    for part in &parts {
        let own =
            part.columns(cx).into_iter().filter(|named| entries.iter().all(|(key, _)| *key != named.name));
        columns.push(own.map(|Named { name, column }| (name, part.values(&column, over.at.len))).collect());
    }
    if let ([part], [own]) = (&parts[..], &mut columns[..])
        && own.iter().all(|(_, values)| has_all(values, part, over.at.len))
    {
        let fields = std::mem::take(own).into_iter().chain(entries).collect();
        let Some(maps) = Maps::new(fields, over.at.len) else { return Ok(None) };
        return Ok(Some(Evaluated::Own(Vector { values: Values::Map(maps), nulls: vector.nulls.clone() })));
    }
    let mut of = vec![u32::MAX; over.at.len];
    for (place, part) in parts.iter().enumerate() {
        part.rows.iter().for_each(|(i, _)| of[*i as usize] = place as u32);
    }
    let edge = |id| cx.edge_value(id);
    let made = each(over, cx, |i| {
        let Some(own) = columns.get(of[i] as usize) else { return Ok(Value::Null) };
        let own = own.iter().filter(|(_, values)| !values.is_null(i));
        let map: Map = own.chain(&entries).map(|(key, v)| (Arc::clone(key), v.value(i, &edge))).collect();
        super::made::bounded(Value::map(map))
    });
    made.map(Some)
}

/// Whether every entity of a table has a value, of one size with the positions and of a type that fields of
/// maps have.
fn has_all(values: &Vector<'_>, part: &Part, len: usize) -> bool {
    let is_typed = !matches!(values.values, Values::Any(_) | Values::Edge(_)) && values.listed() == len;
    is_typed && (values.nulls == Nulls::NONE || part.rows.iter().all(|(i, _)| !values.nulls.get(*i as usize)))
}
