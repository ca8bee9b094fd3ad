//! What is there already: a definition in, the first thing that violates it out. Asked in Cypher, so that it
//! is found by typed operators on all cores, within the memory limit, and can be stopped.

use trimorph_base::CancelToken;
use trimorph_catalog::{Definition, Rule, Schema};
use trimorph_types::Value;

use super::shown::subject_name;
use crate::connection::Connection;
use crate::quoted::quoted;
use crate::{Entities, Error};

/// Texts of values that a message shows have so many characters at most.
const SHOWN_CHARS: usize = 60;

impl Connection {
    /// What of the data that is committed now violates a definition, as a sentence; none if nothing does.
    pub(crate) fn violation(
        &self,
        definition: &Definition,
        schema: &Schema,
        cancel: &CancelToken,
    ) -> Result<Option<String>, Error> {
        let name = subject_name(definition, schema);
        let (what, pattern) = match definition.label() {
            Some(_) => ("node", format!("MATCH (x:{})", quoted(&name))),
            None => ("relationship", format!("MATCH ()-[x:{}]->()", quoted(&name))),
        };
        let names: Vec<_> = definition.properties.iter().map(|id| schema.property_name(*id)).collect();
        let properties: Vec<String> = names.iter().map(|name| format!("x.{}", quoted(name))).collect();
        let listed = properties.join(", ");
        let any_is_null = properties.iter().map(|p| format!("{p} IS NULL")).collect::<Vec<_>>().join(" OR ");
        if definition.rule.demands() {
            let missing = format!("{pattern} WHERE {any_is_null} RETURN count(*)");
            if let Some(row) = self.first(&missing, cancel, |row| !matches!(row[..], [Value::Int(0)]))? {
                let (count, names) = (row.first().map(|n| self.written(n)), names.join(" or "));
                return Ok(Some(format!("{} {what}s lack {names}", count.unwrap_or_default())));
            }
        }
        if definition.rule.is_unique() {
            let keys: Vec<String> = (0..properties.len()).map(|i| format!("k{i}")).collect();
            let bound: Vec<String> =
                properties.iter().zip(&keys).map(|(p, k)| format!("{p} AS {k}")).collect();
            let (bound, keys) = (bound.join(", "), keys.join(", "));
            let twice = format!(
                "{pattern} WHERE NOT ({any_is_null}) WITH {bound}, count(*) AS n WHERE n > 1 \
                 RETURN n, {keys} LIMIT 1"
            );
            if let Some(row) = self.first(&twice, cancel, |_| true)? {
                let (count, values) = row.split_first().ok_or_else(no_row)?;
                let text =
                    format!("{} {what}s have {}", self.written(count), self.assignments(&names, values));
                return Ok(Some(text));
            }
        }
        if let Rule::Typed(ty) = &definition.rule {
            let all = format!("{pattern} WHERE NOT ({any_is_null}) RETURN {listed}");
            if let Some(row) = self.first(&all, cancel, |row| !ty.accepts(&row[0]))? {
                let has = self.assignments(&names, &row);
                let text = format!("a {what} has {has}, of type {}", row[0].logical_type());
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// The first row of a query that is of interest.
    fn first(
        &self,
        text: &str,
        cancel: &CancelToken,
        is_wanted: impl Fn(&[Value]) -> bool,
    ) -> Result<Option<Vec<Value>>, Error> {
        let mut result = self.execute_until(text, Default::default(), cancel.clone())?;
        while let Some(row) = result.next_row()? {
            if is_wanted(&row) {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    fn written(&self, value: &Value) -> String {
        let text = trimorph_types::format_literal(value, &Entities::new(self.shared().base()));
        match text.char_indices().nth(SHOWN_CHARS) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }

    /// `name "Ann" and born 1970`.
    fn assignments(&self, names: &[std::sync::Arc<str>], values: &[Value]) -> String {
        let one = |(name, value): (&std::sync::Arc<str>, &Value)| format!("{name} {}", self.written(value));
        names.iter().zip(values).map(one).collect::<Vec<_>>().join(" and ")
    }
}

fn no_row() -> Error {
    Error::Storage("a query answered without its columns".to_owned())
}
