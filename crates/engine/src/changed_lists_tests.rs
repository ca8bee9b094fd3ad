//! Lists that changes touched beside lists of main, asked many rows at a time: against each list by itself.

use std::collections::BTreeSet;

use trimorph_base::{NodeId, Random, TableId};
use trimorph_store::neighbours::Neighbours;
use trimorph_store::{Condition, PropertyColumn, Reader};
use trimorph_types::Value;

use crate::{Config, Database, Error, NoProgress};

/// Nodes: of three zones of marks, and many pages.
const NODES: u64 = 2_500;

/// Changes to the lists of a row, or of its neighbours.
fn change(random: &mut Random) -> String {
    let at = match random.below(4) {
        0 => 0,
        1 => NODES - 1,
        2 => 1_023,
        _ => random.below(NODES as usize) as u64,
    };
    let rows = (0..1 + random.below(3)).map(|next| (at + next as u64) % NODES);
    let rows: Vec<String> = rows.map(|row| row.to_string()).collect();
    let (rows, other, y) = (rows.join(", "), random.below(NODES as usize), random.below(1_000));
    match random.below(5) {
        0 => format!("MATCH (a:A)-[r:R]->() WHERE a.k IN [{rows}] DELETE r"),
        1 => format!(
            "MATCH (a:A)-[r:R]->() WHERE a.k IN [{rows}] WITH a, min(r.y) AS y MATCH (a)-[r:R {{y: y}}]->() DELETE r"
        ),
        2 => format!("MATCH (a:A)-[r:R]->() WHERE a.k IN [{rows}] SET r.y = {y}"),
        3 => {
            format!("MATCH (a:A), (b:A {{k: {other}}}) WHERE a.k IN [{rows}] CREATE (b)-[:R {{y: {y}}}]->(a)")
        }
        _ => {
            format!("MATCH (a:A), (b:A {{k: {other}}}) WHERE a.k IN [{rows}] CREATE (a)-[:R {{y: {y}}}]->(b)")
        }
    }
}

/// Loaded from files, so that lists have their edges in order: those of others are not counted in bulk.
fn loaded(seed: u64) -> Result<Database, Error> {
    let folder = std::env::temp_dir().join(format!("trimorph-changed-lists-{}-{seed}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut nodes = "id:ID(A),k:int,:LABEL\n".to_owned();
    let mut edges = ":START_ID(A),:END_ID(A),:TYPE,y:int\n".to_owned();
    for k in 0..NODES {
        nodes += &format!("{k},{k},A\n");
        let ends = BTreeSet::from([(k * 17 + 3) % NODES, k * k % NODES, 9]);
        edges.extend(ends.iter().map(|other| format!("{k},{other},R,{}\n", (k + other) % 1_000)));
    }
    let paths = [("nodes.csv", nodes), ("edges.csv", edges)].map(|(name, text)| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    });
    let db = Database::in_memory(Config::new().threads(1).background_merges(false));
    let options = db.load_options();
    let loaded = db.load(&paths, None, &options, &NoProgress);
    std::fs::remove_dir_all(&folder).unwrap();
    loaded.map(|_| db)
}

#[derive(Default, Debug)]
struct Asked {
    counted: [usize; 2],
    refused: usize,
}

fn check(db: &Database, random: &mut Random, asked: &mut Asked) {
    let snapshot = db.shared.snapshot();
    let reader = Reader::new(&snapshot);
    let weights: Vec<u64> = (0..NODES + 50).map(|row| row % 7).collect();
    let narrow: Vec<u16> = (0..NODES + 50).map(|row| (row % 7) as u16).collect();
    for forward in [true, false] {
        let along = Neighbours::all(&reader, 0, forward, TableId(0));
        for _ in 0..4 {
            let first = [0, random.below(NODES as usize) as u64][random.below(2)];
            let len = 1 + random.below((NODES - first) as usize);
            let len = if random.chance(30) { (NODES - first) as usize } else { len };
            let lists: Vec<(Vec<NodeId>, Vec<_>)> = (first..first + len as u64)
                .map(|row| {
                    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
                    along.list(NodeId::new(TableId(0), row)).append(&mut nodes, Some(&mut edges));
                    (nodes, edges)
                })
                .collect();
            let (mut wide, mut same) = (vec![3; len], vec![3; len]);
            along.multiply_sums(first, &weights, &mut wide);
            along.multiply_sums(first, &narrow, &mut same);
            let sums = lists.iter().map(|(nodes, _)| 3 * nodes.iter().map(|n| n.row() % 7).sum::<u64>());
            assert!(wide == same && sums.eq(wide.iter().copied()), "{first} {len} {forward}");
            let low = random.below(900) as i64;
            let (condition, column) =
                (Condition::Range(low, low + 200), PropertyColumn::of_edges(0, 0, &reader));
            let passes = |edge| match reader.edge_properties(edge).get("y") {
                Some(Value::Int(y)) => (low..=low + 200).contains(y),
                _ => false,
            };
            let counts: Vec<u64> =
                lists.iter().map(|(_, edges)| edges.iter().filter(|e| passes(**e)).count() as u64).collect();
            let mut added = vec![5; len];
            match along.add_passing(column, &condition, first, &mut added) {
                Some(()) => {
                    assert!(counts.iter().map(|count| 5 + count).eq(added), "{first} {len} {forward}");
                    asked.counted[usize::from(forward)] += 1;
                }
                None => asked.refused += 1,
            }
            if let Some(count) = along.count_passing(column, &condition, first, len as u64) {
                assert_eq!(count, counts.iter().sum::<u64>(), "{first} {len} {forward}");
            }
        }
    }
}

#[test]
fn lists_beside_changed_ones_are_counted_as_each_by_itself() -> Result<(), Error> {
    let mut asked = Asked::default();
    for seed in 0..6 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let db = loaded(seed)?;
        let c = db.connect();
        let run = |text: &str| c.query(text, &[]).map(drop);
        check(&db, &mut random, &mut asked);
        for _ in 0..12 {
            run(&change(&mut random))?;
            check(&db, &mut random, &mut asked);
        }
        // A property of another type: who counts is to look at values.
        run("MATCH (a:A {k: 40})-[r:R]->() SET r.y = 'text'")?;
        check(&db, &mut random, &mut asked);
    }
    // Forward, all but those with the text; backward, as long as nothing was written.
    println!("{asked:?}");
    assert!(asked.counted[1] > 250 && asked.counted[0] >= 6 && asked.refused > 0, "{asked:?}");
    Ok(())
}
