//! What kernels are measured over: a vector's length of each type, and the same as arrays.

use trimorph_base::Random;
use trimorph_types::{Date, DateTime, Decimal, Duration, Literal, LocalTime, Time, Value, Zone};
use trimorph_vector::{Chunk, Decimals, Group, Lists, Nulls, Positions, Selection, Values, Vector};

use super::{DAY, N};

/// Slots of the chunk.
pub(super) const A: usize = 0;
pub(super) const B: usize = 1;
pub(super) const F: usize = 2;
pub(super) const DAYS: usize = 3;
pub(super) const T: usize = 4;
pub(super) const U: usize = 5;
pub(super) const P: usize = 6;
pub(super) const Q: usize = 7;
pub(super) const P_NULLS: usize = 8;
pub(super) const A_NULLS: usize = 9;
pub(super) const SMALL: usize = 10;
pub(super) const TEXTS: usize = 11;
pub(super) const DIGITS: usize = 12;
pub(super) const PARTS: usize = 13;
pub(super) const LISTS: usize = 14;
pub(super) const DURATIONS: usize = 15;
pub(super) const TIMES: usize = 16;
pub(super) const ZONED: usize = 17;
pub(super) const DECIMALS: usize = 18;
pub(super) const IRIS: usize = 19;
pub(super) const LITERALS: usize = 20;
pub(super) const DATE_TEXTS: usize = 21;
pub(super) const DURATION_TEXTS: usize = 22;

/// The arrays.
pub(super) struct Columns {
    pub(super) a: Vec<i64>,
    pub(super) b: Vec<i64>,
    pub(super) f: Vec<f64>,
    pub(super) small: Vec<f64>,
    pub(super) days: Vec<i32>,
    pub(super) t: Vec<i64>,
    pub(super) u: Vec<i64>,
    pub(super) p: Vec<bool>,
    pub(super) q: Vec<bool>,
    /// Sentences of some 100 bytes, seldom with the word that is looked for.
    pub(super) texts: Vec<String>,
    pub(super) digits: Vec<String>,
    /// Words between commas.
    pub(super) parts: Vec<String>,
    /// Lists as vectors have them: the first element of each among all elements, and how many it has.
    pub(super) runs: Vec<(u32, u32)>,
    pub(super) elements: Vec<i64>,
    pub(super) durations: Vec<Duration>,
    pub(super) times: Vec<Time>,
    pub(super) zoned: Vec<(i64, usize)>,
    pub(super) decimals: Vec<Decimal>,
    pub(super) iris: Vec<String>,
    pub(super) date_texts: Vec<String>,
    pub(super) duration_texts: Vec<String>,
    pub(super) nulls: Nulls,
}

impl Columns {
    pub(super) fn draw() -> Self {
        const WORDS: [&str; 8] = ["about", "graph", "of", "people", "who", "know", "one", "another"];
        let mut random = Random::new(1);
        let mut draw = |low: i64, high: i64| (0..N).map(|_| random.between(low, high)).collect::<Vec<i64>>();
        let (a, b) = (draw(-1_000, 1_000), draw(1, 500));
        let f: Vec<f64> = draw(1, 1_000_000).iter().map(|n| *n as f64 / 7.0).collect();
        let mut nulls = Nulls::NONE;
        draw(0, N as i64 - 1).iter().take(N / 5).for_each(|i| nulls.set(*i as usize, N));
        let days = draw(10_000, 16_000).iter().map(|d| *d as i32).collect();
        let (t, u) = (draw(10_000 * DAY, 16_000 * DAY), draw(10_000 * DAY, 16_000 * DAY));
        let elements = draw(0, 9).iter().flat_map(|n| [*n, n + 1, 3, 4]).collect();
        let decimals =
            draw(-100_000, 100_000).iter().map(|n| Decimal::new((*n).into(), 2).unwrap()).collect();
        let durations = draw(0, 1_000);
        let mut sentence = |i: usize| {
            let mut out = if i.is_multiple_of(16) { "needle".to_owned() } else { "the".to_owned() };
            while out.len() < 100 {
                out.push(' ');
                out.push_str(WORDS[random.below(WORDS.len())]);
            }
            out
        };
        Self {
            texts: (0..N).map(&mut sentence).collect(),
            digits: a.iter().map(ToString::to_string).collect(),
            parts: b.iter().map(|b| format!("{b},some,words,more")).collect(),
            iris: b.iter().map(|b| format!("http://example.org/things/{b}")).collect(),
            date_texts: b
                .iter()
                .map(|b| format!("20{:02}-{:02}-{:02}", b % 100, b % 12 + 1, b % 28 + 1))
                .collect(),
            duration_texts: b.iter().map(|b| format!("P{b}DT{}H", b % 24)).collect(),
            durations: durations
                .iter()
                .map(|n| Duration { months: n % 5, days: *n, seconds: 60, nanos: 1 })
                .collect(),
            times: t.iter().map(|t| Time { nanos: t.rem_euclid(DAY), offset_seconds: 3_600 }).collect(),
            zoned: t.iter().enumerate().map(|(i, t)| (*t, i % 2)).collect(),
            small: f.iter().map(|f| f / 200_000.0).collect(),
            p: a.iter().map(|n| *n > 0).collect(),
            q: b.iter().map(|n| *n > 250).collect(),
            a,
            b,
            f,
            days,
            t,
            u,
            runs: (0..N as u32).map(|i| (i * 4, 4)).collect(),
            elements,
            decimals,
            nulls,
        }
    }

    /// The same as vectors.
    pub(super) fn chunk(&self) -> Chunk<'static> {
        let of = |values: Vec<Value>| Vector::of_values(values, Positions::all(N));
        let texts = |v: &[String]| of(v.iter().map(|text| Value::string(text.as_str())).collect());
        let zone = |n: usize| Zone::Offset([3_600, -34_200][n]);
        let instant = |(t, n): &(i64, usize)| {
            let (seconds, nanos) = (t.div_euclid(1_000_000_000), t.rem_euclid(1_000_000_000) as u32);
            Value::DateTime(DateTime { seconds, nanos, zone: zone(*n) })
        };
        let literal = |text: &String| Value::Literal(Literal::in_language(text.as_str(), "en").into());
        let runs = self.runs.iter().copied();
        let child = Vector::new(Values::Int(self.elements.clone()));
        let vectors = vec![
            Vector::new(Values::Int(self.a.clone())),
            Vector::new(Values::Int(self.b.clone())),
            Vector::new(Values::Float(self.f.clone())),
            Vector::new(Values::Date(self.days.clone())),
            Vector::new(Values::DateTime(self.t.clone())),
            Vector::new(Values::DateTime(self.u.clone())),
            Vector::new(Values::Bool(self.p.clone())),
            Vector::new(Values::Bool(self.q.clone())),
            Vector { values: Values::Bool(self.p.clone()), nulls: self.nulls.clone() },
            Vector { values: Values::Int(self.a.clone()), nulls: self.nulls.clone() },
            Vector::new(Values::Float(self.small.clone())),
            texts(&self.texts),
            texts(&self.digits),
            texts(&self.parts),
            Vector::new(Values::List(Lists::new(runs, child).unwrap())),
            Vector::new(Values::Duration(self.durations.clone())),
            Vector::new(Values::Time(self.times.clone())),
            of(self.zoned.iter().map(instant).collect()),
            Vector::new(Values::Decimal(Decimals::packed(self.decimals.clone()))),
            texts(&self.iris).into_iris(),
            of(self.iris.iter().map(literal).collect()),
            texts(&self.date_texts),
            texts(&self.duration_texts),
        ];
        let group = Group { len: N, selection: Selection::All, flat: None, multiplicity: None, vectors };
        Chunk { groups: vec![group] }
    }

    /// Constants of types that have no literal.
    pub(super) fn constants(&self) -> (Value, Value, Value) {
        let date = Value::Date(Date { days: 11_000 });
        (date, Value::LocalTime(LocalTime { nanos: 1 }), Value::iri(self.iris[0].as_str()))
    }
}
