//! A small evaluator of `WITH a AS x RETURN b AS y, …` for test tables. Not the language: no graph, one row.

use std::collections::HashMap;

use trimorph_base::Diagnostic;
use trimorph_types::{Map, Value};

use crate::operators as op;
use crate::{Clock, Context, NoGraph, lookup};

/// Why a row has no values.
#[derive(Debug)]
pub(super) enum Failure {
    /// The function library said so.
    Function(Diagnostic),
    /// The table has a query this evaluator does not read.
    #[expect(dead_code, reason = "shown by Debug when a test fails")]
    Syntax(String),
}

impl From<Diagnostic> for Failure {
    fn from(error: Diagnostic) -> Self {
        Self::Function(error)
    }
}

type Result<T> = std::result::Result<T, Failure>;

/// A fixed moment: 2024-02-29T13:14:15.123456789Z.
pub(super) const NOW: Clock = Clock { seconds: 1_709_212_455, nanos: 123_456_789 };

/// The values `query` returns.
pub(super) fn run(query: &str) -> Result<Vec<Value>> {
    let graph = NoGraph;
    let mut reader =
        Reader { rest: query, variables: HashMap::new(), context: &Context::new(&graph, NOW, 7) };
    loop {
        if reader.word("RETURN") {
            let columns = reader.projection()?;
            return if reader.at_end() {
                Ok(columns.into_iter().map(|(_, value)| value).collect())
            } else {
                Err(reader.error("end"))
            };
        }
        if !reader.word("WITH") {
            return Err(reader.error("WITH or RETURN"));
        }
        for (name, value) in reader.projection()? {
            reader.variables.insert(name, value);
        }
    }
}

/// The value of one expression.
pub(super) fn value(expression: &str) -> Result<Value> {
    let values = run(&format!("RETURN {expression}"))?;
    values.into_iter().next().ok_or_else(|| Failure::Syntax(expression.into()))
}

struct Reader<'a> {
    rest: &'a str,
    variables: HashMap<String, Value>,
    context: &'a Context<'a>,
}

impl Reader<'_> {
    fn error(&self, expected: &str) -> Failure {
        Failure::Syntax(format!("expected {expected} at {:?}", self.rest))
    }

    fn at_end(&mut self) -> bool {
        self.rest = self.rest.trim_start();
        self.rest.is_empty()
    }

    fn eat(&mut self, symbol: &str) -> bool {
        self.rest = self.rest.trim_start();
        self.rest.strip_prefix(symbol).map(|rest| self.rest = rest).is_some()
    }

    fn expect(&mut self, symbol: &str) -> Result<()> {
        if self.eat(symbol) { Ok(()) } else { Err(self.error(symbol)) }
    }

    /// A keyword, whatever its case.
    fn word(&mut self, word: &str) -> bool {
        self.rest = self.rest.trim_start();
        let head = self.rest.get(..word.len()).unwrap_or_default();
        let next = self.rest.get(word.len()..).and_then(|rest| rest.chars().next());
        let found = head.eq_ignore_ascii_case(word) && !next.is_some_and(|c| c.is_alphanumeric() || c == '_');
        if found {
            self.rest = &self.rest[word.len()..];
        }
        found
    }

    fn name(&mut self) -> Option<String> {
        self.rest = self.rest.trim_start();
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.rest = rest;
        Some(name.into())
    }

    fn projection(&mut self) -> Result<Vec<(String, Value)>> {
        let mut columns = Vec::new();
        loop {
            let value = self.or()?;
            let name = if self.word("AS") { self.name().unwrap_or_default() } else { String::new() };
            columns.push((name, value));
            if !self.eat(",") {
                return Ok(columns);
            }
        }
    }

    fn or(&mut self) -> Result<Value> {
        let mut left = self.xor()?;
        while self.word("OR") {
            left = op::or(&left, &self.xor()?)?;
        }
        Ok(left)
    }

    fn xor(&mut self) -> Result<Value> {
        let mut left = self.and()?;
        while self.word("XOR") {
            left = op::xor(&left, &self.and()?)?;
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Value> {
        let mut left = self.not()?;
        while self.word("AND") {
            left = op::and(&left, &self.not()?)?;
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Value> {
        if self.word("NOT") { Ok(op::not(&self.not()?)?) } else { self.comparison() }
    }

    fn comparison(&mut self) -> Result<Value> {
        type Comparison = (&'static str, fn(&Value, &Value) -> Value);
        const OPERATORS: [Comparison; 6] = [
            ("<>", op::not_equal),
            ("<=", op::less_or_equal),
            (">=", op::greater_or_equal),
            ("<", op::less),
            (">", op::greater),
            ("=", op::equal),
        ];
        let left = self.predicate()?;
        if self.eat("=~") {
            return Ok(op::regex_match(&left, &self.predicate()?)?);
        }
        for (symbol, apply) in OPERATORS {
            if self.eat(symbol) {
                return Ok(apply(&left, &self.predicate()?));
            }
        }
        Ok(left)
    }

    fn predicate(&mut self) -> Result<Value> {
        let mut left = self.sum()?;
        loop {
            left = if self.word("IN") {
                op::in_list(&left, &self.sum()?)?
            } else if self.word("STARTS") {
                self.word("WITH");
                op::starts_with(&left, &self.sum()?)
            } else if self.word("ENDS") {
                self.word("WITH");
                op::ends_with(&left, &self.sum()?)
            } else if self.word("CONTAINS") {
                op::contains(&left, &self.sum()?)
            } else if self.word("IS") {
                let negated = self.word("NOT");
                self.word("NULL");
                if negated { op::is_not_null(&left) } else { op::is_null(&left) }
            } else {
                return Ok(left);
            };
        }
    }

    fn sum(&mut self) -> Result<Value> {
        let mut left = self.product()?;
        loop {
            if self.eat("+") {
                left = op::add(&left, &self.product()?)?;
            } else if self.eat("-") {
                left = op::subtract(&left, &self.product()?)?;
            } else {
                return Ok(left);
            }
        }
    }

    fn product(&mut self) -> Result<Value> {
        let mut left = self.power()?;
        loop {
            if self.eat("*") {
                left = op::multiply(&left, &self.power()?)?;
            } else if self.eat("/") {
                left = op::divide(&left, &self.power()?)?;
            } else if self.eat("%") {
                left = op::modulo(&left, &self.power()?)?;
            } else {
                return Ok(left);
            }
        }
    }

    fn power(&mut self) -> Result<Value> {
        let mut left = self.unary()?;
        while self.eat("^") {
            left = op::power(&left, &self.unary()?)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Value> {
        if self.eat("-") {
            // The smallest integer has no positive counterpart.
            if self.eat("9223372036854775808") {
                return Ok(Value::Int(i64::MIN));
            }
            return Ok(op::negate(&self.unary()?)?);
        }
        let mut value = self.atom()?;
        loop {
            value = if !self.rest.starts_with("..") && self.eat(".") {
                let name = self.name().ok_or_else(|| self.error("a property"))?;
                op::property_of(self.context, &value, &name)?
            } else if self.eat("[") {
                self.index_or_slice(&value)?
            } else {
                return Ok(value);
            };
        }
    }

    fn index_or_slice(&mut self, value: &Value) -> Result<Value> {
        let from = if self.eat("..") { None } else { Some(self.or()?) };
        let sliced = from.is_none() || self.eat("..");
        let to = if self.eat("]") {
            None
        } else {
            let to = self.or()?;
            self.expect("]")?;
            Some(to)
        };
        match (sliced, &from) {
            (false, Some(index)) => Ok(op::index(self.context, value, index)?),
            _ => Ok(op::slice(value, from.as_ref(), to.as_ref())?),
        }
    }

    fn atom(&mut self) -> Result<Value> {
        self.rest = self.rest.trim_start();
        match self.rest.chars().next() {
            Some('\'' | '"') => self.string(),
            Some(c) if c.is_ascii_digit() => self.number(),
            Some('(') => {
                self.expect("(")?;
                let value = self.or()?;
                self.expect(")")?;
                Ok(value)
            }
            Some('[') => {
                self.expect("[")?;
                Ok(Value::list(self.items("]")?))
            }
            Some('{') => self.map(),
            _ => self.name_or_call(),
        }
    }

    fn items(&mut self, end: &str) -> Result<Vec<Value>> {
        let mut items = Vec::new();
        while !self.eat(end) {
            items.push(self.or()?);
            if !self.eat(",") {
                self.expect(end)?;
                break;
            }
        }
        Ok(items)
    }

    fn map(&mut self) -> Result<Value> {
        self.expect("{")?;
        let mut map = Map::new();
        while !self.eat("}") {
            let name = self.name().ok_or_else(|| self.error("a key"))?;
            self.expect(":")?;
            map.insert(name.into(), self.or()?);
            if !self.eat(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(Value::map(map))
    }

    fn string(&mut self) -> Result<Value> {
        let mut text = String::new();
        let mut letters = self.rest.char_indices();
        let quote = letters.next().map(|(_, c)| c);
        while let Some((at, c)) = letters.next() {
            match c {
                _ if Some(c) == quote => {
                    self.rest = &self.rest[at + c.len_utf8()..];
                    return Ok(Value::string(text));
                }
                '\\' => match letters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, other)) => text.push(other),
                    None => break,
                },
                _ => text.push(c),
            }
        }
        Err(self.error("a quote"))
    }

    fn number(&mut self) -> Result<Value> {
        let mut end = 0;
        let bytes = self.rest.as_bytes();
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        end = digits(end);
        let mut float = false;
        if bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
            (float, end) = (true, digits(end + 1));
        }
        if bytes.get(end).is_some_and(|b| b.eq_ignore_ascii_case(&b'e')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
            (float, end) = (true, digits(end + 1 + sign));
        }
        let (text, rest) = self.rest.split_at(end);
        let value =
            if float { text.parse().map(Value::Float).ok() } else { text.parse().map(Value::Int).ok() };
        self.rest = rest;
        value.ok_or_else(|| self.error("a number"))
    }

    fn name_or_call(&mut self) -> Result<Value> {
        for (word, value) in
            [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))]
        {
            if self.word(word) {
                return Ok(value);
            }
        }
        let name = self.name().ok_or_else(|| self.error("an expression"))?;
        if name == "NaN" {
            return Ok(Value::Float(f64::NAN));
        }
        // A dotted name is a namespace if a call follows, else property access.
        let after_name = self.rest;
        let mut full = name.clone();
        while self.eat(".") {
            full.push('.');
            full.push_str(&self.name().unwrap_or_default());
        }
        if self.eat("(") {
            let function = lookup(&full).ok_or_else(|| Failure::Syntax(format!("no function {full}")))?;
            let args = self.items(")")?;
            return Ok(function.invoke(self.context, &args)?);
        }
        self.rest = after_name;
        self.variables.get(&name).cloned().ok_or_else(|| Failure::Syntax(format!("no variable {name}")))
    }
}
