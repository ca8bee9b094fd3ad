//! Operators and functions of texts, over texts in all their forms.

use std::sync::Arc;

use trimorph_algebra::Op;
use trimorph_base::Random;
use trimorph_store::Snapshot;
use trimorph_types::Value;
use trimorph_vector::{Chunk, Dictionary, Nulls, Positions, Texts, Values, Vector};

use super::against_rows::check;
use super::sample::{Drawn, KINDS, Kind, chunk};
use crate::expr::Ex;
use crate::expr::compare::compare;
use crate::expr::evaluated::Evaluated;
use crate::{Context, Settings};

const WORDS: [&str; 16] = [
    "",
    "a",
    "A",
    "trimorph",
    " Tri Morph ",
    "ÀÉ",
    "straße",
    "İstanbul",
    "ΑΣ",
    "日本語",
    "a,b,,c",
    "12",
    " -7.5e1 ",
    "TRUE",
    "9223372036854775808",
    "\u{2003}x\n",
];
/// Known to be ASCII where a vector has no others: written and cut end to end.
const ASCII: [&str; 14] = [
    "",
    "a",
    "Zz",
    "trimorph",
    "trimorphs",
    " Sixteen letters",
    "Seventeen letters",
    "More than thirty-two letters, and then some more\t",
    "-12",
    "-",
    "-1.5e3",
    "1e5 ",
    "-inf",
    "9223372036854775807",
];
const PARTS: [&str; 13] = [
    "",
    "a",
    "ri",
    "morph",
    "trimorph",
    "trimorphs",
    "letters, and then some",
    "é",
    "ß",
    ",",
    "12",
    "本",
    "zz",
];
const PATTERNS: [&str; 9] =
    [".*ri.*", "(?i)tri.*", "[a-z]+", "", "(a|b).*", ".*(morph|語)", "(?=a).*", "[", "(?s).*\\n"];

/// Texts in one of their forms: views of the store, copies, codes, parts of others, ASCII alone.
fn texts(len: usize, random: &mut Random) -> Texts<'static> {
    match random.below(6) {
        4 => {
            let mut texts = Texts::default();
            (0..len).for_each(|_| texts.push(random.pick::<&str>(&ASCII)));
            assert!(texts.is_ascii());
            texts
        }
        5 => {
            // Texts of which some go beyond ASCII are not known to be so.
            let mut texts = Texts::default();
            for _ in 0..len {
                let words: &[&str] = if random.chance(80) { &ASCII } else { &WORDS };
                texts.push(words[random.below(words.len())]);
            }
            texts
        }
        0 => (0..len).map(|_| *random.pick(&WORDS)).collect(),
        1 => {
            // Of the store, or made.
            let mut made = Texts::default();
            WORDS.iter().for_each(|word| made.push(word));
            let stored: Dictionary<'_> = WORDS.iter().copied().collect();
            let entries = Arc::new(if random.chance(50) { Dictionary::new(made) } else { stored });
            Texts::coded((0..len).map(|_| random.below(WORDS.len()) as u32).collect(), &entries)
        }
        2 => {
            let mut texts = Texts::default();
            for _ in 0..len {
                let word = *random.pick(&WORDS);
                texts.push(word);
            }
            texts
        }
        _ => {
            let all: Texts<'static> = WORDS.into_iter().collect();
            let mut copies = Texts::default();
            copies.extend(&all, &(0..WORDS.len() as u32).collect::<Vec<u32>>());
            let places: Vec<u32> = (0..len).map(|_| random.below(WORDS.len()) as u32).collect();
            copies.gather(&places)
        }
    }
}

impl Drawn<'_> {
    fn part(&mut self, parts: &[&'static str]) -> Ex {
        if self.random.chance(15) {
            self.leaf(&[Kind::Text])
        } else {
            Ex::Const(Value::string(*self.random.pick(parts)))
        }
    }

    /// A text, or what is made of texts.
    fn text(&mut self, depth: usize) -> Ex {
        if depth > 0 && self.random.chance(60) {
            return self.of_texts(depth - 1);
        }
        if self.random.chance(5) { self.leaf(&KINDS) } else { self.leaf(&[Kind::Text]) }
    }

    fn of_texts(&mut self, depth: usize) -> Ex {
        let text = self.text(depth);
        match self.random.below(10) {
            9 => {
                // Several texts one after the other, and now and then something else among them.
                let next = |drawn: &mut Self| {
                    let is_constant = drawn.random.chance(40);
                    if is_constant { drawn.part(&WORDS) } else { drawn.text(depth.min(1)) }
                };
                let count = self.random.below(4) + 1;
                let rest = (0..count).map(|_| (Op::Add, next(self), self.span())).collect();
                Ex::Chain(Box::new(text), rest)
            }
            8 => {
                let delimiter = self.part(&PARTS);
                let parts = self.call("split", vec![text, delimiter]);
                let index = self.operand(&[Kind::Small], 0);
                Ex::Op(Op::Index, vec![parts, index], self.span())
            }
            0 => {
                let op = *self.random.pick(&[Op::Contains, Op::StartsWith, Op::EndsWith]);
                let part = self.part(&PARTS);
                Ex::Op(op, vec![text, part], self.span())
            }
            1 => {
                let pattern = self.part(&PATTERNS);
                Ex::Op(Op::Regex, vec![text, pattern], self.span())
            }
            2 => {
                let op = *self.random.pick(&[Op::Add, Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge]);
                let other = if self.random.chance(50) { self.part(&WORDS) } else { self.text(depth) };
                let args = if self.random.chance(20) { vec![other, text] } else { vec![text, other] };
                Ex::Op(op, args, self.span())
            }
            3 => {
                let name = *self.random.pick(&["left", "right", "substring"]);
                let count = self.operand(&[Kind::Small], 0);
                self.call(name, vec![text, count])
            }
            4 => {
                let (start, length) = (self.operand(&[Kind::Small], 0), self.operand(&[Kind::Small], 0));
                self.call("substring", vec![text, start, length])
            }
            5 => {
                let (search, with) = (self.part(&PARTS), self.part(&PARTS));
                self.call("replace", vec![text, search, with])
            }
            6 => {
                let name = *self.random.pick(&[
                    "toInteger",
                    "toFloat",
                    "toBoolean",
                    "toString",
                    "size",
                    "char_length",
                ]);
                self.call(name, vec![text])
            }
            _ => {
                let name =
                    *self.random.pick(&["toUpper", "lower", "trim", "btrim", "ltrim", "rtrim", "reverse"]);
                let mut args = vec![text];
                if name.ends_with("trim") && self.random.chance(30) {
                    args.push(self.part(&PARTS));
                }
                self.call(name, args)
            }
        }
    }
}

fn run(seeds: std::ops::Range<u64>, depth: usize) {
    let snapshot: &'static Snapshot = Box::leak(Box::default());
    let cx = Context::new(snapshot, Arc::new(Settings::default()));
    let slot = KINDS.iter().position(|kind| *kind == Kind::Text).unwrap();
    for seed in seeds {
        let mut random = Random::new(seed);
        let mut chunk: Chunk<'static> = chunk(&mut random);
        let len = chunk.groups[0].len;
        let mut nulls = Nulls::NONE;
        if random.chance(40) {
            (0..len).filter(|_| random.chance(30)).for_each(|i| nulls.set(i, len));
        }
        chunk.groups[0].vectors[slot] = Vector { values: Values::String(texts(len, &mut random)), nulls };
        for _ in 0..20 {
            let ex = Drawn::new(&mut random, snapshot.catalog()).of_texts(depth);
            check(&ex, &chunk, &cx, seed);
        }
    }
}

#[test]
fn one_operator_of_texts_gives_what_it_gives_row_by_row() {
    run(0..1_500, 0);
}

#[test]
fn operators_of_texts_in_each_other_give_what_they_give_row_by_row() {
    run(5_000..6_500, 2);
}

/// Of two dictionaries, some of whose entries are the same text twice, with nulls among the codes.
#[test]
fn texts_of_two_dictionaries_are_equal_where_their_texts_are() {
    let mut random = Random::new(7);
    let coded = |len: usize, random: &mut Random| {
        let count = random.below(12) + 1;
        let entries: Dictionary<'static> = (0..count).map(|_| *random.pick(&WORDS)).collect();
        let codes: Vec<u32> = (0..len).map(|_| random.below(count) as u32).collect();
        let mut nulls = Nulls::NONE;
        (0..len).filter(|_| random.chance(10)).for_each(|i| nulls.set(i, len));
        Vector { values: Values::String(Texts::coded(codes, &Arc::new(entries))), nulls }
    };
    for len in [40, 200, 2_000] {
        for _ in 0..50 {
            let (a, b) = (coded(len, &mut random), coded(len, &mut random));
            for op in [Op::Eq, Op::Ne] {
                let (x, y) = (Evaluated::Ref(&a), Evaluated::Ref(&b));
                let found = compare(op, &x, &y, Positions::all(len)).unwrap();
                let (Values::Bool(found), nulls) = (found.values, found.nulls) else { panic!("no Booleans") };
                let (Values::String(s), Values::String(t)) = (&a.values, &b.values) else { unreachable!() };
                for (i, found) in found.into_iter().enumerate() {
                    assert_eq!(nulls.get(i), a.nulls.get(i) || b.nulls.get(i));
                    assert!(nulls.get(i) || found == ((s.get(i) == t.get(i)) == (op == Op::Eq)));
                }
            }
        }
    }
}
