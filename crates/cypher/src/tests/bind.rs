//! Queries and the plans they are bound to.

use super::bind_corpus::{bound, check_plan};
use trimorph_algebra::explain;

#[test]
fn show() {
    for q in [
        "MATCH (n:Person)-[r:KNOWS]->(m {name: 'x'}) WHERE n.age > 3 AND NOT (n)-->() RETURN n.name, count(*) AS c ORDER BY c DESC SKIP 1 LIMIT 10",
        "MATCH (n) RETURN n.name ORDER BY n.age LIMIT 3",
        "MATCH (n) OPTIONAL MATCH (n)-->(m) WHERE m.x = n.x WITH n, collect(m) AS ms RETURN n, size(ms) + 1",
        "MATCH (n) RETURN [x IN n.xs WHERE (n)-->({y: x}) | x]",
    ] {
        let b = bound(q).unwrap();
        println!("{q}\n{}", explain(&b.plan, &b.vars, &mut |_| String::new()));
        check_plan(&b);
    }
}
