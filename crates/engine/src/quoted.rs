//! A name in, the name as openCypher writes it whatever it is out.

/// In backticks.
pub(crate) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}
