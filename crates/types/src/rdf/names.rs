//! IRIs that RDF and XML Schema give names.

/// Namespace of XML Schema's datatypes.
pub const XSD: &str = "http://www.w3.org/2001/XMLSchema#";
/// Namespace of RDF's own vocabulary.
pub const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
/// Namespace of RDF Schema.
pub const RDFS: &str = "http://www.w3.org/2000/01/rdf-schema#";

macro_rules! names {
    ($(#[$doc:meta])* $module:ident, $namespace:literal, $all:ident: $($constant:ident $name:literal),* $(,)?) => {
        $(#[$doc])*
        #[expect(missing_docs, reason = "the names are the vocabulary's")]
        pub mod $module {
            $(pub const $constant: &str = concat!($namespace, $name);)*
            /// All of them.
            pub const $all: &[&str] = &[$($constant),*];
        }
    };
}

names! {
    /// Datatypes of XML Schema.
    xsd, "http://www.w3.org/2001/XMLSchema#", ALL:
    STRING "string", BOOLEAN "boolean", INTEGER "integer", DECIMAL "decimal", DOUBLE "double", FLOAT "float",
    DATE "date", TIME "time", DATE_TIME "dateTime", DATE_TIME_STAMP "dateTimeStamp",
    DURATION "duration", DAY_TIME_DURATION "dayTimeDuration", YEAR_MONTH_DURATION "yearMonthDuration",
    BYTE "byte", SHORT "short", INT "int", LONG "long",
    UNSIGNED_BYTE "unsignedByte", UNSIGNED_SHORT "unsignedShort", UNSIGNED_INT "unsignedInt",
    UNSIGNED_LONG "unsignedLong", NON_NEGATIVE_INTEGER "nonNegativeInteger",
    NON_POSITIVE_INTEGER "nonPositiveInteger", NEGATIVE_INTEGER "negativeInteger",
    POSITIVE_INTEGER "positiveInteger",
    G_YEAR "gYear", G_YEAR_MONTH "gYearMonth", G_MONTH "gMonth", G_MONTH_DAY "gMonthDay", G_DAY "gDay",
    HEX_BINARY "hexBinary", BASE64_BINARY "base64Binary", ANY_URI "anyURI",
    NORMALIZED_STRING "normalizedString", TOKEN "token", LANGUAGE "language", NAME "Name", NCNAME "NCName",
}

names! {
    /// RDF's own vocabulary.
    rdf, "http://www.w3.org/1999/02/22-rdf-syntax-ns#", ALL:
    TYPE "type", LANG_STRING "langString", DIR_LANG_STRING "dirLangString", HTML "HTML",
    XML_LITERAL "XMLLiteral", JSON "JSON", FIRST "first", REST "rest", NIL "nil", REIFIES "reifies",
    SUBJECT "subject", PREDICATE "predicate", OBJECT "object", STATEMENT "Statement",
}
