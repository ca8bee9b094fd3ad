//! Groups and what stands in them. Source: SPARQL 1.1 Query, rules 53 to 68.

use std::mem;
use std::ops::Range;

use super::problem::{Want, one_of, want};
use super::{Aggregates, Checked, Checker, Scope};

const PARTS: &[&str] =
    &["BIND", "EXISTS", "FILTER", "GRAPH", "MINUS", "OPTIONAL", "SELECT", "SERVICE", "UNION", "VALUES"];

/// Words that stand behind a group: one that is there was closed too late.
const BEHIND: &[&str] = &["GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET"];

impl<'a> Checker<'a> {
    /// Takes a group. Gives the variables it binds.
    pub(super) fn group(&mut self, what: Want<'_>) -> Checked<Scope<'a>> {
        let open = self.at;
        if !self.eat("{") {
            return Err(self.expected(what));
        }
        self.part_blanks();
        let allowed = self.set_aggregates(Aggregates::Elsewhere);
        let outer = mem::take(&mut self.scope);
        let is_query = self.sees_word("SELECT") && !self.is_declared_name();
        if is_query {
            self.deeper(|checker| {
                let bound = checker.select(true)?;
                checker.scope = bound;
                Ok(())
            })?;
        } else {
            self.deeper(|checker| checker.parts(open))?;
        }
        self.part_blanks();
        if !self.eat("}") {
            let what = if is_query { "\"}\" behind the sub-query" } else { "\"}\"" };
            return Err(self.unclosed(open, "}", want(what)));
        }
        self.set_aggregates(allowed);
        Ok(mem::replace(&mut self.scope, outer))
    }

    /// Whether a name with a prefix that is declared stands here.
    pub(super) fn is_declared_name(&self) -> bool {
        self.sees_prefixed() && self.undeclared_here().is_none()
    }

    /// What stands in a group, up to its end.
    fn parts(&mut self, open: usize) -> Checked {
        let mut may_have_triple = true;
        let mut moved = String::new();
        while self.byte() != b'}' {
            if self.is_at_end() {
                return Err(self.unclosed(open, "}", want("\"}\"")));
            }
            if self.sees_triple() {
                if !may_have_triple {
                    return Err(self.unexpected("end the triple before with . or go on with ; or ,"));
                }
                self.triples_of_subject(true)?;
                may_have_triple = self.eat(".");
            } else {
                let start = self.at;
                let is_filter = self.sees_word("FILTER");
                self.part()?;
                let end = self.at;
                self.eat(".");
                if is_filter && self.strict && !self.blanks_here.is_empty() && self.byte() != b'}' {
                    moved.push_str(&self.move_filter(start..end));
                }
                may_have_triple = true;
            }
        }
        if !moved.is_empty() {
            self.needs(self.at..self.at, moved);
        }
        Ok(())
    }

    /// A filter that is over, for the end of its group if it has a pattern: it ends no basic graph pattern,
    /// but the parser takes no label of a blank node behind it that stands before it.
    fn move_filter(&mut self, place: Range<usize>) -> String {
        if !self.text[place.clone()].contains('{') {
            return String::new();
        }
        let text = self.as_parsed(place.clone());
        self.sound.needed.retain(|edit| !(place.start <= edit.place.start && edit.place.end <= place.end));
        // What holds its place divides the triples before and behind it.
        self.needs(place, "FILTER(true) ");
        format!("\n{text}\n")
    }

    fn part(&mut self) -> Checked {
        if self.byte() == b'{' {
            loop {
                let bound = self.group(want("\"{\" and the other side of UNION"))?;
                self.scope.extend(bound);
                if !self.eat_word("UNION") {
                    return Ok(());
                }
            }
        }
        if self.eat_word("OPTIONAL") {
            let bound = self.group(want("\"{\" behind OPTIONAL"))?;
            self.scope.extend(bound);
            return Ok(());
        }
        if self.eat_word("MINUS") {
            return self.group(want("\"{\" behind MINUS")).map(drop);
        }
        if self.eat_word("FILTER") {
            return self.constraint("FILTER");
        }
        // Both end a basic graph pattern, which the parser does not see.
        if self.eat_word("BIND") {
            self.end_of_basic_pattern();
            return self.bind();
        }
        if self.eat_word("VALUES") {
            self.end_of_basic_pattern();
            let names = self.data_block()?;
            self.scope.extend(names);
            return Ok(());
        }
        if self.eat_word("GRAPH") {
            let name = self.variable_or_iri("a graph, such as ?g or <http://example.org/g>")?;
            let bound = self.group(want("\"{\" behind GRAPH and its name"))?;
            self.scope.extend(bound);
            self.scope.extend(name);
            return Ok(());
        }
        if self.eat_word("SERVICE") {
            self.eat_word("SILENT");
            self.variable_or_iri("the address of the service, such as <http://example.org/sparql>")?;
            let bound = self.group(want("\"{\" behind SERVICE and its address"))?;
            self.scope.extend(bound);
            return Ok(());
        }
        if self.sees_word("UNION") {
            return Err(self.unexpected("UNION stands between groups: { … } UNION { … }"));
        }
        if let Some(word) = BEHIND.iter().find(|word| self.word().eq_ignore_ascii_case(word)) {
            return Err(self.unexpected(&format!("close the group with }} before {word}")));
        }
        if let Some(problem) = self.undeclared_here() {
            return Err(problem);
        }
        if self.byte() == b'.' || self.byte() == b';' || self.byte() == b',' {
            return Err(self.unexpected("there is nothing before it that it could end"));
        }
        Err(self.expected(one_of("a triple, a part such as FILTER, OPTIONAL or GRAPH, or \"}\"", PARTS)))
    }

    fn end_of_basic_pattern(&mut self) {
        if self.strict {
            self.part_blanks();
        }
    }

    fn bind(&mut self) -> Checked {
        let open = self.at;
        self.require("(", want("\"(\" behind BIND"))?;
        self.expression()?;
        self.require_word("AS", one_of("AS and a variable: BIND(expression AS ?name)", &["AS"]))?;
        let (name, span) = self.variable("a variable behind AS")?;
        if self.scope.contains(name) {
            let primary = format!("\"?{name}\" has a value already when BIND gives it one");
            return Err(self.wrong(primary, span, "use another name, or FILTER(?a = ?b) to compare"));
        }
        self.scope.insert(name);
        if self.eat(")") { Ok(()) } else { Err(self.unclosed(open, ")", want("\")\""))) }
    }

    /// Takes what stands behind `VALUES`. Gives its variables.
    pub(super) fn data_block(&mut self) -> Checked<Vec<&'a str>> {
        const NAMES: &str = "a variable or variables in parentheses behind VALUES";
        if self.byte() != b'(' {
            let (name, _) = self.variable(NAMES)?;
            let open = self.at;
            self.require("{", want("\"{\" and values"))?;
            while self.byte() != b'}' {
                if self.byte() == b'(' {
                    let hint = format!("with parentheses around the values, write VALUES (?{name}) {{ … }}");
                    return Err(self.unexpected(&hint));
                }
                self.data_value(open)?;
            }
            self.eat("}");
            return Ok(vec![name]);
        }
        self.eat("(");
        let mut names = Vec::new();
        while !self.eat(")") {
            let (name, span) = self.variable("a variable or \")\"")?;
            if names.contains(&name) {
                let primary = format!("\"?{name}\" stands twice in VALUES");
                return Err(self.wrong(primary, span, "give it another name"));
            }
            names.push(name);
        }
        let open = self.at;
        self.require("{", want("\"{\" and rows of values"))?;
        while !self.eat("}") {
            let row = self.at;
            if !self.eat("(") {
                return Err(self.unclosed(open, "}", want("a row in parentheses or \"}\"")));
            }
            let mut count = 0;
            while self.byte() != b')' {
                self.data_value(row)?;
                count += 1;
            }
            self.at += 1;
            let span = self.since(row);
            self.space();
            if count != names.len() {
                let primary = format!("the row has {}, VALUES has {}", values(count), variables(names.len()));
                return Err(self.wrong(primary, span, "write UNDEF for no value"));
            }
        }
        Ok(names)
    }

    fn data_value(&mut self, open: usize) -> Checked {
        const VALUE: &str = "an IRI, a literal or UNDEF";
        if self.is_at_end() {
            let close = if self.byte_at(open) == b'(' { ")" } else { "}" };
            return Err(self.unclosed(open, close, want(VALUE)));
        }
        if self.sees("<<(") {
            return self.deeper(Self::data_triple);
        }
        if self.sees_word("UNDEF") && !self.is_declared_name() {
            self.eat_word("UNDEF");
            return Ok(());
        }
        if self.sees_iri() {
            return self.iri(VALUE);
        }
        if self.sees_string() {
            return self.string_literal();
        }
        if self.plain_literal() {
            return Ok(());
        }
        match self.byte() {
            b'?' | b'$' => Err(self.unexpected("VALUES has no variables: write UNDEF for no value")),
            b',' => Err(self.unexpected("values are divided by spaces")),
            b'_' | b'[' => Err(self.unexpected("VALUES has no blank nodes: a pattern finds them")),
            _ => Err(self.expected(one_of(VALUE, &["UNDEF", "true", "false"]))),
        }
    }

    fn data_triple(&mut self) -> Checked {
        let open = self.at;
        self.eat("<<(");
        self.iri("an IRI as the subject of a triple term")?;
        if self.byte() == b'a' && !self.is_declared_name() {
            self.eat("a");
        } else {
            self.iri("an IRI as the predicate of a triple term")?;
        }
        if self.sees_word("UNDEF") && !self.is_declared_name() {
            return Err(self.unexpected("a triple term has all of its parts"));
        }
        self.data_value(open)?;
        if self.eat(")>>") { Ok(()) } else { Err(self.unclosed(open, ")>>", want("\")>>\""))) }
    }
}

fn values(count: usize) -> String {
    if count == 1 { "1 value".to_owned() } else { format!("{count} values") }
}

fn variables(count: usize) -> String {
    if count == 1 { "1 variable".to_owned() } else { format!("{count} variables") }
}
