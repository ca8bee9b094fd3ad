//! Indexes and constraints: statements about them in, definitions in the catalog out; what is there already
//! is looked at before a constraint stands.
//!
//! ```text
//! mod         a statement: done, or answered
//! define      made and dropped: published, checked, logged
//! dropped     what goes with one that is dropped
//! indexed     columns that are to have an index of their values get it
//! existing    what is there already, asked in Cypher
//! logged      definitions <-> operations of the log
//! shown       definitions as rows, and what a query asks of them
//! ```
//!
//! 1. The definition is published: from now on who writes keeps to it.
//! 2. Everything that has a timestamp by then is waited for, and looked at. What violates a constraint is an
//!    error, and the definition goes again.
//! 3. It is logged. A crash before leaves nothing of it.
//!
//! A transaction that wrote before 1 and commits after it looks at the definitions when it commits, after it
//! has its timestamp: so what it wrote is found in 2, or it finds the definition. Checkpoints wait meanwhile,
//! so that no manifest has what was not logged.
//!
//! Source: `docs/design/transactions.md`, "Who conflicts with whom".

mod define;
mod dropped;
mod existing;
mod indexed;
mod logged;
mod shown;

pub(crate) use define::DEFINITIONS_MAX;
pub(crate) use dropped::take_away;
pub(crate) use logged::{definition_of, operation_of};

use trimorph_base::CancelToken;
use trimorph_cypher::ast::{SchemaItem, SchemaStatement};

use crate::commands::Answer;
use crate::connection::Connection;
use crate::params::Params;
use crate::{Error, SideEffects};

impl Connection {
    /// Does what a statement about indexes or constraints says.
    ///
    /// **Errors**: within a transaction; a name or a definition that is there already, or is not; what is
    /// there violates the constraint.
    pub(crate) fn obey_schema(
        &self,
        statement: SchemaStatement,
        text: &str,
        params: &Params,
        cancel: &CancelToken,
    ) -> Result<(Answer, SideEffects), Error> {
        let done = match statement {
            SchemaStatement::Show(item, how) => {
                let answer = self.show(item, how.as_ref(), (text, params), cancel)?;
                return Ok((answer, SideEffects::default()));
            }
            SchemaStatement::ShowTransactions(how) => {
                let answer = self.show_transactions(how.as_ref(), (text, params), cancel)?;
                return Ok((answer, SideEffects::default()));
            }
            _ if self.in_transaction() => {
                let text = "indexes and constraints are made and dropped outside of transactions; \
                            commit or roll back first";
                return Err(Error::Transaction(text.to_owned()));
            }
            SchemaStatement::Create(definition) => {
                let is_index = definition.rule == trimorph_cypher::ast::Rule::Index;
                let made = u64::from(self.define(&definition, text, cancel)?);
                match is_index {
                    true => SideEffects { indexes_added: made, ..SideEffects::default() },
                    false => SideEffects { constraints_added: made, ..SideEffects::default() },
                }
            }
            SchemaStatement::Drop { what, name, if_exists } => {
                let dropped = u64::from(self.drop_definition(what, &name, if_exists, text, cancel)?);
                match what {
                    SchemaItem::Index => SideEffects { indexes_removed: dropped, ..SideEffects::default() },
                    SchemaItem::Constraint => {
                        SideEffects { constraints_removed: dropped, ..SideEffects::default() }
                    }
                }
            }
        };
        Ok((Answer::nothing(), done))
    }
}
