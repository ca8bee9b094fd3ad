//! Expressions, calls, aggregates. Source: SPARQL 1.1 Query, rules 69 to 72 and 107 to 128.

use std::mem;

use trimorph_base::{Span, arguments_in_words, nearest};

use super::problem::{one_of, want};
use super::words::{Call, FUNCTIONS, MODIFIERS};
use super::{Aggregates, Checked, Checker, Edit, How, Used};

const VALUE: &str = "a value: a variable, a literal, an IRI or a call";

/// Functions that the parser takes only with the bracket at their name.
const TIGHT: &[&str] = &["CONCAT", "COALESCE"];

impl<'a> Checker<'a> {
    /// Takes an expression.
    pub(super) fn expression(&mut self) -> Checked {
        self.deeper(Self::alternatives_of_logic)
    }

    fn alternatives_of_logic(&mut self) -> Checked {
        loop {
            self.comparison()?;
            if !self.eat("||") && !self.eat("&&") {
                return Ok(());
            }
        }
    }

    fn comparison(&mut self) -> Checked {
        self.sum()?;
        if self.byte() == b'<' {
            self.check_less()?;
        }
        for sign in ["=", "!=", ">=", ">", "<=", "<"] {
            if self.sees(sign) {
                if self.sees("==") || self.sees("<>") {
                    return Err(self.expected(want("a comparison")));
                }
                self.eat(sign);
                self.sum()?;
                if matches!(self.byte(), b'=' | b'<' | b'>') || self.sees("!=") {
                    return Err(self.unexpected("compare two values at a time, and join comparisons with &&"));
                }
                return Ok(());
            }
        }
        if self.sees_word("IN") || self.eat_word("NOT") {
            self.require_word("IN", one_of("IN behind NOT", &["IN"]))?;
            return self.arguments("IN").map(drop);
        }
        Ok(())
    }

    /// `?x<?a&&?b>?y` has an IRI in it, as the standard reads it.
    fn check_less(&self) -> Checked {
        let rest = &self.rest()[1..];
        let is_part = |c: char| c > ' ' && !"<>\"{}|^`\\".contains(c);
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        if !self.strict || end == 0 || !rest[end..].starts_with('>') {
            return Ok(());
        }
        let place = self.span(self.at, self.at + end + 2);
        let primary = format!("\"<{}>\" is an IRI, and cannot stand here", &rest[..end]);
        Err(self.wrong(primary, place, "put a space behind <"))
    }

    fn sum(&mut self) -> Checked {
        loop {
            self.unary()?;
            let is_more =
                self.eat("+") || self.eat("-") || self.eat("*") || !self.sees("//") && self.eat("/");
            if !is_more {
                return Ok(());
            }
        }
    }

    fn unary(&mut self) -> Checked {
        while self.byte() == b'!' && !self.sees("!=") {
            self.eat("!");
        }
        if matches!(self.byte(), b'+' | b'-') {
            self.at += 1;
            self.space();
        }
        self.primary()
    }

    fn primary(&mut self) -> Checked {
        match self.byte() {
            b'(' => self.bracketed(),
            b'?' | b'$' => {
                let (name, place) = self.variable(VALUE)?;
                self.note_used(name, place, How::Plainly);
                Ok(())
            }
            b'"' | b'\'' => self.string_literal(),
            b'<' if self.sees("<<(") => self.deeper(Self::triple_value),
            b'<' if self.sees("<<") => Err(self.unexpected("in an expression write <<( s p o )>>")),
            b'<' => self.call_or_iri(),
            b')' | b',' | b'}' => Err(self.expected(want(VALUE))),
            _ if self.sees_prefixed() => self.call_or_iri(),
            _ if self.plain_literal() => Ok(()),
            _ => self.built_in(),
        }
    }

    pub(super) fn note_used(&mut self, name: &'a str, place: Span, how: How) {
        if self.note_bare {
            let how = if self.is_guarded && how == How::Plainly { How::Guarded } else { how };
            self.bare.push(Used { name, place, how });
        }
    }

    /// `<<( s p o )>>` as a value.
    fn triple_value(&mut self) -> Checked {
        let open = self.at;
        self.eat("<<(");
        if self.strict && !matches!(self.byte(), b'?' | b'$') && !self.sees_iri() {
            return Err(self.unexpected("the subject of a triple term is an IRI or a variable"));
        }
        self.triple_value_part()?;
        if matches!(self.byte(), b'?' | b'$') {
            let (name, place) = self.variable("a predicate")?;
            self.note_used(name, place, How::Plainly);
        } else {
            self.verb(false)?;
        }
        self.triple_value_part()?;
        if self.eat(")>>") { Ok(()) } else { Err(self.unclosed(open, ")>>", want("\")>>\""))) }
    }

    fn triple_value_part(&mut self) -> Checked {
        match self.byte() {
            b'<' if self.sees("<<(") => self.deeper(Self::triple_value),
            b'?' | b'$' | b'"' | b'\'' => self.primary(),
            _ if self.sees_iri() => self.iri(VALUE),
            _ if self.plain_literal() => Ok(()),
            _ => Err(self.expected(want("a variable, an IRI or a literal"))),
        }
    }

    /// `(expression)`
    pub(super) fn bracketed(&mut self) -> Checked {
        let open = self.at;
        self.require("(", want("\"(\""))?;
        self.expression()?;
        if self.eat(")") { Ok(()) } else { Err(self.unclosed(open, ")", want("an operator or \")\""))) }
    }

    fn call_or_iri(&mut self) -> Checked {
        self.called_iri()?;
        if self.byte() != b'(' {
            self.sound.calls.pop();
            return Ok(());
        }
        self.arguments("the function").map(drop)
    }

    /// Takes an IRI and notes it as one that is called.
    fn called_iri(&mut self) -> Checked {
        let start = self.at;
        let iri = self.whole_iri(VALUE)?;
        let written = self.text[start..self.at].trim_end();
        let place = self.span(start, start + written.len());
        self.sound.calls.push((iri, place));
        Ok(())
    }

    /// Takes expressions in parentheses. Gives how many, and the place of the last parenthesis.
    fn arguments(&mut self, of: &str) -> Checked<(usize, usize)> {
        let open = self.at;
        self.require("(", want(&format!("\"(\" behind {of}")))?;
        let mut count = 0;
        if self.byte() != b')' {
            loop {
                if self.word().eq_ignore_ascii_case("DISTINCT") {
                    return Err(self.unexpected("only aggregates have DISTINCT"));
                }
                self.expression()?;
                count += 1;
                if !self.eat(",") {
                    break;
                }
            }
        }
        let close = self.at;
        if self.eat(")") {
            Ok((count, close))
        } else {
            Err(self.unclosed(open, ")", want("an operator, \",\" or \")\"")))
        }
    }

    /// What `FILTER`, `HAVING` and `ORDER BY` have: something in parentheses, or a call.
    pub(super) fn constraint(&mut self, of: &str) -> Checked {
        match self.byte() {
            b'(' => self.bracketed(),
            _ if self.sees_iri() => {
                self.called_iri()?;
                if self.byte() != b'(' {
                    return Err(self.expected(want("\"(\" and the arguments of the function")));
                }
                self.arguments("the function").map(drop)
            }
            b'?' | b'$' | b'!' | b'"' | b'\'' | b'-' | b'+' | b'0'..=b'9' => {
                Err(self.unexpected(&format!("put the condition in parentheses: {of}(…)")))
            }
            _ => self.built_in(),
        }
    }

    /// Whether a call without prefix begins here.
    pub(super) fn sees_call(&self) -> bool {
        let word = self.word();
        let is = |known: &str| word.eq_ignore_ascii_case(known);
        if MODIFIERS.iter().any(|known| self.sees_word(known)) {
            return false;
        }
        FUNCTIONS.iter().any(|(name, _)| is(name))
            || self.sees_word("EXISTS")
            || self.sees_word("NOT")
            || !word.is_empty() && self.byte_at(self.white(self.at + word.len())) == b'('
    }

    /// Takes a call of a function that needs no prefix, or `EXISTS`.
    fn built_in(&mut self) -> Checked {
        let start = self.at;
        let word = self.word();
        if let Some((name, call)) = FUNCTIONS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)) {
            self.at += word.len();
            let name_place = self.since(start);
            self.space();
            let bracket = self.at;
            if self.byte() != b'(' {
                return Err(self.expected(want(&format!("\"(\" behind {name}"))));
            }
            return self.call(name, *call, name_place, bracket);
        }
        if self.eat_word("EXISTS") || self.eat_words("NOT", "EXISTS") {
            return self.exists();
        }
        if !word.is_empty() && self.byte_at(self.white(start + word.len())) == b'(' {
            let place = self.span(start, start + word.len());
            let hint = match nearest(word, FUNCTIONS.iter().map(|(name, _)| *name)) {
                Some(near) => format!("did you mean {near}?"),
                None => "functions that are not SPARQL's own are IRIs, such as xsd:date(?x)".to_owned(),
            };
            if !matches!(word.to_ascii_uppercase().as_str(), "AND" | "OR" | "NOT") {
                return Err(self.wrong(format!("there is no function \"{word}\""), place, hint));
            }
        }
        Err(self.expected(one_of(VALUE, &["true", "false", "EXISTS"])))
    }

    /// The pattern of `EXISTS`. It ends no basic graph pattern around it, which goes on behind the filter.
    fn exists(&mut self) -> Checked {
        let noted = mem::replace(&mut self.note_bare, false);
        let guarded = mem::replace(&mut self.is_guarded, false);
        let around = self.blanks_here.clone();
        self.group(want("\"{\" behind EXISTS"))?;
        if self.strict {
            self.blanks_used.retain(|name| !around.contains(name));
            self.blanks_here = around;
        }
        self.is_guarded = guarded;
        self.note_bare = noted;
        Ok(())
    }

    fn call(&mut self, name: &'static str, call: Call, place: Span, bracket: usize) -> Checked {
        match call {
            Call::Variable => {
                self.eat("(");
                if !matches!(self.byte(), b'?' | b'$') {
                    return Err(self.unexpected("BOUND asks of a variable: BOUND(?x)"));
                }
                let (name, place) = self.variable("a variable")?;
                self.note_used(name, place, How::Bound);
                self.require(")", want("\")\" behind the variable"))
            }
            Call::Arguments(min, max) => {
                let guarded = self.is_guarded;
                self.is_guarded |= name == "COALESCE";
                let (count, close) = self.arguments(name)?;
                self.is_guarded = guarded;
                if count < min || count > max {
                    return Err(self.wrong_count(name, (min, max), count, place));
                }
                self.note_call(name, count, place, bracket, close);
                Ok(())
            }
            Call::Aggregate | Call::Count | Call::GroupConcat => self.aggregate(name, call, place, bracket),
        }
    }

    fn wrong_count(
        &self,
        name: &str,
        (min, max): (usize, usize),
        count: usize,
        place: Span,
    ) -> Box<trimorph_base::Diagnostic> {
        let primary = format!("{name} takes {}, not {count}", arguments_in_words(min, max));
        let list = (0..min).map(|_| "…").collect::<Vec<_>>().join(", ");
        self.wrong(primary, place, format!("write {name}({list})"))
    }

    /// Edits of a call: the parser wants some brackets at the name, and reads some calls twice unless they
    /// have all their arguments.
    fn note_call(&mut self, name: &str, count: usize, place: Span, bracket: usize, close: usize) {
        let end = place.end as usize;
        if end < bracket && (TIGHT.contains(&name) || name == "BNODE" && count == 0) {
            self.needs(end..bracket, "");
        }
        // `FILTER` and its like within brackets aside, nothing but spaces may stand in `()`.
        if count == 0 && close > bracket + 1 && self.white(bracket + 1) != close {
            self.needs(bracket + 1..close, "");
        }
        let last = match (name, count) {
            ("REGEX", 2) | ("REPLACE", 3) => ", \"\"",
            ("SUBSTR", 2) => ", 9223372036854775807",
            _ => return,
        };
        self.sound.faster.push(Edit { place: close..close, text: last.to_owned() });
    }

    fn aggregate(&mut self, name: &'static str, call: Call, place: Span, bracket: usize) -> Checked {
        const WHERE: &str = "use it in SELECT, HAVING or ORDER BY of a query or sub-query";
        if self.strict && self.aggregates == Aggregates::Nested {
            let primary = format!("the aggregate {name} stands in another one");
            return Err(self.wrong(primary, place, "compute the inner one in a sub-query"));
        }
        let is_elsewhere = self.strict && self.aggregates == Aggregates::Elsewhere;
        match self.levels.last_mut() {
            Some(level) if !is_elsewhere => {
                level.aggregate.get_or_insert(place);
            }
            _ => return Err(self.wrong(format!("the aggregate {name} cannot stand here"), place, WHERE)),
        }
        self.eat("(");
        self.eat_word("DISTINCT");
        let noted = mem::replace(&mut self.note_bare, false);
        let allowed = self.set_aggregates(Aggregates::Nested);
        if self.byte() == b'*' {
            if call != Call::Count {
                return Err(self.unexpected("only COUNT has *"));
            }
            self.eat("*");
        } else if self.byte() == b')' {
            let hint = if call == Call::Count {
                "write COUNT(*) or COUNT(?x)"
            } else {
                "write what it is of, such as ?x"
            };
            return Err(self.unexpected(hint));
        } else {
            self.expression()?;
        }
        self.note_bare = noted;
        self.set_aggregates(allowed);
        if call == Call::GroupConcat {
            if self.byte() == b',' {
                return Err(self.unexpected("write GROUP_CONCAT(?x; SEPARATOR=\", \")"));
            }
            if self.eat(";") {
                self.require_word("SEPARATOR", one_of("SEPARATOR", &["SEPARATOR"]))?;
                self.require("=", want("= and a string behind SEPARATOR"))?;
                if !self.sees_string() {
                    return Err(self.expected(want("a string behind SEPARATOR=")));
                }
                self.string()?;
                self.space();
            } else {
                let text = "; SEPARATOR=\" \"".to_owned();
                self.sound.faster.push(Edit { place: self.at..self.at, text });
            }
        } else if self.byte() == b',' {
            return Err(self.unexpected(&format!("{name} is of one expression")));
        }
        if self.eat(")") { Ok(()) } else { Err(self.unclosed(bracket, ")", want("an operator or \")\""))) }
    }
}
