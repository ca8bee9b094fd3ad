//! The four forms, `SELECT` and what may be said of it, solution modifiers.
//!
//! Source: SPARQL 1.1 Query, rules 1 to 28; §18.2.4 and §19.8, notes 12 and 13, for names.

use std::mem;

use trimorph_base::{Diagnostic, Span};

use super::problem::{one_of, want};
use super::words::MODIFIERS;
use super::{Aggregates, Checked, Checker, How, Level, Scope, Used};

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

/// What is selected: its name and place, and the variables of its expression if it has one.
type Item<'a> = (&'a str, Span, Option<Vec<Used<'a>>>);

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
    /// Variables of `HAVING` and `ORDER BY`.
    used: Vec<Used<'a>>,
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
            let pattern = self.where_group()?;
            self.modifiers_without_select(pattern)?;
        } else {
            return Err(self.no_statement());
        }
        self.end()
    }

    /// No statement begins here.
    pub(super) fn no_statement(&self) -> Box<Diagnostic> {
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

    /// Takes the pattern of a query. The variables it binds become those of the scope. Gives where it begins.
    fn where_group(&mut self) -> Checked<usize> {
        let is_said = self.eat_word("WHERE");
        if !is_said && self.byte() != b'{' && self.word().len() > 1 {
            return Err(self.expected(one_of("WHERE or \"{\"", &["WHERE", "FROM"])));
        }
        let start = self.at;
        self.scope = self.group(want("\"{\" and a pattern"))?;
        Ok(start)
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
        let allowed = self.set_aggregates(Aggregates::Allowed);
        self.expression()?;
        self.set_aggregates(allowed);
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
            let pattern = self.where_group()?;
            return self.modifiers_without_select(pattern).map(drop);
        }
        let template = self.at;
        self.dataset()?;
        self.require_word("WHERE", one_of("\"{\" and a template, or WHERE", &["WHERE", "FROM"]))?;
        let pattern = self.at;
        self.template()?;
        let copy = self.as_parsed(pattern..self.at);
        if self.modifiers_without_select(pattern)?.is_some() {
            // What became a sub-query is no template any more.
            self.needs(template..template, format!("{copy} "));
        }
        Ok(())
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
                if selected.items.iter().any(|(known, ..)| *known == name) {
                    self.needs(span.start as usize..span.end as usize, "");
                } else {
                    selected.items.push((name, span, None));
                }
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
        let pattern = match self.sees_word("WHERE") || self.byte() == b'{' {
            true => self.where_group()?,
            false => self.at,
        };
        let names = self.modifiers_without_select(pattern)?;
        let ungrouped = names.and_then(|(names, has_group)| {
            let (name, span, _) = *selected.items.iter().find(|(name, ..)| !names.contains(name))?;
            Some(self.ungrouped(name, span, has_group))
        });
        ungrouped.map_or(Ok(()), Err)
    }

    /// What stands behind the pattern of a query that does not select. Where it groups, gives the variables
    /// that are left, and whether `GROUP BY` says so: pattern and modifiers become a sub-query of the
    /// pattern, since the parser takes no groups there.
    fn modifiers_without_select(&mut self, pattern: usize) -> Checked<Option<(Scope<'a>, bool)>> {
        self.levels.push(Level::default());
        let modifiers = self.modifiers()?;
        let level = self.levels.pop().unwrap_or_default();
        let within = mem::take(&mut self.scope);
        if modifiers.group.is_none() && level.aggregate.is_none() {
            return Ok(None);
        }
        let grouped = modifiers.group.as_ref().map(|(_, names)| names.clone()).unwrap_or_default();
        self.take_samples(&modifiers.used, &grouped, &within);
        let mut names: Vec<&str> = grouped.iter().copied().chain(modifiers.values.iter().copied()).collect();
        names.sort_unstable();
        names.dedup();
        let items = match names.is_empty() {
            true => format!("(1 AS ?{})", self.absent_name()),
            false => names.iter().map(|name| format!("?{name}")).collect::<Vec<_>>().join(" "),
        };
        if self.byte_at(pattern) == b'{' {
            self.needs(pattern..pattern, format!("{{ SELECT {items} "));
        } else {
            self.needs(pattern..pattern, format!("{{ SELECT {items} {{}} "));
        }
        self.needs(self.at..self.at, "\n}");
        Ok(Some((names.into_iter().collect(), modifiers.group.is_some())))
    }

    /// A name of a variable that is not in the text.
    fn absent_name(&self) -> String {
        let mut name = "group".to_owned();
        while self.text.contains(&name) {
            name.push('_');
        }
        name
    }

    /// What `HAVING` and `ORDER BY` ask of a variable that the groups do not have is that of any of their
    /// solutions (SPARQL 1.1 Query, §18.2.4.1).
    fn take_samples(&mut self, used: &[Used<'a>], grouped: &Scope<'a>, within: &Scope<'a>) {
        for Used { name, place, how } in used {
            if *how != How::Bound && !grouped.contains(name) && within.contains(name) {
                self.needs(place.start as usize..place.end as usize, format!("SAMPLE(?{name})"));
            }
        }
    }

    /// What was said of a variable that a query with groups has no single value for.
    fn ungrouped(&self, name: &str, span: Span, has_group: bool) -> Box<Diagnostic> {
        let hint = match has_group {
            true => format!("add ?{name} to GROUP BY, or use an aggregate such as SAMPLE(?{name})"),
            false => format!("add GROUP BY ?{name}, or use an aggregate such as SAMPLE(?{name})"),
        };
        self.wrong(format!("\"?{name}\" is not in GROUP BY, and stands in no aggregate"), span, hint)
    }

    fn modifiers(&mut self) -> Checked<Modifiers<'a>> {
        let mut modifiers = Modifiers::default();
        let start = self.at;
        if self.eat_word("GROUP") {
            self.require_word("BY", one_of("BY behind GROUP", &["BY"]))?;
            let scope = self.grouping()?;
            modifiers.group = Some((self.span(start, start + 5), scope));
        }
        let allowed = self.set_aggregates(Aggregates::Allowed);
        let noted = mem::replace(&mut self.note_bare, true);
        let outer = mem::take(&mut self.bare);
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
        modifiers.used = mem::replace(&mut self.bare, outer);
        self.note_bare = noted;
        self.set_aggregates(allowed);
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
                let (name, place) = self.variable("a variable")?;
                self.note_used(name, place, How::Plainly);
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
        let within = mem::take(&mut self.scope);
        let grouped = modifiers.group.as_ref();
        let is_grouped = grouped.is_some() || level.aggregate.is_some();
        let mut visible = match is_grouped {
            true => grouped.map(|(_, scope)| scope.clone()).unwrap_or_default(),
            false => within.clone(),
        };
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
        let has_group = grouped.is_some();
        let mut known = Scope::new();
        for (name, span, expression) in &selected.items {
            match expression {
                None if is_grouped && !visible.contains(name) && !known.contains(name) => {
                    return Err(self.ungrouped(name, *span, has_group));
                }
                None if known.contains(name) => {
                    // One column, which the parser wants to be named once.
                    self.needs(span.start as usize..span.end as usize, "");
                    continue;
                }
                None => {}
                Some(bare) => {
                    if visible.contains(name) {
                        let primary = format!("\"?{name}\" has a value already, AS cannot give it another");
                        return Err(self.wrong(primary, *span, "use another name"));
                    }
                    let bare = bare.iter().filter(|used| is_grouped && !visible.contains(used.name));
                    for Used { name, place, how } in bare {
                        let is_named = known.contains(name);
                        let is_asked = match how {
                            How::Plainly => true,
                            // The parser does not look for them.
                            How::Guarded | How::Bound => self.strict && within.contains(name),
                        };
                        if !is_named && is_asked {
                            return Err(self.ungrouped(name, *place, has_group));
                        }
                        if is_named && *how == How::Plainly {
                            // The parser looks for variables that are not grouped everywhere but here, where
                            // the name that SELECT gave before is found as well. `COALESCE` of one value is
                            // that value.
                            let text = format!("COALESCE(?{name})");
                            self.needs(place.start as usize..place.end as usize, text);
                        }
                    }
                    if known.contains(name) {
                        let primary = format!("\"?{name}\" is selected twice");
                        return Err(self.wrong(primary, *span, "take one away, or give it another name"));
                    }
                }
            }
            known.insert(name);
        }
        if is_grouped {
            visible.extend(known.iter().copied());
            self.take_samples(&modifiers.used, &visible, &within);
        }
        Ok(known)
    }
}
