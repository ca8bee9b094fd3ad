//! Statements about transactions (`read_command` finds them in a text), and the rows that they answer with.

use std::sync::Arc;

use trimorph_algebra::{BoundQuery, Plan, Vars};
use trimorph_exec::GivenRows;
use trimorph_mvcc::Isolation;
use trimorph_types::{DateTime, Duration, LogicalType, Value, Zone};

use crate::following::Standing;

/// A statement about transactions.
pub(crate) enum Command {
    /// `BEGIN`, with a level if one is named, and whether it is to read only.
    Begin(Option<Isolation>, bool),
    /// `COMMIT`.
    Commit,
    /// `ROLLBACK`.
    Rollback,
    /// `CHECKPOINT`.
    Checkpoint,
    /// `REORGANIZE`.
    Reorganize,
    /// `SHOW DATABASE`.
    ShowDatabase,
    /// `TERMINATE TRANSACTION` with the numbers of some.
    Terminate(Vec<u64>),
}

/// `SHOW FUNCTIONS` and `SHOW PROCEDURES` as the call that they stand for, with what follows them.
pub(crate) fn shown_by_a_call(text: &str) -> Option<String> {
    let mut rest = text.trim_start();
    let mut word = |words: &[&str]| {
        let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let is = words.iter().any(|w| w.eq_ignore_ascii_case(&rest[..end]));
        if is {
            rest = rest[end..].trim_start();
        }
        is
    };
    if !word(&["SHOW"]) {
        return None;
    }
    // Neo4j's kinds of functions and procedures: there is one here.
    let _ = word(&["ALL"]) || (word(&["BUILT"]) && word(&["IN"]));
    let (procedure, columns) = if word(&["FUNCTION", "FUNCTIONS"]) {
        ("dbms.functions()", "name, signature, description, aggregating")
    } else if word(&["PROCEDURE", "PROCEDURES"]) {
        ("dbms.procedures()", "name, signature")
    } else {
        return None;
    };
    let has_yield = word(&["YIELD"]);
    let rest = rest.trim_end().trim_end_matches(';').trim_end();
    if rest.is_empty() && !has_yield {
        return Some(format!("CALL {procedure}"));
    }
    let (named, rest) = match (has_yield, rest.strip_prefix('*')) {
        (true, Some(rest)) => (columns, rest),
        (true, None) => ("", rest),
        (false, _) => (columns, rest),
    };
    // A call needs a RETURN, and its order and limit stand behind that.
    let is_word_at = |at: usize, words: &[&str]| {
        let before = rest[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_');
        let begins = |w: &&str| rest[at..].get(..w.len()).is_some_and(|head| head.eq_ignore_ascii_case(w));
        before && words.iter().any(begins)
    };
    let places = || rest.char_indices().map(|(at, _)| at);
    if places().any(|at| is_word_at(at, &["RETURN"])) {
        return Some(format!("CALL {procedure} YIELD {named} {rest}"));
    }
    let cut =
        places().find(|at| is_word_at(*at, &["ORDER ", "SKIP ", "OFFSET ", "LIMIT "])).unwrap_or(rest.len());
    let returned = if named.is_empty() { "*" } else { named };
    Some(format!("CALL {procedure} YIELD {named} {} RETURN {returned} {}", &rest[..cut], &rest[cut..]))
}

/// The isolation level of a name, whatever its letters' case.
pub(crate) fn isolation(name: &str) -> Option<Isolation> {
    match name.to_ascii_lowercase().as_str() {
        "serializable" => Some(Isolation::Serializable),
        "snapshot" => Some(Isolation::Snapshot),
        "read committed" => Some(Isolation::ReadCommitted),
        _ => None,
    }
}

/// Microseconds since 1970 as an instant.
fn at_utc(micros: i64) -> DateTime {
    let nanos = micros.rem_euclid(1_000_000) * 1_000;
    DateTime { seconds: micros.div_euclid(1_000_000), nanos: nanos as u32, zone: Zone::Offset(0) }
}

/// A table of values with names of columns, as the result of a query.
pub(crate) struct Answer {
    pub(crate) query: BoundQuery,
    pub(crate) rows: Arc<GivenRows>,
}

impl Answer {
    /// One number.
    pub(crate) fn count(name: &str, count: u64) -> Self {
        let count = Value::Int(i64::try_from(count).unwrap_or(i64::MAX));
        Self::table(&[(name, LogicalType::Int)], vec![vec![count]])
    }

    /// No columns and no rows.
    pub(crate) fn nothing() -> Self {
        Self::table(&[], Vec::new())
    }

    /// `rows` have a value for each column.
    pub(crate) fn table(columns: &[(&str, LogicalType)], rows: Vec<Vec<Value>>) -> Self {
        let mut vars = Vars::default();
        let ids: Vec<_> = columns.iter().map(|(name, ty)| vars.named(*name, *ty)).collect();
        let names = columns.iter().map(|(name, _)| (*name).to_owned()).zip(ids.iter().copied()).collect();
        let len = rows.len();
        let mut values: Vec<Vec<Value>> = columns.iter().map(|_| Vec::with_capacity(len)).collect();
        for row in rows {
            values.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
        let query = BoundQuery::new(Plan::Unit, names, vars);
        Self { query, rows: Arc::new(GivenRows { vars: ids, columns: values, len }) }
    }

    /// The database, and how far it is behind one that it follows.
    pub(crate) fn database(standing: &Standing) -> Self {
        let columns = [
            ("name", LogicalType::String),
            ("access", LogicalType::String),
            ("status", LogicalType::String),
            ("lastCommit", LogicalType::Int),
            ("lastCommitAt", LogicalType::DateTime),
            ("lag", LogicalType::Duration),
            ("message", LogicalType::String),
        ];
        let lag = standing.lag.as_ref();
        let error = lag.and_then(|lag| lag.error.as_deref());
        let status = match (lag, error) {
            (None, _) => "online",
            (Some(_), None) => "following",
            (Some(_), Some(_)) => "stale",
        };
        let since = lag.and_then(|lag| {
            let seconds = i64::try_from(lag.since_look.as_secs()).unwrap_or(i64::MAX);
            Duration::normalized(0, 0, seconds, i64::from(lag.since_look.subsec_nanos()))
        });
        let at = lag.and_then(|lag| lag.last_commit_at);
        let row = vec![
            Value::String(standing.name.as_str().into()),
            Value::String(if standing.is_read_only { "read-only" } else { "read-write" }.into()),
            Value::String(status.into()),
            Value::Int(i64::try_from(standing.last_commit).unwrap_or(i64::MAX)),
            at.map_or(Value::Null, |at| Value::DateTime(at_utc(at))),
            since.map_or(Value::Null, Value::Duration),
            error.map_or(Value::Null, |error| Value::String(error.into())),
        ];
        Self::table(&columns, vec![row])
    }

    /// What became of the transactions that were to be ended.
    pub(crate) fn terminated(numbers: Vec<(u64, bool)>) -> Self {
        let columns = [("transaction", LogicalType::Int), ("message", LogicalType::String)];
        let rows = numbers.into_iter().map(|(number, was_open)| {
            let message = if was_open { "terminated" } else { "there is no open transaction of this number" };
            vec![Value::Int(number.cast_signed()), Value::String(message.into())]
        });
        Self::table(&columns, rows.collect())
    }
}
