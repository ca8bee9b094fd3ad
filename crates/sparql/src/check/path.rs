//! Property paths. Source: SPARQL 1.1 Query, rules 88 to 96.

use super::problem::want;
use super::{Checked, Checker};

const PREDICATE: &str = "a predicate such as ?p, a, foaf:name or <http://example.org/p>";

impl Checker<'_> {
    /// Whether a verb may begin here.
    pub(super) fn sees_verb(&self, paths: bool) -> bool {
        let is_path = paths && matches!(self.byte(), b'^' | b'!' | b'(');
        self.sees_variable()
            || self.byte() == b'a'
            || is_path
            || self.sees_iri() && !self.sees_glued_keyword()
    }

    /// Takes a verb. Whether it is one predicate, which a triple can be made of.
    pub(super) fn verb(&mut self, paths: bool) -> Checked<bool> {
        if matches!(self.byte(), b'?' | b'$') {
            let (name, _) = self.variable(PREDICATE)?;
            self.scope.insert(name);
            return Ok(true);
        }
        if paths {
            return self.alternatives();
        }
        self.predicate()?;
        Ok(true)
    }

    /// Takes an IRI or `a`.
    fn predicate(&mut self) -> Checked {
        if self.byte() == b'a' {
            match self.undeclared_here() {
                // The parser reads `a:b` as `a` and `:b` then.
                Some(problem) => self.blame_later(problem),
                None if self.sees_prefixed() => return self.iri(PREDICATE),
                None => {}
            }
            let word = self.word();
            if word.len() > 1 && !matches!(word, "atrue" | "afalse") && !self.sees_prefixed() {
                let problem = self.expected(want(PREDICATE));
                self.blame_later(problem);
            }
            self.at += 1;
            self.space();
            return Ok(());
        }
        if self.sees_string() || self.byte().is_ascii_digit() {
            return Err(self.unexpected("a predicate is an IRI or a variable"));
        }
        self.iri(PREDICATE)
    }

    fn alternatives(&mut self) -> Checked<bool> {
        let mut is_one = self.sequence()?;
        while self.byte() == b'|' && !self.sees("|}") {
            self.eat("|");
            self.sequence()?;
            is_one = false;
        }
        Ok(is_one)
    }

    fn sequence(&mut self) -> Checked<bool> {
        let mut is_one = self.step()?;
        while self.eat("/") {
            self.step()?;
            is_one = false;
        }
        Ok(is_one)
    }

    fn step(&mut self) -> Checked<bool> {
        // Note 16 of the grammar; the parser turns the statement round, and looks into brackets.
        let is_bare = !matches!(self.byte(), b'^' | b'(');
        self.eat("^");
        let is_one = self.primary_path()? && (is_bare || !self.strict);
        let is_repeated = match self.byte() {
            b'*' | b'+' => true,
            // The parser asks for digits and letters behind it, not for all that a variable may have.
            b'?' => !self.is_name_behind(),
            _ => false,
        };
        if is_repeated {
            self.at += 1;
            self.space();
        }
        Ok(is_one && !is_repeated)
    }

    fn primary_path(&mut self) -> Checked<bool> {
        match self.byte() {
            b'!' => {
                let start = self.at;
                self.eat("!");
                self.negated(start)?;
                Ok(false)
            }
            b'(' => {
                let open = self.at;
                self.eat("(");
                let is_one = self.deeper(Self::alternatives)?;
                if !self.eat(")") {
                    return Err(self.unclosed(
                        open,
                        ")",
                        want("\")\", or / or | and a further step of the path"),
                    ));
                }
                Ok(is_one)
            }
            b'?' | b'$' => Err(self.unexpected("a property path has no variables: write triples instead")),
            _ => {
                self.predicate()?;
                Ok(true)
            }
        }
    }

    fn negated(&mut self, start: usize) -> Checked {
        let open = self.at;
        if !self.eat("(") {
            self.eat("^");
            return self.predicate();
        }
        if self.byte() == b')' {
            self.at += 1;
            // No predicate at all is left out. The parser wants one.
            self.needs(start..self.at, "(a|!a)");
            self.space();
            return Ok(());
        }
        loop {
            self.eat("^");
            self.predicate()?;
            if !self.eat("|") {
                break;
            }
        }
        if self.eat(")") {
            return Ok(());
        }
        Err(self.unclosed(open, ")", want("| or \")\" in a negated set")))
    }
}
