//! A small evaluator of calls of SPARQL's functions: `concat("a"@en, str(<b>))` in, the term's text out.
//!
//! Terms are written as in SPARQL, with the prefixes `xsd:` and `rdf:`; `null` is the error, `[…]` a list,
//! `#7` node 7. The answer is N-Triples text with the same prefixes, `error` for null.

use std::convert::Infallible;

use trimorph_base::{Diagnostic, NodeId};
use trimorph_types::rdf::names::{RDF, XSD, xsd};
use trimorph_types::rdf::{literal, tagged, write_nt};
use trimorph_types::{Map, Relationship, Value};
use trimorph_vector::Texts;

use crate::tests::evaluator::NOW;
use crate::{Context, GraphAccess, lookup};

/// A graph whose node 7 is `http://n/7`, node 8 a blank node, node 9 the literal 42.
pub(super) struct Named;

impl GraphAccess for Named {
    fn labels(&self, _: NodeId) -> Result<Vec<std::sync::Arc<str>>, Diagnostic> {
        Ok(Vec::new())
    }

    fn relationship_type(&self, _: &Relationship) -> Result<std::sync::Arc<str>, Diagnostic> {
        Ok("".into())
    }

    fn property(&self, _: &Value, _: &str) -> Result<Value, Diagnostic> {
        Ok(Value::Null)
    }

    fn properties(&self, _: &Value) -> Result<Map, Diagnostic> {
        Ok(Map::new())
    }

    fn resource(&self, entity: &Value) -> Result<Value, Diagnostic> {
        Ok(match entity {
            Value::Node(NodeId(7)) => Value::iri("http://n/7"),
            Value::Node(NodeId(8)) => Value::iri("_:eight"),
            Value::Node(NodeId(9)) => Value::Int(42),
            _ => Value::iri("http://n/other"),
        })
    }

    fn names(&self, nodes: &[(usize, NodeId)], len: usize) -> Option<Texts<'static>> {
        let mut names = Texts::blank(len);
        for (at, node) in nodes {
            if let Ok(Value::Iri(iri)) = self.resource(&Value::Node(*node)) {
                names.set(*at, &iri);
            }
        }
        Some(names)
    }

    fn entity_of(&self, iri: &str) -> Result<Option<Value>, Diagnostic> {
        Ok((iri == "http://n/7").then_some(Value::Node(NodeId(7))))
    }

    fn is_literal(&self, entity: &Value) -> bool {
        matches!(entity, Value::Node(NodeId(9)))
    }
}

/// Lines `call ==> answer`.
pub(super) fn check(table: &str) {
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")) {
        let (call, expected) = line.split_once(" ==> ").unwrap();
        assert_eq!(text(call), expected, "{call}");
    }
}

/// The answer of a call as text.
pub(super) fn text(call: &str) -> String {
    shown(&value(call))
}

/// The answer of a call.
pub(super) fn value(call: &str) -> Value {
    let graph = Named;
    let mut reader = Reader { rest: call, context: &Context::new(&graph, NOW, 7) };
    let value = reader.expression();
    assert_eq!(reader.rest.trim(), "", "{call}");
    value
}

/// A value as text.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "error".into(),
        Value::Node(node) => format!("#{}", node.0),
        Value::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        _ => {
            let mut out = String::new();
            let Ok(written) = write_nt(&mut out, value, &mut |value| Ok::<_, Infallible>(value.clone()));
            assert!(written, "{value:?}");
            for (namespace, prefix) in [(XSD, "xsd:"), (RDF, "rdf:")] {
                while let Some(start) = out.find(&format!("<{namespace}")) {
                    let end = start + out[start..].find('>').unwrap();
                    let name = out[start + 1 + namespace.len()..end].to_owned();
                    out.replace_range(start..=end, &format!("{prefix}{name}"));
                }
            }
            out
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
    context: &'a Context<'a>,
}

impl Reader<'_> {
    fn eat(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        self.rest.strip_prefix(token).map(|rest| self.rest = rest).is_some()
    }

    fn until(&mut self, end: impl Fn(char) -> bool) -> String {
        let (token, rest) = self.rest.split_at(self.rest.find(end).unwrap_or(self.rest.len()));
        self.rest = rest;
        token.into()
    }

    fn list(&mut self, end: &str) -> Vec<Value> {
        let mut items = Vec::new();
        while !self.eat(end) {
            items.push(self.expression());
            self.eat(",");
        }
        items
    }

    fn expression(&mut self) -> Value {
        if self.eat("[") {
            return Value::list(self.list("]"));
        }
        if self.eat("<<(") {
            let parts = self.list(")>>");
            return self.call("triple", &parts);
        }
        if self.eat("<") {
            let iri = self.until(|c| c == '>');
            self.eat(">");
            return Value::iri(iri);
        }
        if self.eat("#") {
            return Value::Node(NodeId(self.until(|c| !c.is_ascii_digit()).parse().unwrap()));
        }
        if self.eat("\"") {
            return self.quoted();
        }
        let word = self.until(|c| !c.is_alphanumeric() && !"_:.+-".contains(c));
        if self.eat("(") {
            let args = self.list(")");
            return self.call(&word, &args);
        }
        self.word(&word)
    }

    fn word(&self, word: &str) -> Value {
        match word {
            "null" => Value::Null,
            "true" | "false" => literal(word, xsd::BOOLEAN),
            _ if word.starts_with("_:") => Value::iri(word),
            _ if word.starts_with("xsd:") => Value::iri(format!("{XSD}{}", &word[4..])),
            _ if word.starts_with("rdf:") => Value::iri(format!("{RDF}{}", &word[4..])),
            _ if word.contains(['e', 'E']) => literal(word, xsd::DOUBLE),
            _ if word.contains('.') => literal(word, xsd::DECIMAL),
            _ => literal(word, xsd::INTEGER),
        }
    }

    fn quoted(&mut self) -> Value {
        let mut out = String::new();
        loop {
            let c = self.rest.chars().next().unwrap();
            self.rest = &self.rest[c.len_utf8()..];
            match c {
                '"' => break,
                '\\' => {
                    let escaped = self.rest.chars().next().unwrap();
                    self.rest = &self.rest[escaped.len_utf8()..];
                    out.push(match escaped {
                        'n' => '\n',
                        'r' => '\r',
                        't' => '\t',
                        other => other,
                    });
                }
                _ => out.push(c),
            }
        }
        if self.rest.starts_with('@') {
            self.rest = &self.rest[1..];
            let tag = self.until(|c| !c.is_alphanumeric() && c != '-');
            return tagged(&out, &tag);
        }
        if self.rest.starts_with("^^") {
            self.rest = &self.rest[2..];
            let Value::Iri(datatype) = self.expression() else { panic!() };
            return literal(&out, &datatype);
        }
        literal(&out, xsd::STRING)
    }

    fn call(&self, name: &str, args: &[Value]) -> Value {
        let function = lookup(&format!("sparql.{name}")).unwrap_or_else(|| panic!("no function {name}"));
        let value = function.invoke(self.context, args).unwrap();
        let types: Vec<_> = args.iter().map(Value::logical_type).collect();
        let declared = (function.result)(&types);
        assert!(
            value.is_null()
                || declared == trimorph_types::LogicalType::Any
                || declared == value.logical_type(),
            "{name} of {args:?} says {declared}, gives {value:?}"
        );
        value
    }
}
