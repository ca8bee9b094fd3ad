//! Statements about indexes and constraints: takes a text, gives the statement if it is one.
//!
//! ```text
//! CREATE [RANGE] INDEX [name] [IF NOT EXISTS] FOR entity ON (n.p, …)
//! CREATE CONSTRAINT [name] [IF NOT EXISTS] FOR entity REQUIRE properties IS rule
//! DROP INDEX name [IF EXISTS]         DROP CONSTRAINT name [IF EXISTS]
//! SHOW INDEXES [shown]                SHOW CONSTRAINTS [shown]
//!
//! shown      := WHERE … | YIELD (* | name [AS name], …) [ORDER BY …] [SKIP …] [LIMIT …] [WHERE …] [RETURN …]
//! entity     := (n:Label) | ()-[r:TYPE]-() | (n), of an index: all nodes
//! properties := n.p | (n.p, …)
//! rule       := UNIQUE | KEY | NOT NULL | :: type        UNIQUE and KEY also after NODE or RELATIONSHIP
//! ```
//!
//! The words are no keywords: they are names everywhere else, and these statements are told by their first
//! two.
//!
//! Source: Neo4j's spellings.

use trimorph_base::{CancelToken, Diagnostic, Span};
use trimorph_types::PropertyType;
use trimorph_types::iri_names::ANY_LABEL;

use super::error::{syntax, with_hint};
use super::{Parsed, Parser};
use crate::ast::{Definition, Ident, Name, Rule, SchemaItem, SchemaStatement, Shown};
use crate::lexer::tokenize;
use crate::token::TokenKind;

/// The longest statement about an index or a constraint.
const STATEMENT_BYTES_MAX: usize = 1 << 16;

/// Properties of one index or constraint.
const PROPERTIES_MAX: usize = 32;

/// The statement about indexes or constraints that a text is; none if it is something else.
///
/// **Errors**: the first mistake of such a statement, of kind `SyntaxError`, with a span. **Cost**: a look at
/// the first words of any other text.
pub fn parse_schema(text: &str) -> Option<Result<SchemaStatement, Diagnostic>> {
    if text.len() > STATEMENT_BYTES_MAX || !begins_like_one(text) {
        return None;
    }
    let cancel = &CancelToken::default();
    let tokens = tokenize(text, cancel)?;
    let mut parser = Parser { text, tokens, at: 0, depth: 0, tallest: 0, bar_ends: false, cancel };
    let parsed = match parser.is_show_transactions() {
        true => parser.show_transactions(),
        false => {
            let (verb, item) = parser.schema_words()?;
            parser.schema_statement(verb, item)
        }
    };
    Some(parsed.map_err(|error| *error))
}

/// Whether the first word is one of these statements', or a comment stands before it.
fn begins_like_one(text: &str) -> bool {
    let text = text.trim_start();
    let begins = |word: &str| text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
    text.starts_with('/') || ["CREATE", "DROP", "SHOW"].into_iter().any(begins)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    Create,
    Drop,
    Show,
}

/// What `SHOW` and `CREATE` may be told of an index's kind: one kind is there.
const INDEX_KINDS: &[&str] = &["RANGE", "BTREE", "TEXT", "POINT", "LOOKUP", "FULLTEXT", "VECTOR"];

impl Parser<'_> {
    /// The verb and the noun; none if this is not such a statement. Nothing is taken then.
    fn schema_words(&mut self) -> Option<(Verb, SchemaItem)> {
        let verb = match self.word_at(0)?.to_ascii_uppercase().as_str() {
            "CREATE" => Verb::Create,
            "DROP" => Verb::Drop,
            "SHOW" => Verb::Show,
            _ => return None,
        };
        let mut next = 1;
        if verb == Verb::Show && self.is_word_at(next, &["ALL"]) {
            next += 1;
        }
        if verb != Verb::Drop && self.is_word_at(next, INDEX_KINDS) {
            next += 1;
        }
        let item = if self.is_word_at(next, &["INDEX", "INDEXES"]) {
            SchemaItem::Index
        } else if self.is_word_at(next, &["CONSTRAINT", "CONSTRAINTS"]) {
            SchemaItem::Constraint
        } else {
            return None;
        };
        // A path may be called anything: CREATE index = (a)-[:R]->(b).
        if verb == Verb::Create && self.kind_at(next + 1) == TokenKind::Equal {
            return None;
        }
        self.at = next + 1;
        Some((verb, item))
    }

    /// Whether these are the words; they are not taken.
    fn is_show_transactions(&self) -> bool {
        self.is_word_at(0, &["SHOW"]) && self.is_word_at(1, &["TRANSACTION", "TRANSACTIONS"])
    }

    fn show_transactions(&mut self) -> Parsed<SchemaStatement> {
        self.at = 2;
        let shown = self.shown()?;
        self.eat(TokenKind::Semicolon);
        match self.kind() {
            TokenKind::End => Ok(SchemaStatement::ShowTransactions(shown)),
            _ => Err(self.expected("YIELD, WHERE or the end of the statement")),
        }
    }

    fn schema_statement(&mut self, verb: Verb, item: SchemaItem) -> Parsed<SchemaStatement> {
        self.check_index_kind(verb)?;
        let statement = match verb {
            Verb::Create => SchemaStatement::Create(self.definition(item)?),
            Verb::Drop => {
                if self.is_spelt("ON") {
                    let error = self.expected("the name of what is to be dropped");
                    return Err(with_hint(error, "SHOW INDEXES and SHOW CONSTRAINTS tell the names"));
                }
                let name = self.ident("the name of what is to be dropped")?;
                let if_exists = self.eat_word("IF");
                if if_exists {
                    self.expect_word("EXISTS", "after IF")?;
                }
                SchemaStatement::Drop { what: item, name, if_exists }
            }
            Verb::Show => SchemaStatement::Show(item, self.shown()?),
        };
        if self.is_spelt("OPTIONS") {
            let error = syntax("UnexpectedSyntax", "options cannot be given", self.token().span());
            return Err(with_hint(error, "leave OPTIONS away: there is one kind of index"));
        }
        self.eat(TokenKind::Semicolon);
        match self.kind() {
            TokenKind::End => Ok(statement),
            _ => Err(self.expected("the end of the statement")),
        }
    }

    /// What is to be told: the conditions are read when it is asked.
    fn shown(&mut self) -> Parsed<Option<Shown>> {
        if self.is_spelt("WHERE") {
            let start = self.start();
            self.skip_clauses();
            return Ok(Some(Shown::Where { start }));
        }
        if !self.eat_word("YIELD") {
            return Ok(None);
        }
        let (start, mut names) = (self.start(), Vec::new());
        if self.eat(TokenKind::Star).is_none() {
            loop {
                let column = self.ident("* or the name of a column")?;
                names.push(if self.eat_word("AS") { self.ident("a name after AS")? } else { column });
                if self.eat(TokenKind::Comma).is_none() {
                    break;
                }
            }
        }
        let follows = ["ORDER", "SKIP", "OFFSET", "LIMIT", "WHERE", "RETURN"];
        if !matches!(self.kind(), TokenKind::End | TokenKind::Semicolon)
            && !self.is_word_at(self.at, &follows)
        {
            return Err(
                self.expected("\",\", ORDER BY, SKIP, LIMIT, WHERE, RETURN or the end of the statement")
            );
        }
        let returns = self.skip_clauses();
        Ok(Some(Shown::Yield { start, names, returns }))
    }

    /// Goes to the end of the statement; tells whether a `RETURN` was on the way, in no brackets.
    fn skip_clauses(&mut self) -> bool {
        use TokenKind as T;
        let (mut depth, mut returns, mut behind_dot) = (0_usize, false, false);
        while !matches!(self.kind(), T::End | T::Semicolon) {
            returns |= depth == 0 && !behind_dot && self.is_spelt("RETURN");
            behind_dot = self.kind() == T::Dot;
            match self.kind() {
                T::LeftParen | T::LeftBracket | T::LeftBrace => depth += 1,
                T::RightParen | T::RightBracket | T::RightBrace => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.bump();
        }
        returns
    }

    /// There is one kind of index; what serves the same may be asked for by other names.
    fn check_index_kind(&self, verb: Verb) -> Parsed<()> {
        let token = self.token_at(1);
        let kind = self.slice(token.span()).to_ascii_uppercase();
        let is_other = matches!(kind.as_str(), "POINT" | "LOOKUP" | "FULLTEXT" | "VECTOR");
        if verb != Verb::Create || !is_other {
            return Ok(());
        }
        let error = syntax("UnexpectedSyntax", format!("there are no {kind} indexes"), token.span());
        Err(with_hint(
            error,
            match kind.as_str() {
                "LOOKUP" => "nodes are found by label, and relationships by type, without one",
                _ => "CREATE INDEX makes one that serves equality, ranges, prefixes and order",
            },
        ))
    }

    fn definition(&mut self, item: SchemaItem) -> Parsed<Definition> {
        let has_name = !self.is_spelt("IF") && !self.is_spelt("FOR") && !self.is_spelt("ON");
        let name = if has_name { Some(self.ident("a name, or FOR")?) } else { None };
        let if_not_exists = self.eat_word("IF");
        if if_not_exists {
            self.expect_word("NOT", "and EXISTS after IF")?;
            self.expect_word("EXISTS", "after IF NOT")?;
        }
        if self.is_spelt("ON") {
            let error = self.expected("FOR and a pattern such as (n:Label)");
            return Err(with_hint(error, "write FOR (n:Label) REQUIRE … or FOR (n:Label) ON (n.property)"));
        }
        self.expect_word("FOR", "and a pattern such as (n:Label)")?;
        let (variable, label, is_of_edges) = self.schema_entity(item)?;
        let (properties, rule) = match item {
            SchemaItem::Index => {
                self.expect_word("ON", "and the properties in brackets")?;
                (self.schema_properties(&variable, true)?, Rule::Index)
            }
            SchemaItem::Constraint => {
                self.expect_word("REQUIRE", "and what is required")?;
                let start = self.start();
                let properties = self.schema_properties(&variable, false)?;
                let span = self.span_from(start);
                let rule = self.rule(is_of_edges)?;
                if properties.len() > 1 && !matches!(rule, Rule::Unique | Rule::Key) {
                    let text = "this is required of one property at a time";
                    let hint = "make a constraint for each property";
                    return Err(with_hint(syntax("UnexpectedSyntax", text, span), hint));
                }
                (properties, rule)
            }
        };
        Ok(Definition { name, if_not_exists, is_of_edges, label, properties, rule })
    }

    /// `(n:Label)` or `()-[r:TYPE]-()`, either way round; of an index also `(n)`.
    fn schema_entity(&mut self, item: SchemaItem) -> Parsed<(Ident, Name, bool)> {
        const NODE: &str = "a pattern such as (n:Label) or ()-[r:TYPE]-()";
        self.expect(TokenKind::LeftParen, NODE)?;
        if self.eat(TokenKind::RightParen).is_none() {
            let variable = self.ident("a variable")?;
            let start = self.start();
            if item == SchemaItem::Index && self.eat(TokenKind::RightParen).is_some() {
                let span = self.span_from(start);
                return Ok((variable, Name { prefix: None, text: ANY_LABEL.to_owned(), span }, false));
            }
            let label = self.schema_label("a label")?;
            self.expect(TokenKind::RightParen, "\")\" to close the node")?;
            return Ok((variable, label, false));
        }
        self.eat(TokenKind::Less);
        self.expect(TokenKind::Minus, "\"-\" and a relationship such as [r:TYPE]")?;
        self.expect(TokenKind::LeftBracket, "a relationship such as [r:TYPE]")?;
        let variable = self.ident("a variable")?;
        let label = self.schema_label("a relationship type")?;
        self.expect(TokenKind::RightBracket, "\"]\" to close the relationship")?;
        self.expect(TokenKind::Minus, "\"-()\"")?;
        self.eat(TokenKind::Greater);
        self.expect(TokenKind::LeftParen, "\"()\"")?;
        self.expect(TokenKind::RightParen, "\")\": nothing can be said of its ends")?;
        Ok((variable, label, true))
    }

    fn schema_label(&mut self, what: &str) -> Parsed<Name> {
        if self.eat(TokenKind::Colon).is_none() && !self.eat_word("IS") {
            return Err(self.expected(&format!("\":\" and {what}")));
        }
        self.schema_name(what)
    }

    fn schema_name(&mut self, what: &str) -> Parsed<Name> {
        let name = self.name(what)?;
        match &name.prefix {
            None => Ok(name),
            Some(_) => Err(syntax("UnexpectedSyntax", "a prefix cannot be used here", name.span)),
        }
    }

    /// `n.p` or `(n.p, …)`.
    fn schema_properties(&mut self, variable: &Ident, in_brackets: bool) -> Parsed<Vec<Name>> {
        let bracket = self.eat(TokenKind::LeftParen).is_some();
        if in_brackets && !bracket {
            return Err(self.expected("\"(\" and the properties"));
        }
        let mut properties: Vec<Name> = Vec::new();
        loop {
            let own = self.ident("a property such as n.name")?;
            if own.text != variable.text {
                let text = format!("variable \"{}\" is not defined", own.text);
                let error = syntax("UndefinedVariable", text, own.span);
                return Err(with_hint(error, &format!("write {}.{}", variable.text, "property")));
            }
            self.expect(TokenKind::Dot, "\".\" and a property")?;
            let name = self.schema_name("a property")?;
            if properties.iter().any(|other| other.text == name.text) {
                let text = format!("property \"{}\" is named twice", name.text);
                return Err(syntax("UnexpectedSyntax", text, name.span));
            }
            properties.push(name);
            if !bracket {
                return Ok(properties);
            }
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.expect(TokenKind::RightParen, "\",\" or \")\"")?;
        match properties.get(PROPERTIES_MAX) {
            None => Ok(properties),
            Some(one) => {
                let text = format!("an index or constraint has at most {PROPERTIES_MAX} properties");
                Err(syntax("UnexpectedSyntax", text, one.span))
            }
        }
    }

    fn rule(&mut self, is_of_edges: bool) -> Parsed<Rule> {
        self.expect_word("IS", "UNIQUE, KEY, NOT NULL or :: and a type")?;
        if self.eat_word("NOT") {
            self.expect_word("NULL", "after NOT")?;
            return Ok(Rule::Exists);
        }
        if self.eat(TokenKind::DoubleColon).is_some() || self.eat_word("TYPED") {
            return self.property_type().map(Rule::Typed);
        }
        let own = if is_of_edges { &["RELATIONSHIP", "REL"][..] } else { &["NODE"] };
        own.iter().any(|word| self.eat_word(word));
        if self.eat_word("UNIQUE") {
            return Ok(Rule::Unique);
        }
        if self.eat_word("KEY") {
            return Ok(Rule::Key);
        }
        Err(self.expected("UNIQUE, KEY, NOT NULL or :: and a type"))
    }

    /// A type: all that is left of the statement.
    fn property_type(&mut self) -> Parsed<PropertyType> {
        let from = self.start() as usize;
        while !matches!(self.kind(), TokenKind::End | TokenKind::Semicolon) && !self.is_spelt("OPTIONS") {
            self.bump();
        }
        let end = self.start() as usize;
        let text = self.text.get(from..end).unwrap_or_default().trim_end();
        PropertyType::parse(text).map_err(|(expected, rest)| {
            let rest_len = rest.trim_start().len();
            let start = from + text.len() - rest_len.min(text.len());
            let word = rest.split_whitespace().next().unwrap_or_default();
            let found = if word.is_empty() { "the end".to_owned() } else { format!("\"{word}\"") };
            // The text is shorter than 64 KiB.
            let span = Span::new(start as u32, (start + word.len()) as u32);
            syntax("UnexpectedSyntax", format!("expected {expected}, found {found}"), span)
        })
    }

    /// The word at an index, if it is one.
    fn word_at(&self, index: usize) -> Option<&str> {
        matches!(self.kind_at(index), TokenKind::Word(_)).then(|| self.slice(self.token_at(index).span()))
    }

    fn is_word_at(&self, index: usize, words: &[&str]) -> bool {
        self.word_at(index).is_some_and(|own| words.iter().any(|word| own.eq_ignore_ascii_case(word)))
    }

    pub(super) fn is_spelt(&self, word: &str) -> bool {
        self.is_word_at(self.at, &[word])
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let is_there = self.is_spelt(word);
        if is_there {
            self.bump();
        }
        is_there
    }

    pub(super) fn expect_word(&mut self, word: &str, why: &str) -> Parsed<()> {
        match self.eat_word(word) {
            true => Ok(()),
            false => Err(self.expected(&format!("{word} {why}"))),
        }
    }
}
