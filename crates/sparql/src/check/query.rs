//! The four forms, `SELECT` and what may be said of it, solution modifiers.
//!
//! Source: SPARQL 1.1 Query, rules 1 to 28; §18.2.4 and §19.8, notes 12 and 13, for names.

use std::mem;

use trimorph_base::Span;

use super::problem::{one_of, want};
use super::words::MODIFIERS;
use super::{Checked, Checker, Level, Scope};

/// Words that statements begin with.
const FORMS: &[&str] = &[
    "ADD",
    "ASK",
    "BASE",
    "CLEAR",
    "CONSTRUCT",
    "COPY",
    "CREATE",
    "DELETE",
    "DESCRIBE",
    "DROP",
    "INSERT",
    "LOAD",
    "MOVE",
    "PREFIX",
    "SELECT",
    "WITH",
];

/// Names with their places.
type Names<'a> = Vec<(&'a str, Span)>;

/// What is selected: its name and place, and the variables of its expression if it has one.
type Item<'a> = (&'a str, Span, Option<Names<'a>>);

/// What a query selects.
#[derive(Default)]
struct Selected<'a> {
    /// All variables, by `*`.
    all: Option<Span>,
    items: Vec<Item<'a>>,
}

/// What stands behind a pattern.
#[derive(Default)]
struct Modifiers<'a> {
    /// `GROUP BY`, and the variables it leaves.
    group: Option<(Span, Scope<'a>)>,
    /// Variables of `VALUES`.
    values: Vec<&'a str>,
}

impl<'a> Checker<'a> {
    /// A text of one query.
    pub(super) fn query_unit(&mut self) -> Checked {
        self.space();
        self.prologue()?;
        if self.sees_word("SELECT") {
            self.select(false)?;
        } else if self.eat_word("CONSTRUCT") {
            self.construct()?;
        } else if self.eat_word("DESCRIBE") {
            self.describe()?;
        } else if self.eat_word("ASK") {
            self.dataset()?;
            self.where_group()?;
            self.modifiers_without_groups("ASK")?;
        } else {
            return Err(self.no_statement());
        }
        self.end()
    }

    /// No statement begins here.
    pub(super) fn no_statement(&self) -> Box<trimorph_base::Diagnostic> {
        if self.byte() == b'@' {
            return self.unexpected("write PREFIX or BASE, without @ and without a point at the end");
        }
        if self.byte() == b'.' {
            return self.unexpected("PREFIX and BASE end without a point");
        }
        self.expected(one_of(
            "SELECT, ASK, CONSTRUCT, DESCRIBE, or an update such as INSERT or DELETE",
            FORMS,
        ))
    }

    /// Nothing is left.
    fn end(&mut self) -> Checked {
        if self.is_at_end() {
            return Ok(());
        }
        let word = self.word();
        Err(match self.byte() {
            b'}' | b')' => {
                let hint = format!(
                    "take it away: there is nothing open that this \"{}\" closes",
                    char::from(self.byte())
                );
                self.unexpected(&hint)
            }
            b';' => self.unexpected("a query is alone in its text, and ends without ;"),
            _ if MODIFIERS.iter().any(|known| word.eq_ignore_ascii_case(known)) => self.unexpected(
                "write GROUP BY, HAVING, ORDER BY, LIMIT or OFFSET, VALUES in this order, each once",
            ),
            _ if word.eq_ignore_ascii_case("FROM") => {
                self.unexpected("FROM stands before the pattern of a whole query")
            }
            _ => self.expected(one_of("the end of the query", MODIFIERS)),
        })
    }

    /// `BASE`, `PREFIX`, `VERSION`.
    pub(super) fn prologue(&mut self) -> Checked {
        loop {
            if self.eat_word("BASE") {
                let iri = self.iri_ref("an IRI such as <http://example.org/> behind BASE")?;
                self.base = Some(iri);
            } else if self.eat_word("PREFIX") {
                let prefix = self.prefix()?;
                let iri = self.iri_ref("an IRI such as <http://example.org/> behind the prefix")?;
                self.prefixes.insert(prefix, iri.into_inner());
            } else if self.eat_word("VERSION") {
                if !self.sees_string() || self.sees("'''") || self.sees("\"\"\"") {
                    return Err(self.expected(want("a version in quotes, such as \"1.2\"")));
                }
                self.string()?;
                self.space();
            } else {
                return Ok(());
            }
        }
    }

    fn dataset(&mut self) -> Checked {
        while self.eat_word("FROM") {
            self.eat_word("NAMED");
            self.iri("a graph such as <http://example.org/g> behind FROM")?;
        }
        Ok(())
    }

    /// Takes the pattern of a query. The variables it binds become those of the scope.
    fn where_group(&mut self) -> Checked {
        let is_said = self.eat_word("WHERE");
        if !is_said && self.byte() != b'{' && self.word().len() > 1 {
            return Err(self.expected(one_of("WHERE or \"{\"", &["WHERE", "FROM"])));
        }
        self.scope = self.group(want("\"{\" and a pattern"))?;
        Ok(())
    }

    /// Takes a query that selects. Gives the variables it binds.
    pub(super) fn select(&mut self, is_within: bool) -> Checked<Scope<'a>> {
        self.eat_word("SELECT");
        self.levels.push(Level::default());
        let selected = self.selection()?;
        if is_within && self.word().eq_ignore_ascii_case("FROM") {
            return Err(self.unexpected("FROM stands in the whole query, not in a sub-query"));
        }
        if !is_within {
            self.dataset()?;
        }
        self.where_group()?;
        let modifiers = self.modifiers()?;
        self.resolve(&selected, &modifiers)
    }

    fn selection(&mut self) -> Checked<Selected<'a>> {
        const ITEMS: &str = "variables, (expression AS ?name), or *";
        if !self.eat_word("DISTINCT") {
            self.eat_word("REDUCED");
        }
        let mut selected = Selected::default();
        if self.byte() == b'*' {
            selected.all = Some(self.span(self.at, self.at + 1));
            self.eat("*");
            return Ok(selected);
        }
        loop {
            if matches!(self.byte(), b'?' | b'$') {
                let (name, span) = self.variable(ITEMS)?;
                selected.items.push((name, span, None));
            } else if self.byte() == b'(' {
                selected.items.push(self.selected_expression()?);
            } else {
                break;
            }
        }
        let word = self.word();
        if self.byte() == b',' {
            return Err(self.unexpected("divide variables by spaces"));
        }
        if word.eq_ignore_ascii_case("AS") {
            return Err(self.unexpected("put the expression and its name in parentheses: (… AS ?name)"));
        }
        let is_call = !word.is_empty() && self.byte_at(self.white(self.at + word.len())) == b'(';
        if is_call && self.sees_call() || self.sees_iri() && selected.items.is_empty() {
            return Err(self.unexpected("put the expression in parentheses and give it a name: (… AS ?name)"));
        }
        if selected.items.is_empty() {
            return Err(self.expected(want(ITEMS)));
        }
        Ok(selected)
    }

    fn selected_expression(&mut self) -> Checked<Item<'a>> {
        let open = self.at;
        self.eat("(");
        let noted = mem::replace(&mut self.note_bare, true);
        let outer = mem::take(&mut self.bare);
        self.expression()?;
        self.note_bare = noted;
        let bare = mem::replace(&mut self.bare, outer);
        if self.byte() == b')' {
            return Err(self.unexpected("give the expression a name: (… AS ?name)"));
        }
        self.require_word("AS", one_of("an operator, or AS and a variable", &["AS"]))?;
        let (name, span) = self.variable("a variable behind AS")?;
        if !self.eat(")") {
            return Err(self.unclosed(open, ")", want("\")\" behind the name")));
        }
        Ok((name, span, Some(bare)))
    }

    fn construct(&mut self) -> Checked {
        if self.byte() == b'{' {
            self.template()?;
            self.blanks_here.clear();
            self.dataset()?;
            self.where_group()?;
        } else {
            self.dataset()?;
            self.require_word("WHERE", one_of("\"{\" and a template, or WHERE", &["WHERE", "FROM"]))?;
            self.template()?;
        }
        self.modifiers_without_groups("CONSTRUCT")
    }

    /// Triples in braces, without paths.
    fn template(&mut self) -> Checked {
        let open = self.at;
        self.require("{", want("\"{\" and triples"))?;
        while self.sees_triple() {
            self.triples_of_subject(false)?;
            if !self.eat(".") {
                break;
            }
        }
        if self.eat("}") {
            return Ok(());
        }
        let word = self.word();
        if ["FILTER", "OPTIONAL", "BIND", "GRAPH", "VALUES", "UNION", "MINUS"]
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known))
        {
            let hint = format!("{} stands in WHERE, not in what is constructed", word.to_ascii_uppercase());
            return Err(self.unexpected(&hint));
        }
        if let Some(problem) = self.undeclared_here() {
            return Err(problem);
        }
        Err(self.unclosed(open, "}", want("a triple or \"}\"")))
    }

    fn describe(&mut self) -> Checked {
        let mut selected = Selected::default();
        let mut is_empty = true;
        if self.byte() == b'*' {
            selected.all = Some(self.span(self.at, self.at + 1));
            self.eat("*");
            is_empty = false;
        }
        while selected.all.is_none() {
            if matches!(self.byte(), b'?' | b'$') {
                let (name, span) = self.variable("a variable")?;
                selected.items.push((name, span, None));
            } else if self.sees_iri() {
                self.iri("an IRI")?;
            } else {
                break;
            }
            is_empty = false;
        }
        if is_empty {
            return Err(self.expected(want("what to describe: variables, IRIs or *")));
        }
        self.dataset()?;
        self.scope = Scope::new();
        if self.sees_word("WHERE") || self.byte() == b'{' {
            self.where_group()?;
        }
        if selected.all.is_some() {
            return self.modifiers_without_groups("DESCRIBE");
        }
        let modifiers = self.modifiers()?;
        self.levels.push(Level::default());
        self.resolve(&selected, &modifiers).map(drop)
    }

    fn modifiers_without_groups(&mut self, form: &str) -> Checked {
        let modifiers = self.modifiers()?;
        match modifiers.group {
            None => Ok(()),
            Some((span, _)) => {
                let primary = format!("GROUP BY cannot stand in a {form} query");
                Err(self.wrong(primary, span, "put a sub-query with GROUP BY into WHERE"))
            }
        }
    }

    fn modifiers(&mut self) -> Checked<Modifiers<'a>> {
        let mut modifiers = Modifiers::default();
        let start = self.at;
        if self.eat_word("GROUP") {
            self.require_word("BY", one_of("BY behind GROUP", &["BY"]))?;
            let scope = self.grouping()?;
            modifiers.group = Some((self.span(start, start + 5), scope));
        }
        if self.eat_word("HAVING") {
            self.constraint("HAVING")?;
            while self.byte() == b'(' || self.sees_iri() || self.sees_call() {
                self.constraint("HAVING")?;
            }
        }
        if self.eat_word("ORDER") {
            self.require_word("BY", one_of("BY behind ORDER", &["BY"]))?;
            self.ordering()?;
        }
        let (mut limit, mut offset) = (false, false);
        loop {
            if !limit && self.eat_word("LIMIT") {
                limit = true;
                self.count("LIMIT")?;
            } else if !offset && self.eat_word("OFFSET") {
                offset = true;
                self.count("OFFSET")?;
            } else {
                break;
            }
        }
        if self.eat_word("VALUES") {
            modifiers.values = self.data_block()?;
        }
        Ok(modifiers)
    }

    fn grouping(&mut self) -> Checked<Scope<'a>> {
        let mut scope = Scope::new();
        let mut is_first = true;
        loop {
            if matches!(self.byte(), b'?' | b'$') {
                scope.insert(self.variable("a variable")?.0);
            } else if self.byte() == b'(' {
                let open = self.at;
                self.eat("(");
                let start = self.at;
                self.expression()?;
                let written =
                    self.text[start..self.at].trim_matches(|c: char| c.is_whitespace() || "()".contains(c));
                if self.eat_word("AS") {
                    // The parser forgets the name of what is a variable.
                    if written.starts_with(['?', '$'])
                        && written[1..].chars().all(|c| c.is_alphanumeric() || c == '_')
                    {
                        self.needs(start..start, "COALESCE(");
                        let end = start + self.text[start..].find(written).unwrap_or(0) + written.len();
                        self.needs(end..end, ")");
                    }
                    scope.insert(self.variable("a variable behind AS")?.0);
                }
                if !self.eat(")") {
                    return Err(self.unclosed(open, ")", want("an operator, AS or \")\"")));
                }
            } else if self.sees_iri() || self.sees_call() {
                self.constraint("GROUP BY ")?;
            } else if self.byte() == b',' {
                return Err(self.unexpected("divide what is grouped by with spaces"));
            } else if is_first {
                return Err(
                    self.expected(want("a variable, a call or (expression AS ?name) behind GROUP BY"))
                );
            } else {
                return Ok(scope);
            }
            is_first = false;
        }
    }

    fn ordering(&mut self) -> Checked {
        let mut is_first = true;
        loop {
            let direction = ["ASC", "DESC"].into_iter().find(|known| self.word().eq_ignore_ascii_case(known));
            if let Some(word) = direction {
                self.at += word.len();
                self.space();
                if self.byte() != b'(' {
                    return Err(self.unexpected(&format!("write {word}(?x)")));
                }
                self.bracketed()?;
            } else if matches!(self.byte(), b'?' | b'$') {
                self.variable("a variable")?;
                let word = self.word();
                if ["ASC", "DESC"].into_iter().any(|known| word.eq_ignore_ascii_case(known))
                    && self.byte_at(self.white(self.at + word.len())) != b'('
                {
                    let hint = format!("write {}(?x), not ?x {}", word.to_uppercase(), word.to_uppercase());
                    return Err(self.unexpected(&hint));
                }
            } else if self.byte() == b'(' || self.sees_iri() || self.sees_call() {
                self.constraint("ORDER BY ")?;
            } else if self.byte() == b',' {
                return Err(self.unexpected("divide what is ordered by with spaces"));
            } else if is_first {
                return Err(self.expected(one_of(
                    "a variable, a call, ASC(…) or DESC(…) behind ORDER BY",
                    &["ASC", "DESC"],
                )));
            } else {
                return Ok(());
            }
            is_first = false;
        }
    }

    fn count(&mut self, of: &str) -> Checked {
        let start = self.at;
        while self.byte().is_ascii_digit() {
            self.at += 1;
        }
        if self.at == start {
            return Err(self.expected(want(&format!("a whole number behind {of}"))));
        }
        let span = self.since(start);
        if self.text[start..self.at].parse::<usize>().is_err() {
            return Err(self.wrong(
                format!("the number behind {of} is too large"),
                span,
                "write a smaller number",
            ));
        }
        self.space();
        if self.byte() == b',' {
            return Err(self.unexpected("write LIMIT 10 OFFSET 20"));
        }
        Ok(())
    }

    /// What is said of names when all of a query is known. Gives the variables it binds.
    fn resolve(&mut self, selected: &Selected<'a>, modifiers: &Modifiers<'a>) -> Checked<Scope<'a>> {
        let level = self.levels.pop().unwrap_or_default();
        let mut visible = mem::take(&mut self.scope);
        let grouped = modifiers.group.as_ref();
        let is_grouped = grouped.is_some() || level.aggregate.is_some();
        if is_grouped {
            visible = grouped.map(|(_, scope)| scope.clone()).unwrap_or_default();
        }
        visible.extend(modifiers.values.iter().copied());
        if let Some(span) = selected.all {
            return match is_grouped {
                false => Ok(visible),
                true => Err(self.wrong(
                    "SELECT * cannot stand with GROUP BY or an aggregate",
                    span,
                    "name the variables of GROUP BY and the aggregates",
                )),
            };
        }
        let ungrouped = |name: &str, span: Span| {
            let hint = match grouped {
                Some(_) => format!("add ?{name} to GROUP BY, or use an aggregate such as SAMPLE(?{name})"),
                None => format!("add GROUP BY ?{name}, or use an aggregate such as SAMPLE(?{name})"),
            };
            self.wrong(format!("\"?{name}\" is not in GROUP BY, and stands in no aggregate"), span, hint)
        };
        let mut names: Vec<&str> = Vec::new();
        let mut known = Scope::new();
        let mut again: Vec<(&str, Span)> = Vec::new();
        for (name, span, expression) in &selected.items {
            match expression {
                None if is_grouped && !visible.contains(name) && !known.contains(name) => {
                    return Err(ungrouped(name, *span));
                }
                None => {}
                Some(bare) => {
                    if visible.contains(name) {
                        let primary = format!("\"?{name}\" has a value already, AS cannot give it another");
                        return Err(self.wrong(primary, *span, "use another name"));
                    }
                    for (used, place) in bare {
                        if !is_grouped || visible.contains(used) {
                            continue;
                        }
                        if !known.contains(used) {
                            return Err(ungrouped(used, *place));
                        }
                        again.push((used, *place));
                    }
                }
            }
            if known.contains(name) {
                let primary = format!("\"?{name}\" is selected twice");
                return Err(self.wrong(primary, *span, "take one away, or give it another name"));
            }
            known.insert(name);
            names.push(name);
        }
        // The parser looks for variables that are not grouped everywhere but here, where the name that SELECT
        // gave before is found as well. `COALESCE` of one value is that value.
        for (name, place) in again {
            self.needs(place.start as usize..place.end as usize, format!("COALESCE(?{name})"));
        }
        Ok(names.into_iter().collect())
    }
}
