//! Characteristic sets of random rows against the columns themselves, of several versions of a table at once.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use trimorph_base::{MemoryBudget, NodeId, PropertyId, Random, TableId};
use trimorph_types::{LogicalType, Value};
use trimorph_vfs::{Pins, RegionOptions};

use crate::characteristic_sets::Place;
use crate::column::{ColumnView, SEGMENT_ROWS};
use crate::{Main, NodeChanges};
use trimorph_catalog::PropertyInfo;

const TABLE: TableId = TableId(0);
const COLUMNS: usize = 80;

/// The values that rows get, by column.
type Values = BTreeMap<usize, BTreeMap<u64, i64>>;

fn merged(main: &Main, came: Range<u64>, values: &Values) -> Main {
    let mut main = main.clone();
    let came: Vec<u64> = came.collect();
    let zones = |rows: &BTreeMap<u64, i64>| rows.keys().map(|row| row / 1_024).collect::<BTreeSet<u64>>();
    let columns = values.iter().map(|(column, rows)| (*column, zones(rows))).collect();
    let put = |column: Option<usize>, rows: Range<u64>, put: &mut dyn FnMut(u64, Value)| {
        let of_column = column.and_then(|column| values.get(&column));
        for (row, value) in of_column.into_iter().flat_map(|of| of.range(rows.clone())) {
            put(*row, Value::Int(*value));
        }
    };
    let changes = NodeChanges { came: &came, went: &[], columns: &columns, labels: None, values: &put };
    main.merge_nodes(TABLE, &changes, RegionOptions::default()).unwrap();
    main
}

/// A few values of each row, in columns at random.
fn few(random: &mut Random, rows: Range<u64>, columns: Range<usize>) -> Values {
    let mut values = Values::new();
    for row in rows {
        for _ in 0..random.below(4) {
            let column = columns.start + random.below(columns.len());
            values.entry(column).or_default().insert(row, random.below(9) as i64);
        }
    }
    values
}

fn main_of(random: &mut Random, rows: u64) -> Main {
    let mut main = Main::default();
    main.add_node_table(Vec::new());
    for id in 0..COLUMNS as u32 {
        main.add_node_column(TABLE, PropertyInfo { id: PropertyId(id), ty: LogicalType::Int });
    }
    merged(&main, 0..rows, &few(random, 0..rows, 0..COLUMNS - 2))
}

/// What is given has all columns that have a value, and besides these only such as may have changed.
fn check(main: &Main, budget: &MemoryBudget, may_change: &[u32]) {
    let pins = Arc::<Pins<'_>>::default();
    let table = &main.node_tables[0];
    let views: Vec<_> = table.columns.iter().map(|column| ColumnView::pinned(column, &pins)).collect();
    let mut had = BTreeSet::new();
    for segment in (0..table.rows).step_by(SEGMENT_ROWS) {
        let node = NodeId::new(TABLE, segment);
        let ask = || main.places_of_rows(node, true, COLUMNS, || budget.reservation());
        let places = (0..10_000).find_map(|_| ask()).expect("sets are made when they pay");
        for row in (segment..table.rows.min(segment + SEGMENT_ROWS as u64)).step_by(13) {
            let given: BTreeSet<Place> = places.of(row).collect();
            for (column, view) in (0u32..).zip(&views) {
                let (is_given, has) = (given.contains(&Place::Column(column)), !view.is_null(row));
                had.extend(has.then_some(column));
                assert!(is_given || !has, "row {row} column {column} is missing");
                assert!(
                    !is_given || has || may_change.contains(&column),
                    "row {row} column {column} is too much"
                );
            }
        }
    }
    assert!(had.len() > COLUMNS / 2, "a test without values");
}

#[test]
fn rows_have_the_columns_that_have_values() {
    let (mut random, budget) = (Random::new(5), MemoryBudget::unlimited());
    let rows = SEGMENT_ROWS as u64 + 3_000;
    let first = main_of(&mut random, rows);
    check(&first, &budget, &[]);
    assert_eq!(first.sets.count(), 2);

    // Two columns are written and rows come: the sets stay, for both versions.
    let held = budget.used_bytes();
    let (written, empty) = (7, COLUMNS - 1);
    let values = [(written, (0..2_000).map(|row| (row, 1)).collect())];
    let second = merged(&first, 0..0, &Values::from(values));
    let second = merged(&second, 0..0, &few(&mut random, 100..200, empty..empty + 1));
    check(&second, &budget, &[written as u32, empty as u32]);
    check(&first, &budget, &[]);
    assert_eq!(budget.used_bytes(), held, "nothing was made anew");

    // Where much has changed they are made anew once looking at all that has cost as much.
    let third = merged(&second, rows..rows + 500, &few(&mut random, rows..rows + 500, 0..COLUMNS));
    let all: Vec<u32> = (0..COLUMNS as u32).collect();
    check(&third, &budget, &all);
    let last = NodeId::new(TABLE, SEGMENT_ROWS as u64);
    let ask = |main: &Main| main.places_of_rows(last, true, COLUMNS, || budget.reservation());
    assert!((0..10_000).any(|_| ask(&third).is_some_and(|places| !places.have_changed())));
    check(&third, &budget, &[written as u32, empty as u32]);
    check(&first, &budget, &all);
}

#[test]
fn sets_go_when_memory_is_short() {
    let mut random = Random::new(6);
    let main = main_of(&mut random, 3_000);
    let node = NodeId::new(TABLE, 0);
    let ask = |budget: &MemoryBudget| main.places_of_rows(node, true, COLUMNS, || budget.reservation());

    // Without room there are none, and each time more is asked before the next try.
    let small = MemoryBudget::new(1_000, None);
    assert!((0..500).all(|_| ask(&small).is_none()));
    assert_eq!((main.sets.count(), small.used_bytes()), (0, 0));

    let all = MemoryBudget::new(1 << 20, None);
    let budget = MemoryBudget::new(1 << 19, Some(all.clone()));
    assert!((0..100_000).any(|_| ask(&budget).is_some()));
    assert!(budget.used_bytes() > 6_000);
    // Somebody needs all there is.
    let mut other = all.reservation();
    other.grow(1 << 20).unwrap();
    assert_eq!(main.sets.count(), 0);
    drop(other);
    assert_eq!((budget.used_bytes(), all.used_bytes()), (0, 0));
}
