//! Values of versions that were written side by side: takes cells of pages, one after the other, gives one
//! vector, without a `Value` for each.

use trimorph_types::LogicalType;
use trimorph_vector::{Nulls, Texts, Values, Vector};

use crate::cells::{Cells, Data};

/// Values of one type, and nulls, in the order they came.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// None as long as all are null.
    values: Option<Values<'static>>,
    nulls: Vec<u32>,
    len: usize,
}

/// Appends the values at some places behind the `from` that there are, or should be.
fn fill<T: Copy + Default, F: Copy>(
    all: &mut Vec<T>,
    from: usize,
    own: &[F],
    places: &[usize],
    as_own: impl Fn(F) -> T,
) {
    all.resize(from, T::default());
    all.extend(places.iter().map(|at| own.get(*at).copied().map_or_else(T::default, &as_own)));
}

impl Gathered {
    /// So many nulls.
    pub(crate) fn nothing(&mut self, count: usize) {
        // Vectors are far shorter than 2^32.
        self.nulls.extend((self.len..self.len + count).map(|at| at as u32));
        self.len += count;
    }

    /// The values of cells at some places; false where they are not of the type of those before, or of none
    /// that has vectors of its own: then it is of no use any more.
    pub(crate) fn cells(&mut self, cells: &Cells, places: &[usize]) -> bool {
        let (from, date) = (self.len, |days: i64| i32::try_from(days).unwrap_or_default());
        let values = match cells.data() {
            Data::Nothing(_) => {
                self.nothing(places.len());
                return true;
            }
            Data::Any(_) => return false,
            data => self.values.get_or_insert_with(|| empty(data)),
        };
        match (cells.data(), values) {
            (Data::Bool(own), Values::Bool(all)) => fill(all, from, own, places, |b| b),
            (Data::Float(own), Values::Float(all)) => fill(all, from, own, places, |f| f),
            (Data::Int(LogicalType::Date, own), Values::Date(all)) => {
                if !places.iter().all(|at| own.get(*at).is_none_or(|days| i32::try_from(*days).is_ok())) {
                    return false;
                }
                fill(all, from, own, places, date);
            }
            (Data::Int(LogicalType::Int, own), Values::Int(all))
            | (Data::Int(LogicalType::LocalTime, own), Values::LocalTime(all))
            | (Data::Int(LogicalType::LocalDateTime, own), Values::LocalDateTime(all))
            | (Data::Int(LogicalType::DateTime, own), Values::DateTime(all)) => {
                fill(all, from, own, places, |i| i);
            }
            (Data::Text(..), Values::String(all)) => {
                all.resize(from);
                places.iter().for_each(|at| all.push(cells.text(*at).unwrap_or_default()));
            }
            _ => return false,
        }
        if cells.may_have_nulls() {
            let nulls = (from..).zip(places).filter(|(_, at)| cells.is_null(**at));
            self.nulls.extend(nulls.map(|(at, _)| at as u32));
        }
        self.len += places.len();
        true
    }

    /// All of them.
    pub(crate) fn into_vector(self) -> Vector<'static> {
        let Some(values) = self.values else { return Vector::nulls(self.len) };
        let mut nulls = Nulls::NONE;
        self.nulls.iter().for_each(|at| nulls.set(*at as usize, self.len));
        let mut vector = Vector { values, nulls };
        vector.resize(self.len);
        vector
    }
}

fn empty(data: &Data) -> Values<'static> {
    match data {
        Data::Bool(_) => Values::Bool(Vec::new()),
        Data::Float(_) => Values::Float(Vec::new()),
        Data::Text(..) => Values::String(Texts::default()),
        Data::Int(LogicalType::Date, _) => Values::Date(Vec::new()),
        Data::Int(LogicalType::LocalTime, _) => Values::LocalTime(Vec::new()),
        Data::Int(LogicalType::LocalDateTime, _) => Values::LocalDateTime(Vec::new()),
        Data::Int(LogicalType::DateTime, _) => Values::DateTime(Vec::new()),
        Data::Int(..) => Values::Int(Vec::new()),
        Data::Nothing(_) | Data::Any(_) => Values::Any(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use trimorph_base::Random;
    use trimorph_types::{Date, DateTime, LocalDateTime, LocalTime, Value, Zone};

    use super::*;

    fn draw(random: &mut Random, kind: usize) -> Value {
        let i = random.below(1_000) as i64 - 500;
        match kind {
            _ if random.below(5) == 0 => Value::Null,
            0 => Value::Int(i),
            1 => Value::Float(i as f64 / 4.0),
            2 => Value::Bool(i > 0),
            3 => Value::string("ä".repeat(random.below(9))),
            4 => Value::Date(Date { days: if random.below(60) == 0 { i64::from(i32::MAX) + 1 } else { i } }),
            5 => Value::LocalTime(LocalTime { nanos: i + 500 }),
            6 => Value::LocalDateTime(LocalDateTime { seconds: i, nanos: 7 }),
            7 => Value::DateTime(DateTime { seconds: i, nanos: 7, zone: Zone::Offset(0) }),
            8 => Value::list(vec![Value::Int(i)]),
            _ => Value::Null,
        }
    }

    /// Against the cells one by one.
    #[test]
    fn vectors_are_what_the_cells_say() {
        let mut vectors = 0;
        for seed in 0..2_000 {
            let mut random = Random::new(seed);
            let kind = random.below(10);
            let (mut gathered, mut model, mut fits) = (Gathered::default(), Vec::new(), true);
            for _ in 0..random.below(4) + 1 {
                let own = if random.below(20) == 0 { random.below(10) } else { kind };
                let mut cells = Cells::default();
                let count = random.below(40) + 1;
                (0..count).for_each(|_| cells.push(draw(&mut random, own)));
                let places: Vec<usize> = (0..count).filter(|_| random.below(4) > 0).collect();
                fits = fits && gathered.cells(&cells, &places);
                model.extend(places.iter().map(|at| cells.value(*at)));
                if fits && random.below(6) == 0 {
                    gathered.nothing(3);
                    model.extend([Value::Null, Value::Null, Value::Null]);
                }
            }
            if fits {
                vectors += 1;
                let vector = gathered.into_vector();
                let values = (0..model.len()).map(|i| vector.value(i, &|_| Value::Null));
                assert_eq!(format!("{:?}", values.collect::<Vec<_>>()), format!("{model:?}"), "seed {seed}");
            }
        }
        assert!(vectors > 1_000, "{vectors}");
    }
}
