//! `reduce` over lists whose accumulator is a list or a map: part by part, and appended to in place, against
//! going row by row and making what there is anew at each element.

use std::sync::Arc;

use trimorph_algebra::{Op, QuantifierKind};
use trimorph_base::{Diagnostic, Random};
use trimorph_store::Snapshot;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Positions, Values};

use super::against_rows::check;
use super::lists::sample;
use super::sample::{Drawn, Kind, value};
use crate::expr::bodies::rewrite;
use crate::expr::{Ex, Row, evaluate};
use crate::layout::Place;
use crate::{Context, Settings};

/// The accumulator, the element behind it, and the variable of a body within the body.
const ACC: usize = 0;
const ELEMENT: usize = 1;
const INNER: usize = 2;
const KEYS: [&str; 4] = ["run", "best", "prev", "a"];

/// What accumulators are.
#[derive(Clone, Copy)]
enum Shape {
    List(usize),
    Map(usize),
}

impl Shape {
    fn count(self) -> usize {
        match self {
            Self::List(count) | Self::Map(count) => count,
        }
    }

    fn ex(self, parts: Vec<Ex>) -> Ex {
        match self {
            Self::List(_) => Ex::List(parts),
            Self::Map(_) => Ex::Map(KEYS.into_iter().map(Into::into).zip(parts).collect()),
        }
    }
}

fn number(k: usize) -> i64 {
    i64::try_from(k).unwrap()
}

impl Drawn<'_> {
    /// A part of what there is so far, or of what it does not have.
    fn part_of(&mut self, shape: Shape) -> Ex {
        let acc = Ex::Local(ACC);
        let known = shape.count() + usize::from(self.random.chance(10));
        let key = KEYS[self.random.below(known) % KEYS.len()];
        match shape {
            Shape::List(count) => {
                let count = number(count);
                let index = if self.random.chance(90) {
                    self.random.between(-count, count - 1)
                } else {
                    self.random.between(-9, 9)
                };
                Ex::Op(Op::Index, vec![acc, Ex::Const(Value::Int(index))], self.span())
            }
            Shape::Map(_) if self.random.chance(80) => self.property(acc, key),
            Shape::Map(_) => Ex::Op(Op::Index, vec![acc, Ex::Const(Value::string(key))], self.span()),
        }
    }

    fn of_parts(&mut self, shape: Shape, depth: usize) -> Ex {
        let small = Ex::Const(value(Kind::Small, self.random));
        match self.random.below(if depth == 0 { 8 } else { 14 }) {
            0..3 => Ex::Local(ELEMENT),
            3 => small,
            4 if self.random.chance(30) => Ex::Const(Value::Null),
            5 if self.random.chance(30) => self.leaf(&[Kind::Float, Kind::Date, Kind::Duration]),
            // What is no part: the whole, a list of one.
            6 if self.random.chance(5) => Ex::Local(ACC),
            7 if self.random.chance(5) => Ex::List(vec![self.part_of(shape)]),
            8 | 9 => {
                let op = *self.random.pick(&[Op::Add, Op::Add, Op::Sub, Op::Mul]);
                let args = vec![self.of_parts(shape, depth - 1), self.of_parts(shape, depth - 1)];
                Ex::Op(op, args, self.span())
            }
            10 => {
                let branches = vec![(self.about(shape, depth - 1), self.of_parts(shape, depth - 1))];
                Ex::Case { branches, otherwise: Box::new(self.of_parts(shape, depth - 1)) }
            }
            11 => {
                let args = vec![self.part_of(shape), self.of_parts(shape, depth - 1)];
                self.call("coalesce", args)
            }
            _ => self.part_of(shape),
        }
    }

    /// A condition.
    fn about(&mut self, shape: Shape, depth: usize) -> Ex {
        let args = vec![self.of_parts(shape, depth), self.of_parts(shape, depth)];
        match self.random.below(10) {
            0 => Ex::Op(Op::IsNotNull, vec![self.part_of(shape)], self.span()),
            1 => Ex::Op(Op::IsNull, vec![Ex::Local(ELEMENT)], self.span()),
            2 if depth > 0 => {
                let both = vec![self.about(shape, depth - 1), self.about(shape, depth - 1)];
                Ex::Op(Op::And, both, self.span())
            }
            // A body within the body, which reads both of the outer ones.
            3 => {
                let read = vec![Ex::Local(INNER), self.part_of(shape)];
                let predicate = Box::new(Ex::Op(Op::Eq, read, self.span()));
                let list = Box::new(Ex::Slot(Place { group: 0, slot: self.random.below(2) }));
                Ex::Quantifier { kind: QuantifierKind::Any, local: INNER, list, predicate }
            }
            4 => Ex::Const(Value::Bool(self.random.chance(50))),
            _ => {
                let op = *self.random.pick(&[Op::Lt, Op::Gt, Op::Eq, Op::Ne, Op::Le]);
                Ex::Op(op, args, self.span())
            }
        }
    }

    /// What the body gives: a list or map of the shape in each branch, now and then of another.
    fn of_shape(&mut self, shape: Shape, depth: usize) -> Ex {
        match self.random.below(if depth == 0 { 6 } else { 12 }) {
            0 => Ex::Local(ACC),
            1 => {
                let parts = (0..shape.count()).map(|_| Ex::Const(value(Kind::Small, self.random)));
                shape.ex(parts.collect())
            }
            2 if self.random.chance(5) => Ex::Const(Value::Null),
            3 if self.random.chance(5) => Ex::List(vec![self.part_of(shape)]),
            6.. => {
                let branches = (0..1 + self.random.below(3))
                    .map(|_| (self.about(shape, 1), self.of_shape(shape, depth - 1)))
                    .collect();
                Ex::Case { branches, otherwise: Box::new(self.of_shape(shape, depth - 1)) }
            }
            _ => {
                let made = (0..shape.count()).map(|_| self.of_parts(shape, 2)).collect();
                match shape.ex(made) {
                    Ex::Map(mut entries) => {
                        // Keys come in any order.
                        if self.random.chance(50) {
                            entries.reverse();
                        }
                        Ex::Map(entries)
                    }
                    list => list,
                }
            }
        }
    }

    fn by_part(&mut self) -> Ex {
        let count = 1 + self.random.below(4);
        let shape = if self.random.chance(50) { Shape::List(count) } else { Shape::Map(count) };
        let start = (0..count).map(|_| match self.random.below(5) {
            0 => Ex::Const(Value::Null),
            1 => self.leaf(&[Kind::Float, Kind::Date]),
            _ => Ex::Const(Value::Int(number(self.random.below(3)))),
        });
        let init = Box::new(shape.ex(start.collect()));
        let body = Box::new(self.of_shape(shape, 2));
        let slot = *self.random.pick(&[0, 0, 0, 1, 2, 3]);
        let list = Box::new(Ex::Slot(Place { group: 0, slot }));
        let made = Ex::Reduce { acc: ACC, init, local: ELEMENT, list, body };
        match (self.random.below(4), shape) {
            (0, Shape::List(_)) => Ex::Op(Op::Index, vec![made, Ex::Const(Value::Int(0))], self.span()),
            (0, Shape::Map(_)) => self.property(made, "run"),
            _ => made,
        }
    }
}

#[test]
fn parts_give_what_whole_accumulators_give() {
    let snapshot: &'static Snapshot = Box::leak(Box::default());
    let cx = Context::new(snapshot, Arc::new(Settings::default()));
    for seed in 0..1_500 {
        let mut random = Random::new(seed);
        let chunk = sample(&mut random);
        for _ in 0..4 {
            let ex = Drawn::new(&mut random, snapshot.catalog()).by_part();
            check(&ex, &chunk, &cx, seed);
        }
    }
}

/// The same bodies of an accumulator that is the one part itself.
#[test]
fn numbers_give_what_rows_give() {
    let snapshot: &'static Snapshot = Box::leak(Box::default());
    let cx = Context::new(snapshot, Arc::new(Settings::default()));
    for seed in 0..800 {
        let mut random = Random::new(seed);
        let chunk = sample(&mut random);
        for _ in 0..4 {
            let mut drawn = Drawn::new(&mut random, snapshot.catalog());
            let body = drawn.of_parts(Shape::List(1), 3);
            let body = rewrite(&body, &mut |ex| match ex {
                Ex::Op(Op::Index, args, _) if matches!(args[..], [Ex::Local(ACC), _]) => Some(Ex::Local(ACC)),
                _ => None,
            });
            let init = match drawn.random.below(4) {
                0 => drawn.leaf(&[Kind::Small, Kind::Float]),
                1 => Ex::Const(Value::Float(0.5)),
                _ => Ex::Const(Value::Int(0)),
            };
            let slot = *drawn.random.pick(&[0, 0, 0, 2]);
            let list = Box::new(Ex::Slot(Place { group: 0, slot }));
            let (init, body) = (Box::new(init), Box::new(body));
            let ex = Ex::Reduce { acc: ACC, init, local: ELEMENT, list, body };
            check(&ex, &chunk, &cx, seed);
        }
    }
}

/// Lists that were made part by part are a vector of lists; rows give general values.
#[test]
fn a_histogram_is_made_part_by_part() {
    let snapshot: &'static Snapshot = Box::leak(Box::default());
    let cx = Context::new(snapshot, Arc::new(Settings::default()));
    let span = trimorph_base::Span::default();
    let mut made = 0;
    for seed in 0..200 {
        let chunk = sample(&mut Random::new(seed));
        let part = |k| Ex::Op(Op::Index, vec![Ex::Local(ACC), Ex::Const(Value::Int(k))], span);
        let more = |k| Ex::Op(Op::Add, vec![part(k), Ex::Const(Value::Int(1))], span);
        let less = |than| Ex::Op(Op::Lt, vec![Ex::Local(ELEMENT), Ex::Const(Value::Int(than))], span);
        let branches =
            vec![(less(-1), Ex::List(vec![more(0), part(1)])), (less(3), Ex::List(vec![part(0), more(-1)]))];
        let ex = Ex::Reduce {
            acc: ACC,
            init: Box::new(Ex::Const(Value::list(vec![Value::Int(0); 2]))),
            local: ELEMENT,
            list: Box::new(Ex::Slot(Place { group: 0, slot: 0 })),
            body: Box::new(Ex::Case { branches, otherwise: Box::new(Ex::Local(ACC)) }),
        };
        check(&ex, &chunk, &cx, seed);
        let out = evaluate(&ex, &chunk, 0, &cx).unwrap().into_vector(chunk.groups[0].len);
        made += usize::from(matches!(out.values, Values::List(_)));
    }
    assert!(made > 150, "{made}");
}

impl Drawn<'_> {
    /// What is added to a list.
    fn addition(&mut self) -> Ex {
        match self.random.below(8) {
            0 => Ex::Const(Value::Null),
            1 => Ex::List(vec![Ex::Local(ELEMENT), Ex::Const(Value::Int(1))]),
            2 => Ex::Slot(Place { group: 0, slot: 0 }),
            3 => self.call("size", vec![Ex::Local(ACC)]),
            4 if self.random.chance(20) => Ex::Local(ACC),
            _ => Ex::Local(ELEMENT),
        }
    }

    fn appending(&mut self, depth: usize) -> Ex {
        let acc = Ex::Local(ACC);
        match self.random.below(if depth == 0 { 4 } else { 8 }) {
            0 if self.random.chance(30) => acc,
            1 => Ex::List(vec![Ex::Local(ELEMENT)]),
            2 => {
                let rest = (0..1 + self.random.below(3)).map(|_| (Op::Add, self.addition(), self.span()));
                let rest = rest.collect();
                Ex::Chain(Box::new(acc), rest)
            }
            4.. => {
                let size = self.call("size", vec![acc.clone()]);
                let condition = match self.random.below(3) {
                    0 => Ex::Op(Op::In, vec![Ex::Local(ELEMENT), acc], self.span()),
                    1 => Ex::Op(Op::Lt, vec![size, Ex::Const(Value::Int(3))], self.span()),
                    _ => Ex::Op(Op::IsNull, vec![Ex::Local(ELEMENT)], self.span()),
                };
                let branches = vec![(condition, self.appending(depth - 1))];
                let case = Ex::Case { branches, otherwise: Box::new(self.appending(depth - 1)) };
                if self.random.chance(20) {
                    let addition = self.addition();
                    return Ex::Op(Op::Add, vec![case, addition], self.span());
                }
                case
            }
            _ => {
                let addition = self.addition();
                Ex::Op(Op::Add, vec![acc, addition], self.span())
            }
        }
    }
}

/// What comes of a list where each step makes what there is anew.
fn anew<'s>(
    (init, list, body): (&Ex, &Ex, &Ex),
    (chunk, position): (&Chunk<'s>, usize),
    cx: &Context<'s>,
) -> Result<Value, Diagnostic> {
    let mut row = Row::new(chunk, 0, position);
    let mut so_far = row.eval(init, cx)?;
    let Value::List(items) = row.eval(list, cx)? else { return Ok(Value::Null) };
    for item in items.iter() {
        row.set_local(ACC, so_far);
        row.set_local(ELEMENT, item.clone());
        so_far = row.eval(body, cx)?;
    }
    Ok(so_far)
}

#[test]
fn appending_in_place_gives_what_copies_give() {
    let snapshot: &'static Snapshot = Box::leak(Box::default());
    let cx = Context::new(snapshot, Arc::new(Settings::default()));
    for seed in 0..1_000 {
        let mut random = Random::new(seed);
        let chunk = sample(&mut random);
        let mut drawn = Drawn::new(&mut random, snapshot.catalog());
        let init = match drawn.random.below(4) {
            0 => Ex::Slot(Place { group: 0, slot: 0 }),
            1 => Ex::Const(Value::list(vec![Value::Int(7)])),
            2 => Ex::List(vec![drawn.leaf(&[Kind::Date])]),
            _ => Ex::Const(Value::list(Vec::new())),
        };
        let list = Ex::Slot(Place { group: 0, slot: drawn.random.below(4) });
        let body = drawn.appending(2);
        let ex = Ex::Reduce {
            acc: ACC,
            init: Box::new(init.clone()),
            local: ELEMENT,
            list: Box::new(list.clone()),
            body: Box::new(body.clone()),
        };
        for position in Positions::of(&chunk.groups[0]).to_vec() {
            let found = Row::new(&chunk, 0, position as usize).eval(&ex, &cx);
            let expected = anew((&init, &list, &body), (&chunk, position as usize), &cx);
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "seed {seed}\n{ex:?}");
            // What the constant is was nobody's to change.
            if let (Ok(Value::List(found)), Ok(Value::List(expected))) = (found, expected) {
                assert_eq!(found.extent(), expected.extent(), "seed {seed}");
            }
        }
    }
}

#[test]
fn long_lists_are_appended_to_in_time_that_grows_with_them() {
    let snapshot: &'static Snapshot = Box::leak(Box::default());
    let cx = Context::new(snapshot, Arc::new(Settings::default()));
    let span = trimorph_base::Span::default();
    let items: Vec<Value> = (0..300_000).map(Value::Int).collect();
    let ex = Ex::Reduce {
        acc: ACC,
        init: Box::new(Ex::Const(Value::list(Vec::new()))),
        local: ELEMENT,
        list: Box::new(Ex::Const(Value::list(items))),
        body: Box::new(Ex::Op(Op::Add, vec![Ex::Local(ACC), Ex::Local(ELEMENT)], span)),
    };
    let chunk = Chunk::with_slots(&[0]);
    match Row::new(&chunk, 0, 0).eval(&ex, &cx) {
        Ok(Value::List(found)) => assert_eq!(found.len(), 300_000),
        other => panic!("{other:?}"),
    }
    // The same of a vector of few lists, which are gone through one by one.
    let mut chunk = Chunk::with_slots(&[0]);
    chunk.groups[0].reset(2);
    let found = evaluate(&ex, &chunk, 0, &cx).map(|found| found.into_vector(2));
    let found = found.map(|vector| [0, 1].map(|i| vector.value(i, &|_| Value::Null)));
    match found {
        Ok([Value::List(a), Value::List(b)]) => assert_eq!((a.len(), b.len()), (300_000, 300_000)),
        other => panic!("{other:?}"),
    }
}
