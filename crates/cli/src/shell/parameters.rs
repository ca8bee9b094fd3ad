//! `:param` and `:params`: values for the parameters of statements.

use std::io::Write;
use std::sync::Arc;

use super::session::Session;
use crate::failure::Failure;
use crate::interrupt::interrupted;
use crate::output::literal;
use crate::params;
use crate::text::columns::{Align, align};

/// `name=literal`, also `name literal`; `name => expression` computes the value.
pub(super) fn set(session: &mut Session, argument: &str, out: &mut dyn Write) -> Result<(), Failure> {
    if argument.is_empty() {
        return list(session, "", out);
    }
    let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | ' '));
    let (name, value) = match argument.split_once("=>") {
        Some((name, expression)) if is_name(name) => {
            let name = name.trim().trim_start_matches('$');
            if name.is_empty() {
                return Err(Failure::message("the parameter has no name; write :param NAME => EXPRESSION"));
            }
            let (_guard, cancel) = interrupted();
            let text = format!("RETURN {}", expression.trim());
            let params = Arc::clone(&session.asking.params);
            let mut result = session.asking.connection.execute_until(&text, params, cancel)?;
            let value = result.next_row()?.and_then(|row| row.into_iter().next()).unwrap_or_default();
            (name.to_owned(), value)
        }
        _ => {
            let head = argument.split('=').next().unwrap_or_default();
            let pair = match argument.contains('=') && is_name(head) {
                true => argument.to_owned(),
                false => argument.replacen(char::is_whitespace, "=", 1),
            };
            params::parse_pair(&pair).map_err(Failure::message)?
        }
    };
    Arc::make_mut(&mut session.asking.params).insert(name.into(), value);
    Ok(())
}

/// Shows the parameters as the literals that they are, or forgets them.
pub(super) fn list(session: &mut Session, argument: &str, out: &mut dyn Write) -> Result<(), Failure> {
    match argument {
        "" => {}
        "clear" => {
            session.asking.params = Arc::default();
            return Ok(());
        }
        other => {
            return Err(Failure::message(format!(
                "\":params {other}\" is nothing that is known; :params shows them, :params clear forgets them"
            )));
        }
    }
    // Only a result can put a value into words.
    let result = session.asking.connection.query("RETURN 1", &[])?;
    let rows = session.asking.params.iter().map(|(name, value)| {
        let kind = session.terminal.out.dim(value.logical_type().name());
        vec![format!("${name} = {}", literal(value, &result)), kind]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    out.write_all(align(&rows, &[Align::Left; 2], 0).as_bytes())?;
    Ok(())
}
