//! neo4j-style headers.

use super::{Scratch, small_chunks, try_load};
use crate::{FileGroup, Format, IdType, LoadOptions};

fn rows(texts: &[Vec<String>]) -> Vec<String> {
    texts.iter().map(|row| row.join(" ")).collect()
}

#[test]
fn nodes_by_label_set_and_relationships_by_type() {
    let scratch = Scratch::new();
    let movies = scratch.file(
        "movies.csv",
        "movieId:ID(Movie),title,year:int,tags:string[],:LABEL,junk:IGNORE\n\
         tt1,\"The \"\"Matrix\"\"\",1999,a;b,Movie,x\n\
         tt2,Reloaded,,,Movie;Sequel,y\n\
         tt3,\"\",2003,\"c\",Sequel;Movie,z\n",
    );
    let actors = scratch.file(
        "actors.csv",
        ":ID(Actor){id-type: long},name:string,born:date,:LABEL\n7,Keanu,1964-09-02,Actor\n8,Anon,,\n",
    );
    let roles = scratch.file(
        "roles.csv",
        ":START_ID(Actor),role,:END_ID(Movie),:TYPE,since:localdatetime\n7,Neo,tt1,ACTED_IN,1999-01-01T00:00\n8,,tt2,SAW,\n7,Neo,tt2,ACTED_IN,\n",
    );
    let (recorder, report) = try_load(&[roles, movies, actors], Format::Neo4jCsv, &small_chunks());
    let report = report.unwrap();
    assert_eq!((report.nodes, report.edges, report.rejected), (5, 3, 0));
    let graph = recorder.graph();
    assert_eq!(rows(&graph["(:Movie)"]), ["'tt1' 'The \"Matrix\"' 1999 ['a', 'b']"]);
    assert_eq!(rows(&graph["(:Movie:Sequel)"]), ["'tt2' 'Reloaded' null null", "'tt3' '' 2003 ['c']"]);
    assert_eq!(rows(&graph["(:Actor)"]), ["7 'Keanu' date -1947"]);
    assert_eq!(rows(&graph["(:)"]), ["8 'Anon' null"]);
    assert_eq!(
        rows(&graph["(:Actor)-[:ACTED_IN]->(:Movie)"]),
        ["7 'tt1' 'Neo' local datetime 915148800000000000", "7 'tt2' 'Neo' null"]
    );
    assert_eq!(rows(&graph["(:Actor)-[:SAW]->(:Movie)"]), ["8 'tt2' null null"]);
    let state = recorder.state.lock().unwrap();
    let movie = state.nodes.iter().find(|(spec, _)| spec.labels == ["Movie"]).unwrap();
    assert_eq!(movie.0.key_property.as_deref(), Some("movieId"));
}

#[test]
fn decimals_and_iris() {
    let scratch = Scratch::new();
    let path = scratch.file(
        "file.csv",
        "id:ID,price:decimal,home:iri,all:decimal[]\n\
         a,12.50,http://example.org/a,1;+2.0\n\
         b,,,\n\
         c,-00.5,urn:\u{e4},\"\"\n\
         d,99999999999999999999999999999999999999,a+b-c.1:,.5\n",
    );
    let (recorder, report) = try_load(&[path], Format::Neo4jCsv, &small_chunks());
    assert_eq!(report.unwrap().nodes, 4);
    let expected = [
        "'a' 12.5 <http://example.org/a> [1, 2]",
        "'b' null null null",
        "'c' -0.5 <urn:\u{e4}> []",
        "'d' 99999999999999999999999999999999999999 <a+b-c.1:> [0.5]",
    ];
    assert_eq!(rows(&recorder.graph()["(:)"]), expected);
}

#[test]
fn tables_of_two_files_have_the_properties_of_both() {
    let scratch = Scratch::new();
    let one = scratch.file("one.csv", "id:ID,:LABEL,a:int\n1,X,5\n");
    let two = scratch.file("two.csv", "id:ID,b,:LABEL\n2,hello,X\n3,there,Y\n");
    let (recorder, report) = try_load(&[one, two], Format::Neo4jCsv, &small_chunks());
    report.unwrap();
    let graph = recorder.graph();
    assert_eq!(rows(&graph["(:X)"]), ["'1' 5 null", "'2' null 'hello'"]);
    assert_eq!(rows(&graph["(:Y)"]), ["'3' 'there'"]);
}

#[test]
fn the_delimiter_is_what_the_header_has() {
    for (name, delimiter) in [("comma", ","), ("semicolon", ";"), ("tab", "\t"), ("bar", "|")] {
        let scratch = Scratch::new();
        let text = ["id:ID,a:int,b,:LABEL", "1,5,x,X"].map(|line| line.replace(',', delimiter)).join("\n");
        let file = scratch.file("nodes.csv", text);
        let (recorder, report) = try_load(&[file], Format::Neo4jCsv, &small_chunks());
        report.unwrap();
        assert_eq!(rows(&recorder.graph()["(:X)"]), ["'1' 5 'x'"], "{name}");
    }
}

#[test]
fn groups_have_one_header_and_their_labels_and_types() {
    let scratch = Scratch::new();
    scratch.file("film-header.csv", "id:ID,name,:LABEL\n");
    scratch.file("film10.csv", "3,c,\n");
    scratch.file("film2.csv", "1,a,Old\n2,'b;',\n");
    scratch.file("roles.csv", ":START_ID,:END_ID,:TYPE\n1,2,\n2,3,SEEN\n");
    let at = |name: &str| scratch.path().join(name).display().to_string();
    let group = |text: &str, is_relationships| FileGroup::parse(text, is_relationships);
    let nodes =
        group(&format!("Film:Work={},{}", at("film-header.csv"), at(r"film\d+\.csv")), false).unwrap();
    assert_eq!(nodes.files.len(), 3);
    let edges = group(&format!("IN={}", at("roles.csv")), true).unwrap();
    let options =
        LoadOptions { groups: vec![nodes, edges], id_type: IdType::Integer, quote: b'\'', ..small_chunks() };
    let (recorder, report) = try_load(&[], Format::Neo4jCsv, &options);
    report.unwrap();
    let graph = recorder.graph();
    assert_eq!(rows(&graph["(:Film:Work)"]), ["2 'b;'", "3 'c'"]);
    assert_eq!(rows(&graph["(:Film:Work:Old)"]), ["1 'a'"]);
    let edges: Vec<&String> = graph.keys().filter(|table| table.contains("-[")).collect();
    assert!(
        edges.iter().any(|t| t.contains(":IN]")) && edges.iter().any(|t| t.contains(":SEEN]")),
        "{edges:?}"
    );
    for (text, is_relationships, says) in [
        ("A=", false, "names no file"),
        ("A::B=x.csv", false, "an empty name"),
        ("A=nope*.csv", false, "no file matches"),
        ("A=nope(.csv", false, "no file matches"),
    ] {
        let error = FileGroup::parse(text, is_relationships).unwrap_err();
        assert!(error.contains(says), "{text}: {error}");
    }
    let wrong = group(&format!("X={}", at("roles.csv")), false).unwrap();
    let options = LoadOptions { groups: vec![wrong], ..small_chunks() };
    let error = try_load(&[], Format::Neo4jCsv, &options).1.unwrap_err().to_string();
    assert!(error.contains("the files are given as nodes"), "{error}");
}

#[test]
fn wrong_headers_say_what_is_wrong() {
    let cases = [
        ("a,b\n1,2\n", "neither an :ID nor a :START_ID"),
        (":START_ID,:END_ID\n1,2\n", "needs :START_ID, :END_ID and :TYPE"),
        (":ID,x:point\n1,2\n", "unknown type"),
        (":ID(A,x\n1,2\n", "no closing parenthesis"),
        (":ID{id-type:long,x\n1,2\n", "no closing brace"),
        (":ID,a,a\n1,2,3\n", "property \"a\" twice"),
        (":ID,:ID\n1,2\n", "two columns of one kind"),
        (":ID,:TYPE\n1,2\n", "both nodes and relationships"),
        (":START_ID,:END_ID,:TYPE\n1,2,T\n", "no node file has key space"),
        ("", "file is empty"),
    ];
    for (text, expected) in cases {
        let scratch = Scratch::new();
        let path = scratch.file("file.csv", text);
        let (_, report) = try_load(&[path], Format::Neo4jCsv, &small_chunks());
        let error = report.unwrap_err().to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
}

#[test]
fn zones_are_kept_and_rows_without_an_end_have_no_edge() {
    let scratch = Scratch::new();
    let nodes = scratch.file(
        "nodes.csv",
        "id:ID(N),seen:datetime,:LABEL\na,2020-06-01T12:00+02:00[Europe/Berlin],N\nb,2020-06-01T12:00Z,N\n",
    );
    let edges = scratch
        .file("edges.csv", ":START_ID(N),w:int,:END_ID(N),:TYPE\na,1,b,E\n,2,b,E\na,3,,E\n,,,E\nb,4,a,E\n");
    let (recorder, report) = try_load(&[nodes, edges], Format::Neo4jCsv, &small_chunks());
    let report = report.unwrap();
    assert_eq!((report.nodes, report.edges, report.rejected, report.without_end), (2, 2, 0, 3));
    let graph = recorder.graph();
    assert_eq!(rows(&graph["(:N)-[:E]->(:N)"]), ["'a' 'b' 1", "'b' 'a' 4"]);
    assert!(graph["(:N)"][0][1].contains("Europe/Berlin"), "{:?}", graph["(:N)"]);
}
