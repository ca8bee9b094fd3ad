//! Entities of another database as parameters: refused by name where the snapshot has no such id, whatever
//! the query does with them; and never a panic, with any 64 bits as ids.

use std::sync::Arc;

use trimorph_base::{EdgeId, NodeId, TableId};
use trimorph_testkit::Random;
use trimorph_types::{Path, Relationship, Value};

use super::ask::{ask, created, failure, with_parameters};

const QUERIES: [&str; 22] = [
    "RETURN $x",
    "RETURN $x.n",
    "RETURN labels($x)",
    "RETURN type($x)",
    "RETURN id($x), elementId($x), properties($x), keys($x)",
    "RETURN startNode($x).n, endNode($x).n, labels(startNode($x))",
    "RETURN nodes($x), relationships($x), [n IN nodes($x) | n.n], length($x)",
    "RETURN $x:A",
    "WITH $x AS x RETURN x.n, x:A, x {.*}",
    "WITH $x AS x MATCH (x) RETURN x.n",
    "WITH $x AS x MATCH (x)--(y) RETURN y.n",
    "WITH $x AS x MATCH (x)-[r]->() RETURN r.n",
    "WITH $x AS x MATCH (y)-[x]->(z) RETURN y.n",
    "WITH $x AS x MATCH (y)-[:T*1..2]->(x) RETURN y.n",
    "WITH $x AS x MATCH p = shortestPath((x)-[*]-(y:A {n: 1})) RETURN length(p)",
    "WITH $x AS x MATCH (y)-[x*]->(z) RETURN y.n, z.n",
    "WITH $x AS x MATCH (x)-->(y)-->(z)<--(x) RETURN y.n",
    "MATCH (a:A) WHERE a = $x RETURN a.n",
    "MATCH (a)-[r]->(b) WHERE r = $x OR b = $x RETURN a.n",
    "UNWIND [$x, $x] AS x RETURN DISTINCT x ORDER BY x",
    "UNWIND [$x] AS x RETURN x, count(*), collect(x), count(DISTINCT x), max(x)",
    "WITH $x AS x WHERE EXISTS { (x)-->() } RETURN COUNT { (x)--() }, [(x)--(y) | y.n]",
];

#[test]
fn entities_of_another_database_are_refused() {
    let graph = created(&[
        "UNWIND range(1, 300) AS n CREATE (:A {n: n})",
        "UNWIND range(1, 3) AS n CREATE (:B {n: n})",
        "MATCH (a:A) MATCH (b:A) WHERE b.n = a.n + 1 CREATE (a)-[:T {n: a.n}]->(b)",
        "MATCH (a:A) MATCH (b:B) WHERE a.n < 5 CREATE (a)-[:U]->(b)",
    ]);
    let node = NodeId::new(TableId(7), 1);
    for value in [Value::Node(node), Value::list(vec![Value::Int(1), Value::Node(node)])] {
        let text = failure("RETURN $x", &graph, with_parameters(&[("x", value)]));
        assert_eq!(
            text,
            "EntityNotFound EntityNotFound: parameter \"$x\" holds a node that is not in this database"
        );
    }
    let mut random = Random::new(7);
    // Every bit of an id is set now and then, and ids that exist come often.
    let mut id = move || match random.below(4) {
        0 => random.bits(),
        1 => NodeId::new(TableId(random.below(4) as u16), random.below(400) as u64).0,
        2 => {
            let place = (random.below(4) as u64) << 20 | random.below(400) as u64;
            EdgeId::new(trimorph_base::EdgeTableId(random.below(4) as u16), place).0
        }
        _ => random.bits() >> random.below(64),
    };
    for round in 0..600 {
        let node = Value::Node(NodeId(id()));
        let relationship = Relationship { id: EdgeId(id()), start: NodeId(id()), end: NodeId(id()) };
        let value = match round % 4 {
            0 => Value::Relationship(relationship),
            1 => {
                let relationships = vec![relationship; round / 4 % 3];
                let nodes = (0..round / 12 % 4).map(|_| NodeId(id())).collect();
                Value::Path(Arc::new(Path { nodes, relationships }))
            }
            2 => Value::list(vec![node, Value::Relationship(relationship)]),
            _ => node,
        };
        // Whatever the answer: it is one, or an error that is the text's or the value's.
        for query in QUERIES {
            if let Err(e) = ask(query, &graph, with_parameters(&[("x", value.clone())])) {
                assert!(!e.to_string().contains("internal"), "{query} with {value:?}: {e}");
            }
        }
    }
}

/// Values that are put into rows as they are were looked at, too.
#[test]
fn statements_that_write_and_compute_nothing_refuse_them() {
    let database = trimorph::Database::in_memory(trimorph::Config::new());
    let c = database.connect();
    c.query("CREATE (:A {n: 1})", &[]).unwrap();
    let foreign = Value::list(vec![Value::Node(NodeId::new(TableId(7), 1))]);
    for text in [
        "CREATE (:A {n: $x})",
        "MERGE (:A {n: $x})",
        "MERGE (a:A {n: 1}) ON MATCH SET a.n = $x",
        "MATCH (a:A) SET a.n = $x",
        "MATCH (a:A) SET a.m = a.n, a.n = $x",
    ] {
        let told = c.query(text, &[("x", foreign.clone())]).expect_err(text).to_string();
        assert!(told.contains("holds a node that is not in this database"), "{text}: {told}");
        let told = c.query(text, &[]).expect_err(text).to_string();
        assert!(told.contains("parameter \"$x\" has no value"), "{text}: {told}");
        let all: i64 =
            c.query("MATCH (a:A {n: 1}) WHERE a.m IS NULL RETURN count(a)", &[]).unwrap().one().unwrap();
        assert_eq!(all, 1, "{text}");
    }
}
