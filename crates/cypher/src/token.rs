//! Tokens: what the lexer gives and the parser takes.

use trimorph_base::Span;

/// One token: its kind, its place, and for a bracket the index of its partner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// For an opening bracket that is closed properly, the index of the closing token; 0 otherwise.
    pub(crate) partner: u32,
}

impl Token {
    pub(crate) fn span(&self) -> Span {
        Span::new(self.start, self.end)
    }
}

/// The kinds of tokens. What is wrong with a bad one is said only if the parser comes to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// A name without backticks; `Some` if it spells a keyword.
    Word(Option<Keyword>),
    /// A name in backticks.
    QuotedName,
    /// `$name`, `$0`, `` $`name` ``.
    Parameter,
    /// A string literal; escapes are looked at by the parser.
    String,
    /// `<http://…>` of a `PREFIX` declaration.
    Iri,
    Integer,
    HexInteger,
    OctalInteger,
    Float,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Comma,
    Dot,
    DotDot,
    Colon,
    DoubleColon,
    Semicolon,
    Bar,
    Ampersand,
    Bang,
    Plus,
    PlusEqual,
    Minus,
    /// One of the dashes of Unicode: fit for a relationship, not for arithmetic.
    OtherDash,
    Star,
    Slash,
    Percent,
    Caret,
    Equal,
    EqualTilde,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// One of the left angles of Unicode: fit for a relationship only.
    OtherLess,
    /// One of the right angles of Unicode: fit for a relationship only.
    OtherGreater,
    /// Digits with something that does not belong to a number right after them, or `0x` without digits.
    BadNumber,
    /// A string, backtick or comment that is not closed.
    Unclosed,
    /// A character no token begins with.
    BadCharacter,
    /// The end of the text.
    End,
}

macro_rules! keywords {
    ($($name:ident = $text:literal,)*) => {
        /// Words with a meaning of their own somewhere in the grammar.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Keyword { $($name,)* }

        impl Keyword {
            /// The keyword that `word` spells, in whatever case.
            pub(crate) fn of(word: &str) -> Option<Self> {
                let mut upper = [0u8; KEYWORD_BYTES_MAX];
                let upper = upper.get_mut(..word.len())?;
                upper.copy_from_slice(word.as_bytes());
                upper.make_ascii_uppercase();
                match &*upper {
                    $(bytes if bytes == $text.as_bytes() => Some(Self::$name),)*
                    _ => None,
                }
            }

            /// How messages write it.
            pub(crate) fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// All of them.
            #[cfg(test)]
            pub(crate) const ALL: &'static [Self] = &[$(Self::$name,)*];
        }
    };
}

/// Length of the longest keyword.
const KEYWORD_BYTES_MAX: usize = 16;

keywords! {
    All = "ALL",
    AllShortestPaths = "ALLSHORTESTPATHS",
    And = "AND",
    Any = "ANY",
    As = "AS",
    Asc = "ASC",
    Ascending = "ASCENDING",
    By = "BY",
    Call = "CALL",
    Case = "CASE",
    Collect = "COLLECT",
    Contains = "CONTAINS",
    Count = "COUNT",
    Create = "CREATE",
    Delete = "DELETE",
    Desc = "DESC",
    Descending = "DESCENDING",
    Detach = "DETACH",
    Distinct = "DISTINCT",
    Else = "ELSE",
    End = "END",
    Ends = "ENDS",
    Exists = "EXISTS",
    Explain = "EXPLAIN",
    False = "FALSE",
    Foreach = "FOREACH",
    In = "IN",
    Is = "IS",
    Limit = "LIMIT",
    Match = "MATCH",
    Merge = "MERGE",
    None = "NONE",
    Not = "NOT",
    Null = "NULL",
    Offset = "OFFSET",
    On = "ON",
    Optional = "OPTIONAL",
    Or = "OR",
    Order = "ORDER",
    Prefix = "PREFIX",
    Profile = "PROFILE",
    Reduce = "REDUCE",
    Remove = "REMOVE",
    Return = "RETURN",
    Set = "SET",
    ShortestPath = "SHORTESTPATH",
    Single = "SINGLE",
    Skip = "SKIP",
    Starts = "STARTS",
    Then = "THEN",
    True = "TRUE",
    Union = "UNION",
    Unwind = "UNWIND",
    When = "WHEN",
    Where = "WHERE",
    With = "WITH",
    Xor = "XOR",
    Yield = "YIELD",
}

impl Keyword {
    /// Whether the word may name a variable, parameter-less function or prefix only in backticks.
    ///
    /// Fewer than openCypher 9 reserves: only those that would make the grammar ambiguous or a mistake hard
    /// to explain. Labels, types and property keys may be any word.
    pub(crate) fn is_reserved(self) -> bool {
        use Keyword as K;
        matches!(
            self,
            K::And
                | K::As
                | K::Case
                | K::Contains
                | K::Create
                | K::Delete
                | K::Detach
                | K::Distinct
                | K::Else
                | K::Ends
                | K::False
                | K::In
                | K::Is
                | K::Limit
                | K::Match
                | K::Merge
                | K::Not
                | K::Null
                | K::Optional
                | K::Or
                | K::Order
                | K::Remove
                | K::Return
                | K::Set
                | K::Skip
                | K::Starts
                | K::Then
                | K::True
                | K::Union
                | K::Unwind
                | K::When
                | K::Where
                | K::With
                | K::Xor
        )
    }
}
