//! Random property values.

use std::sync::Arc;

use trimorph_types::{
    Date, DateTime, Decimal, Duration, Literal, LocalDateTime, LocalTime, LogicalType, Map, Time, Value, Zone,
};

use crate::Random;

/// What kind of values a property has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PropertyKind {
    /// Small integers, often equal: safe to add up.
    SmallInt,
    /// Integers from the whole range.
    WideInt,
    /// Floats, NaN, infinities and both zeros among them.
    Float,
    /// Short words, often equal.
    Word,
    /// Longer texts, seldom equal.
    Text,
    /// Truth values.
    Bool,
    /// Dates.
    Date,
    /// Local times.
    LocalTime,
    /// Local date-times, some too far off for nanoseconds in 64 bits.
    LocalDateTime,
    /// Instants, some in zones other than UTC.
    DateTime,
    /// Durations.
    Duration,
    /// Lists of small integers and words, nulls among them.
    List,
    /// Maps.
    Map,
    /// All of the above.
    Mixed,
}

impl PropertyKind {
    /// All kinds.
    pub const ALL: [Self; 14] = [
        Self::SmallInt,
        Self::WideInt,
        Self::Float,
        Self::Word,
        Self::Text,
        Self::Bool,
        Self::Date,
        Self::LocalTime,
        Self::LocalDateTime,
        Self::DateTime,
        Self::Duration,
        Self::List,
        Self::Map,
        Self::Mixed,
    ];

    /// The type a column of such values is declared with.
    pub fn column_type(self) -> LogicalType {
        match self {
            Self::SmallInt | Self::WideInt => LogicalType::Int,
            Self::Float => LogicalType::Float,
            Self::Word | Self::Text => LogicalType::String,
            Self::Bool => LogicalType::Bool,
            Self::Date => LogicalType::Date,
            Self::LocalTime => LogicalType::LocalTime,
            Self::LocalDateTime => LogicalType::LocalDateTime,
            Self::DateTime => LogicalType::DateTime,
            Self::Duration => LogicalType::Duration,
            Self::List => LogicalType::List,
            Self::Map => LogicalType::Map,
            Self::Mixed => LogicalType::Any,
        }
    }
}

/// Words that values and queries share, so that comparisons hit.
pub(crate) const WORDS: [&str; 8] = ["ann", "bob", "Ann", "b", "", "anna", "zoë", "o'k"];

const SPECIAL_FLOATS: [f64; 9] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    0.0,
    -0.0,
    1.0,
    f64::MIN_POSITIVE,
    9_007_199_254_740_993.0,
    -1.5,
];

/// Among them days that do not fit 32 bits.
const DAYS: [i64; 10] =
    [-365_000_000_000, -2_147_483_648, 2_147_483_647, 2_147_483_648, 0, -1, 11_016, 11_017, 11_018, 19_000];

/// A decimal, an IRI or an RDF literal; decimals are often equal to what other kinds hold.
fn random_term(random: &mut Random) -> Value {
    match random.below(6) {
        0 => Value::iri(*random.pick(&["", "http://example.org/a", "http://example.org/b"])),
        1 => Value::Literal(
            Literal::in_language(*random.pick(&WORDS), *random.pick(&["en", "EN", "de"])).into(),
        ),
        2 => Value::Literal(Literal::of_datatype(*random.pick(&WORDS), *random.pick(&["a", "b"])).into()),
        _ => {
            let unscaled = i128::from(random.between(-300, 300));
            Decimal::new(unscaled, *random.pick(&[0, 0, 1, 2, 20])).map_or(Value::Null, Value::Decimal)
        }
    }
}

/// A value of a kind; never null.
pub fn random_value(random: &mut Random, kind: PropertyKind) -> Value {
    match kind {
        PropertyKind::SmallInt => Value::Int(random.between(-3, 6)),
        PropertyKind::WideInt => Value::Int(match random.below(4) {
            0 => *random.pick(&[i64::MIN, i64::MAX, 0, -1, 1 << 53, (1 << 53) + 1]),
            1 => random.bits().cast_signed(),
            _ => random.between(1_300_000_000_000, 1_400_000_000_000),
        }),
        PropertyKind::Float if random.chance(50) => Value::Float(*random.pick(&SPECIAL_FLOATS)),
        PropertyKind::Float => Value::Float(random.between(-20, 20) as f64 / 4.0),
        PropertyKind::Word => Value::string(*random.pick(&WORDS)),
        PropertyKind::Text => {
            let words = random.below(12);
            let text: Vec<&str> = (0..words).map(|_| *random.pick(&WORDS)).collect();
            Value::string(format!("{} {}", text.join(" "), random.below(1000)))
        }
        PropertyKind::Bool => Value::Bool(random.chance(50)),
        PropertyKind::Date => Value::Date(Date { days: *random.pick(&DAYS) }),
        PropertyKind::LocalTime => Value::LocalTime(LocalTime {
            nanos: random.between(0, 23) * 3_600_000_000_000 + random.between(0, 1),
        }),
        PropertyKind::LocalDateTime => {
            let seconds =
                if random.chance(10) { random.between(-1 << 40, 1 << 40) } else { random.between(-5, 5) };
            Value::LocalDateTime(LocalDateTime { seconds, nanos: *random.pick(&[0, 1, 999_999_999]) })
        }
        PropertyKind::DateTime => {
            let zone = match random.below(10) {
                0 => Zone::Offset(3600),
                1 => Zone::Named { name: Arc::from("Europe/Stockholm"), offset_seconds: 3600 },
                _ => Zone::Offset(0),
            };
            let seconds =
                if random.chance(5) { random.between(-1 << 36, 1 << 36) } else { random.between(-5, 5) };
            Value::DateTime(DateTime { seconds, nanos: *random.pick(&[0, 500_000_000]), zone })
        }
        PropertyKind::Duration => Value::Duration(Duration {
            months: random.between(-2, 2),
            days: random.between(-2, 2),
            seconds: random.between(-100, 100),
            nanos: *random.pick(&[0, 1]),
        }),
        PropertyKind::List => {
            let items = random.below(4);
            Value::list((0..items).map(|_| list_item(random)).collect())
        }
        PropertyKind::Map => {
            let entries = random.below(3);
            let map: Map = (0..entries).map(|i| (Arc::from(["a", "b", "c"][i]), list_item(random))).collect();
            Value::map(map)
        }
        PropertyKind::Mixed => match random.below(16) {
            0 => Value::Time(Time { nanos: random.between(0, 5), offset_seconds: 3600 }),
            1 => Value::Bytes(Arc::from(&[1, 2, 3][..random.below(4)])),
            2 => Value::list(vec![random_value(random, PropertyKind::Map), Value::Null]),
            3 => random_term(random),
            _ => {
                // The last kind is this one.
                let kind = PropertyKind::ALL[random.below(PropertyKind::ALL.len() - 1)];
                random_value(random, kind)
            }
        },
    }
}

fn list_item(random: &mut Random) -> Value {
    match random.below(5) {
        0 => Value::Null,
        1 => random_value(random, PropertyKind::Word),
        _ => random_value(random, PropertyKind::SmallInt),
    }
}
