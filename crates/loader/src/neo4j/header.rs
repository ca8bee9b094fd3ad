//! A header field in, what the column is out.

use trimorph_types::LogicalType;

use crate::plan::Parse;
use crate::type_name::{TYPE_NAMES, parse_type};

/// The key space of ids that name none.
const SPACE_DEFAULT: &str = "default";

/// What a column is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// A node's key; a property too if named.
    Id {
        name: Option<String>,
        space: String,
        kind: LogicalType,
    },
    Label,
    Start {
        space: String,
    },
    End {
        space: String,
    },
    Type,
    Ignore,
    Property {
        name: String,
        parse: Parse,
    },
}

/// Whether a field says that its column is something else than a property.
pub(super) fn is_special(text: &str) -> bool {
    let kind = text.split('{').next().and_then(|rest| rest.rsplit_once(':')).map_or("", |(_, kind)| kind);
    let kind = kind.split('(').next().unwrap_or_default().trim();
    ["ID", "START_ID", "END_ID", "LABEL", "TYPE", "IGNORE"].contains(&kind)
}

/// Reads `name:KIND(Space){options}`.
///
/// **Errors**: a clause that says what is wrong with it.
pub(super) fn read_field(text: &str, array_delimiter: u8, id_type: LogicalType) -> Result<Role, String> {
    let text = text.trim();
    let wrong = |why: &str| format!("header field \"{text}\" {why}");
    let (rest, options) = match text.split_once('{') {
        Some((rest, options)) => match options.strip_suffix('}') {
            Some(options) => (rest, options),
            None => return Err(wrong("has no closing brace")),
        },
        None => (text, ""),
    };
    let Some((name, kind)) = rest.rsplit_once(':') else {
        return property(rest, "string", array_delimiter).map_err(|why| wrong(&why));
    };
    let (kind, space) = match kind.split_once('(') {
        Some((kind, space)) => match space.strip_suffix(')') {
            Some(space) => (kind, Some(space)),
            None => return Err(wrong("has no closing parenthesis")),
        },
        None => (kind, None),
    };
    let space_or_default = space.unwrap_or(SPACE_DEFAULT).to_owned();
    match kind {
        "ID" => {
            let name = (!name.is_empty()).then(|| name.to_owned());
            let kind = id_kind(options, id_type).map_err(|why| wrong(&why))?;
            Ok(Role::Id { name, space: space_or_default, kind })
        }
        "START_ID" => Ok(Role::Start { space: space_or_default }),
        "END_ID" => Ok(Role::End { space: space_or_default }),
        "LABEL" => Ok(Role::Label),
        "TYPE" => Ok(Role::Type),
        "IGNORE" => Ok(Role::Ignore),
        _ if !options.is_empty() => Err(wrong("has options, which only ID columns may have")),
        kind => property(name, if kind.is_empty() { "string" } else { kind }, array_delimiter)
            .map_err(|why| wrong(&why)),
    }
}

fn property(name: &str, kind: &str, array_delimiter: u8) -> Result<Role, String> {
    if name.is_empty() {
        return Err("has no name".to_owned());
    }
    match parse_type(kind, array_delimiter) {
        Some(parse) => Ok(Role::Property { name: name.to_owned(), parse }),
        None => Err(format!("has an unknown type; known are {TYPE_NAMES}")),
    }
}

fn id_kind(options: &str, default: LogicalType) -> Result<LogicalType, String> {
    let mut kind = default;
    for option in options.split(',').map(str::trim).filter(|o| !o.is_empty()) {
        match option.split_once(':').map(|(key, value)| (key.trim(), value.trim())) {
            Some(("id-type", "long" | "int" | "integer")) => kind = LogicalType::Int,
            Some(("id-type", "string")) => kind = LogicalType::String,
            _ => return Err(format!("has the unknown option \"{option}\"")),
        }
    }
    Ok(kind)
}
