//! Operators and functions of lists, over vectors of lists with elements of every type, parts of lists and
//! lists that share their elements among them.

use std::sync::Arc;

use trimorph_algebra::{Op, QuantifierKind};
use trimorph_base::Random;
use trimorph_store::Snapshot;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Dictionary, Lists, Nulls, Positions, Texts, Values, Vector};

use super::against_rows::check;
use super::sample::{Drawn, KINDS, Kind, chunk, value};
use crate::expr::Ex;
use crate::layout::Place;
use crate::{Context, Settings};

/// Slots with lists: of integers, of texts, of anything, general ones, and lists of lists.
const LISTS: [(usize, Kind); 5] =
    [(0, Kind::Small), (1, Kind::Text), (2, Kind::Mixed), (3, Kind::Small), (5, Kind::Text)];
/// Kinds of elements of the third.
const OTHERS: [Kind; 8] = [
    Kind::Mixed,
    Kind::Number,
    Kind::Float,
    Kind::Bool,
    Kind::Date,
    Kind::LocalTime,
    Kind::LocalDateTime,
    Kind::DateTime,
];
/// The local variable of bodies.
const LOCAL: usize = 0;

/// Elements of a kind, some of them null.
fn elements(kind: Kind, random: &mut Random) -> Vector<'static> {
    let (len, nulls) = (random.below(40), *random.pick(&[0, 0, 20, 100]));
    let values: Vec<Value> =
        (0..len).map(|_| if random.chance(nulls) { Value::Null } else { value(kind, random) }).collect();
    let vector = Vector::of_mixed(values, Positions::all(len));
    match &vector.values {
        // As texts of the store are: codes of a dictionary.
        Values::String(texts) if random.chance(50) => {
            let entries: Arc<Dictionary<'static>> = Arc::new(Dictionary::new(texts.clone()));
            let codes = (0..u32::try_from(len).unwrap()).collect();
            Vector { values: Values::String(Texts::coded(codes, &entries)), nulls: vector.nulls }
        }
        _ => vector,
    }
}

/// Lists of such elements, which overlap and come in any order.
fn lists(kind: Kind, len: usize, random: &mut Random) -> Vector<'static> {
    let child = elements(kind, random);
    let count = child.listed();
    // Now and then lists that are not short, and lists none of which is empty.
    let (most, least) = (*random.pick(&[5, 5, 20]), usize::from(random.chance(30)));
    let runs: Vec<(u32, u32)> = (0..len)
        .map(|_| {
            let start = random.below((count + 1).saturating_sub(least).max(1));
            let len = random.below((count - start).min(most) + 1).max(least).min(count - start);
            (u32::try_from(start).unwrap(), u32::try_from(len).unwrap())
        })
        .collect();
    let lists = Lists::new(runs.into_iter(), child).unwrap();
    let mut nulls = Nulls::NONE;
    let percent = *random.pick(&[0, 0, 30, 100]);
    (0..len).filter(|_| random.chance(percent)).for_each(|i| nulls.set(i, len));
    Vector { values: Values::List(lists), nulls }
}

/// The same as general values.
fn general(vector: &Vector<'static>) -> Vector<'static> {
    let value = |i| vector.value(i, &|_| Value::Null);
    Vector::new(Values::Any((0..vector.listed()).map(value).collect()))
}

pub(super) fn sample(random: &mut Random) -> Chunk<'static> {
    let mut chunk = chunk(random);
    let group = &mut chunk.groups[0];
    for (slot, kind) in LISTS {
        // Integers beside floats are a vector, and other values that mix none.
        let kind = if kind == Kind::Mixed { *random.pick(&OTHERS) } else { kind };
        group.vectors[slot] = lists(kind, group.len, random);
    }
    group.vectors[3] = general(&group.vectors[3]);
    let inner = lists(Kind::Text, 20, random);
    let runs: Vec<(u32, u32)> =
        (0..group.len).map(|_| (random.below(17) as u32, random.below(4) as u32)).collect();
    group.vectors[5] = Vector::new(Values::List(Lists::new(runs.into_iter(), inner).unwrap()));
    chunk
}

impl Drawn<'_> {
    fn list(&mut self, depth: usize) -> Ex {
        let (slot, _) = *self.random.pick(&LISTS);
        if depth == 0 || self.random.chance(40) {
            return Ex::Slot(Place { group: 0, slot });
        }
        match self.random.below(7) {
            0 => {
                let name = *self.random.pick(&["tail", "reverse", "coalesce", "coll.distinct"]);
                let mut args = vec![self.list(depth - 1)];
                if name == "coalesce" {
                    args.push(self.list(depth - 1));
                }
                self.call(name, args)
            }
            6 => {
                let sizes = [self.list(0), self.list(0)].map(|list| self.call("size", vec![list]));
                let mut bounds = sizes.to_vec();
                if self.random.chance(50) {
                    bounds[0] = Ex::Const(Value::Int(self.random.between(-2, 3)));
                }
                if self.random.chance(20) {
                    bounds.push(Ex::Const(Value::Int(*self.random.pick(&[1, 2, -1, 0]))));
                }
                self.call("range", bounds)
            }
            5 => {
                // Elements of one kind mostly, some of them the same for all lists.
                let kind = *self.random.pick(&[Kind::Date, Kind::Text, Kind::Duration, Kind::Moment]);
                let mut items = Vec::new();
                for _ in 0..self.random.below(4) {
                    items.push(match self.random.below(5) {
                        0 => self.call("size", vec![Ex::Slot(Place { group: 0, slot })]),
                        1 => self.leaf(&KINDS),
                        _ => self.leaf(&[kind]),
                    });
                }
                Ex::List(items)
            }
            1 => {
                let bounds = [self.index(), self.index()];
                let args = std::iter::once(self.list(depth - 1)).chain(bounds).collect();
                Ex::Op(Op::Slice, args, self.span())
            }
            2 => {
                let filter = self.random.chance(60).then(|| Box::new(self.of_element(0)));
                let map = self.random.chance(60).then(|| Box::new(self.of_element(1)));
                Ex::ListComprehension { local: LOCAL, list: Box::new(self.list(depth - 1)), filter, map }
            }
            3 => {
                let branches = vec![(self.leaf(&[Kind::Bool]), self.list(depth - 1))];
                Ex::Case { branches, otherwise: Box::new(self.list(depth - 1)) }
            }
            _ => {
                let text = self.leaf(&[Kind::Text]);
                let delimiter = Ex::Const(Value::string(*self.random.pick(&["", "a", "-", "2", "0-"])));
                self.call("split", vec![text, delimiter])
            }
        }
    }

    fn index(&mut self) -> Ex {
        let kinds = if self.random.chance(5) { &KINDS[..] } else { &[Kind::Small] };
        let index = self.leaf(kinds);
        // Slots that have lists now.
        match index {
            Ex::Slot(_) => Ex::Const(Value::Int(self.random.between(-6, 6))),
            constant => constant,
        }
    }

    /// What is asked of an element: a condition, or anything.
    fn of_element(&mut self, depth: usize) -> Ex {
        let element = Ex::Local(LOCAL);
        let constant = Ex::Const(value(*self.random.pick(&[Kind::Small, Kind::Text]), self.random));
        match self.random.below(12 + 3 * depth) {
            10 => {
                let op = *self.random.pick(&[Op::Eq, Op::Lt, Op::Ne]);
                let outer = self.leaf(&[Kind::Small, Kind::Text]);
                // What does not depend on the element, and may fail.
                let outer = match self.random.below(4) {
                    0 => Ex::Op(Op::Add, vec![outer, self.leaf(&[Kind::Small, Kind::Int])], self.span()),
                    1 => {
                        let text = self.leaf(&[Kind::Text]);
                        self.call("toUpper", vec![text])
                    }
                    2 => {
                        let list = self.list(0);
                        let index = self.index();
                        Ex::Op(Op::Index, vec![list, index], self.span())
                    }
                    _ => outer,
                };
                Ex::Op(op, vec![element, outer], self.span())
            }
            11 => {
                // A body within a body, which reads both elements.
                let inner = Ex::Op(Op::Eq, vec![Ex::Local(LOCAL + 1), element], self.span());
                let kind = *self.random.pick(&[QuantifierKind::All, QuantifierKind::Any]);
                let (list, predicate) = (Box::new(self.list(0)), Box::new(inner));
                Ex::Quantifier { kind, local: LOCAL + 1, list, predicate }
            }
            0 => Ex::Op(Op::IsNull, vec![element], self.span()),
            1 => Ex::Op(Op::Gt, vec![element, constant], self.span()),
            2 => Ex::Op(Op::EndsWith, vec![element, constant], self.span()),
            3 => Ex::Op(Op::Eq, vec![constant, element], self.span()),
            4 => Ex::Const(self.random.pick(&[Value::Null, Value::Bool(true), Value::Bool(false)]).clone()),
            5 => {
                let tests = vec![
                    Ex::Op(Op::IsNotNull, vec![element.clone()], self.span()),
                    Ex::Op(Op::Ne, vec![element, constant], self.span()),
                ];
                Ex::Op(Op::And, tests, self.span())
            }
            6 => Ex::Op(Op::Eq, vec![element, self.leaf(&[Kind::Duration])], self.span()),
            7 => Ex::Op(Op::Le, vec![element.clone(), element], self.span()),
            8 => Ex::Op(Op::Add, vec![element, constant], self.span()),
            9 => self.call("toString", vec![element]),
            _ => element,
        }
    }

    /// `reduce`: additions of every type, and anything else.
    fn reduction(&mut self, list: Ex) -> Ex {
        let (acc, element) = (Ex::Local(LOCAL), Ex::Local(LOCAL + 1));
        let init = match self.random.below(6) {
            0 => self.leaf(&[Kind::Small, Kind::Text, Kind::Float]),
            1 => Ex::Const(Value::string("")),
            2 => Ex::Const(Value::Float(0.5)),
            3 => Ex::Const(Value::Null),
            4 => Ex::Const(Value::Int(i64::MAX - 20)),
            _ => Ex::Const(Value::Int(0)),
        };
        let constant = Ex::Const(value(*self.random.pick(&[Kind::Small, Kind::Text]), self.random));
        let op = *self.random.pick(&[Op::Add, Op::Add, Op::Sub, Op::Mul]);
        let body = match self.random.below(10) {
            0 => Ex::Op(op, vec![acc, element], self.span()),
            1 => Ex::Op(op, vec![element, acc], self.span()),
            2 => {
                let span = self.span();
                Ex::Chain(Box::new(acc), vec![(op, element, span), (Op::Add, constant, span)])
            }
            3 => {
                let outer = self.leaf(&[Kind::Small, Kind::Text]);
                Ex::Op(op, vec![acc, outer], self.span())
            }
            4 => {
                let is_more = Ex::Op(Op::Gt, vec![element.clone(), acc.clone()], self.span());
                Ex::Case { branches: vec![(is_more, element)], otherwise: Box::new(acc) }
            }
            5 => {
                let size = self.call("toString", vec![element]);
                Ex::Op(Op::Add, vec![acc, size], self.span())
            }
            // What joins texts, and what only looks like it.
            6..9 => {
                let text = Value::string(*self.random.pick(&["", "", "a"]));
                let asks = *self.random.pick(&[Op::Eq, Op::Eq, Op::Ne]);
                let condition = Ex::Op(asks, vec![acc.clone(), Ex::Const(text)], self.span());
                let between = Ex::Const(Value::string(", "));
                let span = self.span();
                if self.random.chance(50) {
                    let parts = [Ex::Const(Value::string("")), between, element.clone(), constant];
                    let then = self.random.pick(&parts).clone();
                    let otherwise = Box::new(self.random.pick(&parts).clone());
                    let case = Ex::Case { branches: vec![(condition, then)], otherwise };
                    if self.random.chance(50) {
                        let first = Ex::Op(Op::Add, vec![acc, case], span);
                        Ex::Op(Op::Add, vec![first, element], span)
                    } else {
                        Ex::Chain(Box::new(acc), vec![(Op::Add, case, span), (Op::Add, element, span)])
                    }
                } else {
                    let rest = vec![(Op::Add, between, span), (Op::Add, element.clone(), span)];
                    let mut branches = [element, Ex::Chain(Box::new(acc), rest)];
                    if self.random.chance(30) {
                        branches.swap(0, 1);
                    }
                    let [then, otherwise] = branches;
                    Ex::Case { branches: vec![(condition, then)], otherwise: Box::new(otherwise) }
                }
            }
            _ => constant,
        };
        let (init, list, body) = (Box::new(init), Box::new(list), Box::new(body));
        Ex::Reduce { acc: LOCAL, init, local: LOCAL + 1, list, body }
    }

    fn of_lists(&mut self, depth: usize) -> Ex {
        let list = self.list(depth);
        match self.random.below(17) {
            9 | 10 => self.reduction(list),
            13 => {
                let name = *self.random.pick(&["vector.similarity.cosine", "vector.similarity.euclidean"]);
                let numbers = [Value::Int(1), Value::Float(-0.5), Value::Int(3), Value::Float(2.5)];
                let other = match self.random.below(3) {
                    0 => self.list(0),
                    count => Ex::Const(Value::list(numbers[..count + 1].to_vec())),
                };
                self.call(name, vec![list, other])
            }
            14 => {
                // One list for all, by a place of each.
                let items = [Value::Int(4), Value::Null, Value::Int(-2), Value::Int(9)];
                let mixed = [Value::Int(4), Value::string("a"), Value::Null];
                let items = if self.random.chance(70) { &items[..] } else { &mixed[..] };
                let index = Ex::Op(
                    Op::Sub,
                    vec![self.call("size", vec![list]), Ex::Const(Value::Int(3))],
                    self.span(),
                );
                Ex::Op(Op::Index, vec![Ex::Const(Value::list(items.to_vec())), index], self.span())
            }
            11 => {
                // An entry of one map by many keys, and of many maps.
                let keys = ["", "a", "abc", "2", "0-"].iter().enumerate();
                let map = keys.map(|(k, key)| ((*key).into(), Value::Int(k as i64))).collect();
                let key = self.leaf(&[Kind::Text, Kind::Iri]);
                let maps = Ex::Map(vec![("a".into(), list), ("b".into(), self.leaf(&[Kind::Moment]))]);
                let args = match self.random.below(2) {
                    0 => vec![Ex::Const(Value::map(map)), key],
                    _ => vec![maps, Ex::Const(Value::string(*self.random.pick(&["a", "b", "c"])))],
                };
                Ex::Op(Op::Index, args, self.span())
            }
            12 => {
                let part = |s: &mut Self| Ex::Const(Value::Int(s.random.between(-1, 14)));
                let mut parts = vec![("year".into(), self.call("size", vec![list]))];
                for name in ["month", "day"] {
                    if self.random.chance(80) {
                        parts.push((name.into(), part(self)));
                    }
                }
                self.call("date", vec![Ex::Map(parts)])
            }
            15 => {
                let names =
                    ["years", "months", "weeks", "days", "hours", "seconds", "milliseconds", "nanoseconds"];
                let mut parts: Vec<(Arc<str>, Ex)> = vec![("minutes".into(), self.call("size", vec![list]))];
                for _ in 0..self.random.below(3) {
                    let name = if self.random.chance(3) { "fortnights" } else { *self.random.pick(&names) };
                    let kind = *self.random.pick(&[Kind::Small, Kind::Small, Kind::Int, Kind::Float]);
                    if parts.iter().all(|(known, _)| &**known != name) {
                        parts.push((name.into(), self.leaf(&[kind])));
                    }
                }
                self.call("duration", vec![Ex::Map(parts)])
            }
            16 => {
                // Numbers are written beside texts.
                let number = self.call("size", vec![list]);
                let other = self.leaf(&[Kind::Text, Kind::Float, Kind::Bool]);
                let text = self.leaf(&[Kind::Text]);
                let args = if self.random.chance(50) { vec![text, number] } else { vec![text, other] };
                let args = if self.random.chance(50) { args } else { args.into_iter().rev().collect() };
                Ex::Op(Op::Add, args, self.span())
            }
            0 | 1 => {
                let name = *self.random.pick(&[
                    "size",
                    "head",
                    "last",
                    "tail",
                    "reverse",
                    "isEmpty",
                    "coll.distinct",
                    "coll.max",
                    "coll.min",
                    "toIntegerList",
                    "toFloatList",
                    "toStringList",
                    "toBooleanList",
                ]);
                self.call(name, vec![list])
            }
            2 => {
                let index = self.index();
                Ex::Op(Op::Index, vec![list, index], self.span())
            }
            3 | 4 => {
                let needle = match self.random.below(3) {
                    0 => {
                        let kinds =
                            if self.random.chance(40) { &OTHERS[..] } else { &[Kind::Small, Kind::Text] };
                        Ex::Const(value(*self.random.pick(kinds), self.random))
                    }
                    1 => self.call("head", vec![list.clone()]),
                    _ => self.leaf(&[Kind::Text]),
                };
                Ex::Op(Op::In, vec![needle, list], self.span())
            }
            5 | 6 => {
                use QuantifierKind::{All, Any, None, Single};
                let kind = *self.random.pick(&[All, Any, None, Single]);
                let predicate = Box::new(self.of_element(0));
                Ex::Quantifier { kind, local: LOCAL, list: Box::new(list), predicate }
            }
            7 => {
                let op = *self.random.pick(&[Op::Eq, Op::Ne, Op::Lt, Op::Add, Op::IsNull]);
                let args = if op == Op::IsNull { vec![list] } else { vec![list, self.list(depth)] };
                Ex::Op(op, args, self.span())
            }
            _ => list,
        }
    }
}

#[test]
fn lists_give_what_they_give_row_by_row() {
    let snapshot: &'static Snapshot = Box::leak(Box::default());
    let cx = Context::new(snapshot, Arc::new(Settings::default()));
    for seed in 0..3_000 {
        let mut random = Random::new(seed);
        let chunk = sample(&mut random);
        for depth in [0, 0, 1, 1, 1, 2, 2, 3] {
            let ex = Drawn::new(&mut random, snapshot.catalog()).of_lists(depth);
            check(&ex, &chunk, &cx, seed);
        }
    }
}
