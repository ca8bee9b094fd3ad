//! Random values for property tests, from a fixed seed.

use std::sync::Arc;

use trimorph_base::{EdgeId, NodeId, Random};

use crate::temporal::ZoneId;
use crate::value::{Date, DateTime, Duration, LocalDateTime, LocalTime, Path, Relationship, Time};
use crate::{Decimal, Literal, Map, Value};

/// Random values.
pub(crate) struct Samples(Random);

impl Samples {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// `low <= n < high`.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        self.0.between(low, high - 1)
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        self.0.pick(items)
    }

    pub(crate) fn date(&mut self) -> Date {
        Date::from_days(self.between(-365_242_498_000, 365_241_779_000)).unwrap()
    }

    pub(crate) fn local_time(&mut self) -> LocalTime {
        let grain = *self.pick(&[1, 1_000, 1_000_000, 1_000_000_000, 60_000_000_000]);
        LocalTime { nanos: self.between(0, 86_400_000_000_000 / grain) * grain }
    }

    pub(crate) fn time(&mut self) -> Time {
        Time { nanos: self.local_time().nanos, offset_seconds: self.offset() }
    }

    fn offset(&mut self) -> i32 {
        let grain = *self.pick(&[1, 60, 3_600]);
        i32::try_from(self.between(-64_800 / grain, 64_800 / grain + 1) * grain).unwrap()
    }

    pub(crate) fn local_datetime(&mut self) -> LocalDateTime {
        let days = *self.pick(&[1_000, 100_000, 365_000_000_000]);
        let day = self.between(-days, days);
        LocalDateTime::from_days_and_time(day, self.local_time()).unwrap()
    }

    pub(crate) fn datetime(&mut self) -> DateTime {
        let names = [
            "Europe/Stockholm",
            "America/New_York",
            "Australia/Lord_Howe",
            "Asia/Kathmandu",
            "UTC",
            "Africa/Casablanca",
        ];
        let zone = match self.between(0, 2) {
            0 => ZoneId::Offset(self.offset()),
            _ => ZoneId::parse(self.pick::<&str>(&names)).unwrap(),
        };
        let local = self.local_datetime();
        DateTime::from_utc(local.seconds, local.nanos, &zone)
    }

    pub(crate) fn duration(&mut self) -> Duration {
        let size = *self.pick(&[2, 100, 1_000_000_000]);
        let nanos = *self.pick(&[0, 1, 500_000_000, 999_999_999]);
        let (months, days, seconds) =
            (self.between(-size, size), self.between(-size, size), self.between(-size, size));
        Duration::normalized(months, days, seconds, nanos).unwrap()
    }

    /// A value of any type, few enough different ones that pairs are often equivalent.
    pub(crate) fn value(&mut self, depth: usize) -> Value {
        let node = |random: &mut Self| NodeId(u64::try_from(random.between(0, 3)).unwrap());
        let edge = |random: &mut Self| {
            let id = u64::try_from(random.between(0, 3)).unwrap();
            Relationship { id: EdgeId(id), start: NodeId(id), end: NodeId(id + 1) }
        };
        match self.between(0, if depth == 0 { 19 } else { 23 }) {
            0 => Value::Null,
            1 => Value::Bool(self.bits() & 1 == 0),
            2 | 3 => Value::Int(*self.pick(&[0, 1, -1, i64::MAX, i64::MIN, (1 << 53) + 1])),
            4 | 5 => Value::Float(*self.pick(&[
                0.0,
                -0.0,
                1.0,
                -1.5,
                0.1,
                f64::NAN,
                -f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
                9_007_199_254_740_992.0,
                9_223_372_036_854_775_808.0,
            ])),
            6 => Value::string(*self.pick(&["", "a", "aa", "b", "é"])),
            7 => Value::Bytes(Arc::from(*self.pick(&[&[][..], &[1][..], &[1, 2][..]]))),
            8 => Value::Date(Date { days: self.between(-1, 2) }),
            9 => Value::Time(Time {
                nanos: self.between(0, 2) * 3_600_000_000_000,
                offset_seconds: i32::try_from(self.between(0, 2)).unwrap() * 3_600,
            }),
            10 => Value::DateTime(DateTime::from_utc(
                self.between(0, 2),
                0,
                &[ZoneId::UTC, ZoneId::Offset(3_600), ZoneId::Named("UTC".into())]
                    [usize::try_from(self.between(0, 3)).unwrap()],
            )),
            11 => Value::Duration(Duration {
                months: self.between(0, 2),
                days: self.between(0, 2) * 30,
                seconds: self.between(-1, 1) * 37_746,
                nanos: 0,
            }),
            12 => Value::Node(node(self)),
            13 => Value::Relationship(edge(self)),
            15 | 16 => Value::Decimal(
                Decimal::parse(self.pick::<&str>(&[
                    "0",
                    "1",
                    "-1",
                    "-1.5",
                    "0.1",
                    "-1.4999999999999999999",
                    "9223372036854775807",
                    "9223372036854775808",
                    "9007199254740992.5",
                    "99999999999999999999999999999999999999",
                ]))
                .unwrap(),
            ),
            17 => Value::iri(*self.pick(&["", "a", "http://a"])),
            18 => {
                let lexical = *self.pick(&["", "a", "b"]);
                Value::Literal(Arc::new(match self.between(0, 2) {
                    0 => Literal::in_language(lexical, *self.pick(&["en", "EN", "en-gb"])),
                    _ => Literal::of_datatype(lexical, *self.pick(&["a", "A", "en"])),
                }))
            }
            14 => {
                let hop = edge(self);
                Value::Path(Arc::new(Path { nodes: vec![hop.start, hop.end], relationships: vec![hop] }))
            }
            19 | 20 => {
                let len = self.between(0, 3);
                Value::list((0..len).map(|_| self.value(depth - 1)).collect())
            }
            _ => {
                let len = self.between(0, 3);
                let map: Map = (0..len)
                    .map(|_| (Arc::from(*self.pick(&["k", "l", "m"])), self.value(depth - 1)))
                    .collect();
                Value::map(map)
            }
        }
    }
}
