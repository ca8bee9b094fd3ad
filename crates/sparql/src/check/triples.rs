//! Triples, annotations, triple terms.
//!
//! The same for patterns, templates and data: paths stand only in patterns, and data has no variables.
//!
//! Source: SPARQL 1.1 Query, rules 75 to 106; SPARQL 1.2 for reifiers and triple terms.

use super::problem::{one_of, want};
use super::{Checked, Checker};

/// What a term is, as far as it matters where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Term {
    /// A variable, IRI or blank node.
    Node,
    Literal,
    Triple,
}

const SUBJECT: &str = "a subject such as ?s or <http://example.org/s>";
const OBJECT: &str = "an object such as ?o, <http://example.org/o> or \"text\"";

impl<'a> Checker<'a> {
    /// Whether a triple may begin here.
    pub(super) fn sees_triple(&self) -> bool {
        let is_sign = matches!(self.byte(), b'?' | b'$' | b'<' | b'(' | b'[' | b'"' | b'\'' | b'+' | b'-');
        let is_point_five = self.byte() == b'.' && self.byte_at(self.at + 1).is_ascii_digit();
        is_sign
            || is_point_five
            || self.byte().is_ascii_digit()
            || self.sees("_:")
            || self.sees("true")
            || self.sees("false")
            || self.sees_prefixed() && !self.sees_glued_keyword()
    }

    /// Takes a subject with its predicates and objects.
    pub(super) fn triples_of_subject(&mut self, paths: bool) -> Checked {
        let start = self.at;
        if self.sees("<<") && !self.sees("<<(") {
            self.deeper(Self::reified)?;
            return if self.sees_verb(paths) { self.predicates(paths) } else { Ok(()) };
        }
        if self.sees_node() {
            self.node(paths)?;
            return if self.sees_verb(paths) { self.predicates(paths) } else { Ok(()) };
        }
        let term = self.term(SUBJECT)?;
        if let Some(ground) = self.ground
            && term != Term::Node
            && ground.variables
        {
            let what = if term == Term::Literal { "literal" } else { "triple term" };
            let primary = format!("a {what} cannot be a subject in {}", ground.operation);
            return Err(self.wrong(primary, self.since(start), "a subject is an IRI or a blank node"));
        }
        self.predicates(paths)
    }

    /// Whether `(…)` with something in it or `[…]` with something in it stands here.
    fn sees_node(&self) -> bool {
        match self.byte() {
            b'(' => self.byte_at(self.white(self.at + 1)) != b')',
            b'[' => self.byte_at(self.white(self.at + 1)) != b']',
            _ => false,
        }
    }

    /// Takes a list or a blank node with its predicates.
    fn node(&mut self, paths: bool) -> Checked {
        let open = self.at;
        self.blank_allowed(self.span(open, open + 1))?;
        if self.eat("[") {
            self.deeper(|checker| checker.predicates(paths))?;
            return match self.eat("]") {
                true => Ok(()),
                false => Err(self.unclosed(open, "]", want("\"]\", or ; and a predicate"))),
            };
        }
        self.eat("(");
        while !self.eat(")") {
            if self.is_at_end() {
                return Err(self.unclosed(open, ")", want("an element of the list or \")\"")));
            }
            self.deeper(|checker| checker.graph_node(paths, "an element of the list or \")\""))?;
        }
        Ok(())
    }

    /// Takes predicates with their objects.
    pub(super) fn predicates(&mut self, paths: bool) -> Checked {
        loop {
            let is_one = self.verb(paths)?;
            self.objects(paths, is_one)?;
            if self.byte() != b';' {
                return Ok(());
            }
            while self.eat(";") {}
            if !self.sees_verb(paths) {
                return Ok(());
            }
        }
    }

    fn objects(&mut self, paths: bool, is_one: bool) -> Checked {
        loop {
            self.graph_node(paths, OBJECT)?;
            self.annotations(paths, is_one)?;
            if !self.eat(",") {
                return Ok(());
            }
        }
    }

    fn annotations(&mut self, paths: bool, is_one: bool) -> Checked {
        while self.byte() == b'~' || self.sees("{|") {
            if !is_one {
                return Err(self.unexpected("only a single predicate can have annotations, not a path"));
            }
            if self.byte() == b'~' {
                self.reifier()?;
            } else {
                self.blank_allowed(self.here())?;
            }
            let open = self.at;
            if self.eat("{|") {
                self.deeper(|checker| checker.predicates(paths))?;
                if !self.eat("|}") {
                    return Err(self.unclosed(open, "|}", want("\"|}\", or ; and a predicate")));
                }
            }
        }
        Ok(())
    }

    fn reifier(&mut self) -> Checked {
        let start = self.at;
        self.eat("~");
        if self.sees_variable() {
            let (name, _) = self.variable("a variable")?;
            self.scope.insert(name);
        } else if self.sees_iri() && !self.sees_glued_keyword() {
            self.iri("an IRI")?;
        } else if !self.blank()? {
            self.blank_allowed(self.span(start, start + 1))?;
        }
        Ok(())
    }

    /// Takes what may stand where an object may.
    fn graph_node(&mut self, paths: bool, what: &str) -> Checked {
        if self.sees("<<") && !self.sees("<<(") {
            return self.deeper(Self::reified);
        }
        if self.sees_node() {
            return self.deeper(|checker| checker.node(paths));
        }
        self.term(what).map(drop)
    }

    /// `<< s p o >>`
    fn reified(&mut self) -> Checked {
        let open = self.at;
        self.eat("<<");
        self.reified_part("a subject, predicate and object within << >>")?;
        self.verb(false)?;
        self.reified_part("an object within << >>")?;
        if self.byte() == b'~' {
            self.reifier()?;
        } else {
            self.blank_allowed(self.span(open, open + 2))?;
        }
        if self.eat(">>") { Ok(()) } else { Err(self.unclosed(open, ">>", want("\">>\""))) }
    }

    fn reified_part(&mut self, what: &str) -> Checked {
        if self.sees("<<") && !self.sees("<<(") {
            return self.deeper(Self::reified);
        }
        if self.byte() == b'(' || self.sees_node() {
            return Err(self.unexpected("lists and blank nodes with properties cannot stand within << >>"));
        }
        self.term(what).map(drop)
    }

    /// `<<( s p o )>>`
    fn triple_term(&mut self) -> Checked {
        let open = self.at;
        self.eat("<<(");
        let start = self.at;
        let subject = self.triple_term_part("a subject, predicate and object within <<( )>>")?;
        if let Some(ground) = self.ground
            && ground.variables
            && subject != Term::Node
        {
            let primary = format!("only a node can be a subject in {}", ground.operation);
            return Err(self.wrong(primary, self.since(start), "a subject is an IRI or a blank node"));
        }
        self.verb(false)?;
        self.triple_term_part("an object within <<( )>>")?;
        if self.eat(")>>") { Ok(()) } else { Err(self.unclosed(open, ")>>", want("\")>>\""))) }
    }

    fn triple_term_part(&mut self, what: &str) -> Checked<Term> {
        if self.sees("<<") && !self.sees("<<(") {
            return Err(self.unexpected("within <<( )>> write <<( … )>>, not << … >>"));
        }
        if self.byte() == b'(' || self.sees_node() {
            return Err(self.unexpected("lists and blank nodes with properties cannot stand within <<( )>>"));
        }
        self.term(what)
    }

    /// Takes a variable or a term.
    pub(super) fn term(&mut self, what: &str) -> Checked<Term> {
        match self.byte() {
            b'?' | b'$' => {
                let (name, _) = self.variable(what)?;
                self.scope.insert(name);
                Ok(Term::Node)
            }
            b'<' if self.sees("<<(") => self.deeper(Self::triple_term).map(|()| Term::Triple),
            b'<' => self.iri(what).map(|()| Term::Node),
            b'"' | b'\'' => self.string_literal().map(|()| Term::Literal),
            b'(' => {
                let close = self.white(self.at + 1);
                if self.byte_at(close) != b')' {
                    return Err(self.expected(want(what)));
                }
                self.at = close + 1;
                self.space();
                Ok(Term::Node)
            }
            _ if self.sees_prefixed() => self.iri(what).map(|()| Term::Node),
            _ if self.plain_literal() => Ok(Term::Literal),
            _ if self.blank()? => Ok(Term::Node),
            _ => Err(self.expected(one_of(what, &["true", "false"]))),
        }
    }

    /// Takes a variable or an IRI.
    pub(super) fn variable_or_iri(&mut self, what: &str) -> Checked<Option<&'a str>> {
        if matches!(self.byte(), b'?' | b'$') {
            let (name, _) = self.variable(what)?;
            return Ok(Some(name));
        }
        self.iri(what).map(|()| None)
    }
}
