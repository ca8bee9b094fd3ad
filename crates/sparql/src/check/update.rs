//! Operations of updates, quads. Source: SPARQL 1.1 Query, rules 29 to 52.

use super::problem::{one_of, want};
use super::{Checked, Checker, Ground};

const GRAPH: &str = "a graph such as <http://example.org/g>";

impl Checker<'_> {
    /// A text of operations.
    pub(super) fn update_unit(&mut self) -> Checked {
        let start = self.at;
        self.space();
        self.prologue()?;
        let first = start..self.at;
        let mut is_first = true;
        // The parser takes a semicolon behind nothing.
        let begin = self.at;
        if !self.strict && self.eat(";") && !self.is_at_end() {
            self.at = begin;
        }
        while !self.is_at_end() {
            if !is_first && ["BASE", "PREFIX", "VERSION"].iter().any(|word| self.sees_word(word)) {
                if self.sound.prologues.is_empty() {
                    self.sound.prologues.push(first.clone());
                }
                let start = self.at;
                self.prologue()?;
                self.sound.prologues.push(start..self.at);
                if self.is_at_end() {
                    break;
                }
            }
            self.operation()?;
            self.blanks_used.clear();
            self.blanks_here.clear();
            is_first = false;
            if self.is_at_end() {
                break;
            }
            if !self.eat(";") {
                return Err(self.behind_operation());
            }
        }
        Ok(())
    }

    fn behind_operation(&self) -> Box<trimorph_base::Diagnostic> {
        let word = self.word();
        match self.byte() {
            b'}' | b')' => {
                let sign = char::from(self.byte());
                self.unexpected(&format!("take it away: there is nothing open that this \"{sign}\" closes"))
            }
            _ if ["INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "WITH"]
                .iter()
                .any(|known| word.eq_ignore_ascii_case(known)) =>
            {
                self.unexpected("put ; between operations")
            }
            _ if ["SELECT", "ASK", "CONSTRUCT", "DESCRIBE"]
                .iter()
                .any(|known| word.eq_ignore_ascii_case(known)) =>
            {
                self.unexpected("queries and updates are texts of their own")
            }
            _ => self
                .expected(one_of("; and a further operation, or the end of the text", &["WHERE", "USING"])),
        }
    }

    fn operation(&mut self) -> Checked {
        if self.eat_word("INSERT") {
            if self.eat_word("DATA") {
                return self.data("INSERT DATA", false);
            }
            self.quads(None)?;
            self.blanks_here.clear();
            return self.modify_where("INSERT { … }");
        }
        if self.eat_word("DELETE") {
            if self.eat_word("DATA") {
                return self.data("DELETE DATA", true);
            }
            if self.eat_word("WHERE") {
                return self.quads(Some(Ground {
                    operation: "DELETE WHERE",
                    variables: false,
                    blanks: true,
                }));
            }
            return self.delete_template();
        }
        if self.eat_word("WITH") {
            self.iri(GRAPH)?;
            if self.eat_word("DELETE") {
                return self.delete_template();
            }
            self.require_word("INSERT", one_of("DELETE or INSERT behind WITH", &["DELETE", "INSERT"]))?;
            self.quads(None)?;
            self.blanks_here.clear();
            return self.modify_where("INSERT { … }");
        }
        if self.eat_word("LOAD") {
            self.eat_word("SILENT");
            self.iri("the address of a document, such as <http://example.org/data.ttl>")?;
            return if self.eat_word("INTO") { self.graph_ref("INTO") } else { Ok(()) };
        }
        if self.eat_word("CLEAR") {
            return self.graphs("CLEAR");
        }
        if self.eat_word("DROP") {
            return self.graphs("DROP");
        }
        if self.eat_word("CREATE") {
            self.eat_word("SILENT");
            return self.graph_ref("CREATE");
        }
        for word in ["ADD", "MOVE", "COPY"] {
            if self.eat_word(word) {
                self.eat_word("SILENT");
                self.graph_or_default(word)?;
                self.require_word("TO", one_of("TO and a graph", &["TO"]))?;
                return self.graph_or_default("TO");
            }
        }
        Err(self.no_statement())
    }

    fn delete_template(&mut self) -> Checked {
        self.quads(Some(Ground { operation: "DELETE", variables: false, blanks: true }))?;
        self.blanks_here.clear();
        if self.eat_word("INSERT") {
            self.quads(None)?;
            self.blanks_here.clear();
            return self.modify_where("INSERT { … }");
        }
        self.modify_where("DELETE { … }")
    }

    fn modify_where(&mut self, behind: &str) -> Checked {
        while self.eat_word("USING") {
            self.eat_word("NAMED");
            self.iri(GRAPH)?;
        }
        if !self.eat_word("WHERE") {
            if self.byte() == b'{' {
                return Err(self.unexpected("write WHERE before the pattern"));
            }
            let words =
                format!("WHERE and a pattern behind {behind}; what needs none is INSERT DATA or DELETE DATA");
            return Err(self.expected(one_of(&words, &["WHERE", "USING", "INSERT"])));
        }
        if self.strict {
            self.blanks_used.extend(self.where_blanks.iter());
        }
        self.group(want("\"{\" and a pattern"))?;
        self.where_blanks.extend(self.blanks_used.iter());
        Ok(())
    }

    fn data(&mut self, operation: &'static str, blanks: bool) -> Checked {
        self.quads(Some(Ground { operation, variables: true, blanks }))?;
        if !blanks {
            let here = std::mem::take(&mut self.blanks_here);
            self.data_blanks.extend(here);
        }
        Ok(())
    }

    /// Triples, and those of graphs, in braces.
    fn quads(&mut self, ground: Option<Ground>) -> Checked {
        let open = self.at;
        self.require("{", one_of("\"{\", DATA or WHERE", &["DATA", "WHERE"]))?;
        self.ground = ground;
        let mut may_have_triple = true;
        loop {
            if self.sees_triple() {
                if self.strict && !may_have_triple {
                    return Err(self.unexpected("end the triple before with . or go on with ; or ,"));
                }
                self.triples_of_subject(false)?;
                may_have_triple = self.eat(".");
            } else if self.eat_word("GRAPH") {
                may_have_triple = true;
                let name = self.at;
                self.ground = None;
                self.variable_or_iri(GRAPH)?;
                self.ground = ground;
                let open = self.at;
                self.require("{", want("\"{\" behind GRAPH and its name"))?;
                // The parser takes a variable for a graph that nothing is said of.
                let is_told = self.strict || self.byte() != b'}';
                if is_told && matches!(self.byte_at(name), b'?' | b'$') {
                    let behind = std::mem::replace(&mut self.at, name);
                    self.variable(GRAPH)?;
                    self.at = behind;
                }
                while self.sees_triple() {
                    self.triples_of_subject(false)?;
                    if !self.eat(".") {
                        break;
                    }
                }
                if !self.eat("}") {
                    return Err(self.behind_triple(open));
                }
                self.eat(".");
            } else {
                break;
            }
        }
        self.ground = None;
        if self.eat("}") { Ok(()) } else { Err(self.behind_triple(open)) }
    }

    fn behind_triple(&self, open: usize) -> Box<trimorph_base::Diagnostic> {
        let word = self.word();
        let pattern_words = ["FILTER", "OPTIONAL", "BIND", "VALUES", "UNION", "MINUS", "SELECT"];
        if pattern_words.iter().any(|known| word.eq_ignore_ascii_case(known)) {
            let hint =
                format!("{} stands in WHERE, not in what is inserted or deleted", word.to_ascii_uppercase());
            return self.unexpected(&hint);
        }
        if let Some(problem) = self.undeclared_here() {
            return problem;
        }
        self.unclosed(open, "}", one_of("a triple, GRAPH or \"}\"", &["GRAPH"]))
    }

    fn graph_ref(&mut self, behind: &str) -> Checked {
        let words = format!("GRAPH and its name behind {behind}");
        self.require_word("GRAPH", one_of(&words, &["GRAPH"]))?;
        self.iri(GRAPH)
    }

    fn graphs(&mut self, behind: &str) -> Checked {
        self.eat_word("SILENT");
        if self.eat_word("DEFAULT") || self.eat_word("NAMED") || self.eat_word("ALL") {
            return Ok(());
        }
        let words = format!("GRAPH and its name, DEFAULT, NAMED or ALL behind {behind}");
        self.require_word("GRAPH", one_of(&words, &["GRAPH", "DEFAULT", "NAMED", "ALL", "SILENT"]))?;
        self.iri(GRAPH)
    }

    fn graph_or_default(&mut self, behind: &str) -> Checked {
        if self.eat_word("DEFAULT") {
            return Ok(());
        }
        self.eat_word("GRAPH");
        if !self.sees_iri() {
            let words = format!("a graph such as <http://example.org/g>, or DEFAULT, behind {behind}");
            return Err(self.expected(one_of(&words, &["DEFAULT", "GRAPH", "SILENT", "TO"])));
        }
        self.iri(GRAPH)
    }
}
