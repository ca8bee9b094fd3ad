//! LDBC SNB's schema: what each file and column means.
//!
//! Source: LDBC SNB specification v2.2.4, §2.3 and appendix "Composite-merged-FK / Composite-projected-FK".

use trimorph_types::LogicalType;

use LogicalType::{Date, DateTime, Int, List, String as Text};

/// A kind of node; its key space has the same name and its key is `id`.
pub(super) struct NodeRule {
    pub(super) entity: &'static str,
    /// Labels of every row.
    pub(super) labels: &'static [&'static str],
    /// Further label by the `type` column.
    pub(super) kinds: &'static [&'static str],
    pub(super) properties: &'static [(&'static str, LogicalType)],
}

/// A kind of edge. `List` properties are strings between `;`.
pub(super) struct EdgeRule {
    pub(super) label: &'static str,
    pub(super) from: &'static str,
    pub(super) to: &'static str,
    /// A file of its own: entity, column of the source, column of the target.
    pub(super) file: (&'static str, &'static str, &'static str),
    /// In merged files: entity and foreign-key column. The row's node is the source, unless it is `to`'s and
    /// `reversed`.
    pub(super) foreign_key: Option<(&'static str, &'static str)>,
    pub(super) reversed: bool,
    pub(super) properties: &'static [(&'static str, LogicalType)],
}

const NAMED: &[(&str, LogicalType)] = &[("name", Text), ("url", Text)];

/// All kinds of nodes, in the order they are declared.
pub(super) const NODES: &[NodeRule] = &[
    NodeRule {
        entity: "Place",
        labels: &["Place"],
        kinds: &["City", "Country", "Continent"],
        properties: NAMED,
    },
    NodeRule {
        entity: "Organisation",
        labels: &["Organisation"],
        kinds: &["University", "Company"],
        properties: NAMED,
    },
    NodeRule { entity: "TagClass", labels: &["TagClass"], kinds: &[], properties: NAMED },
    NodeRule { entity: "Tag", labels: &["Tag"], kinds: &[], properties: NAMED },
    NodeRule {
        entity: "Person",
        labels: &["Person"],
        kinds: &[],
        properties: &[
            ("creationDate", DateTime),
            ("firstName", Text),
            ("lastName", Text),
            ("gender", Text),
            ("birthday", Date),
            ("locationIP", Text),
            ("browserUsed", Text),
            ("language", List),
            ("email", List),
        ],
    },
    NodeRule {
        entity: "Forum",
        labels: &["Forum"],
        kinds: &[],
        properties: &[("creationDate", DateTime), ("title", Text)],
    },
    NodeRule {
        entity: "Post",
        labels: &["Message", "Post"],
        kinds: &[],
        properties: &[
            ("creationDate", DateTime),
            ("imageFile", Text),
            ("locationIP", Text),
            ("browserUsed", Text),
            ("language", Text),
            ("content", Text),
            ("length", Int),
        ],
    },
    NodeRule {
        entity: "Comment",
        labels: &["Message", "Comment"],
        kinds: &[],
        properties: &[
            ("creationDate", DateTime),
            ("locationIP", Text),
            ("browserUsed", Text),
            ("content", Text),
            ("length", Int),
        ],
    },
];

const DATED: &[(&str, LogicalType)] = &[("creationDate", DateTime)];

const fn edge(
    label: &'static str,
    from: &'static str,
    to: &'static str,
    file: (&'static str, &'static str, &'static str),
) -> EdgeRule {
    EdgeRule { label, from, to, file, foreign_key: None, reversed: false, properties: &[] }
}

impl EdgeRule {
    const fn key(mut self, entity: &'static str, column: &'static str) -> Self {
        self.foreign_key = Some((entity, column));
        self
    }

    const fn reversed(mut self) -> Self {
        self.reversed = true;
        self
    }

    const fn with(mut self, properties: &'static [(&'static str, LogicalType)]) -> Self {
        self.properties = properties;
        self
    }
}

/// All kinds of edges, in the order they are declared.
pub(super) const EDGES: &[EdgeRule] = &[
    edge("IS_PART_OF", "Place", "Place", ("Place_isPartOf_Place", "Place1Id", "Place2Id"))
        .key("Place", "PartOfPlaceId"),
    edge(
        "IS_LOCATED_IN",
        "Organisation",
        "Place",
        ("Organisation_isLocatedIn_Place", "OrganisationId", "PlaceId"),
    )
    .key("Organisation", "LocationPlaceId"),
    edge(
        "IS_SUBCLASS_OF",
        "TagClass",
        "TagClass",
        ("TagClass_isSubclassOf_TagClass", "TagClass1Id", "TagClass2Id"),
    )
    .key("TagClass", "SubclassOfTagClassId"),
    edge("HAS_TYPE", "Tag", "TagClass", ("Tag_hasType_TagClass", "TagId", "TagClassId"))
        .key("Tag", "TypeTagClassId"),
    edge("IS_LOCATED_IN", "Person", "Place", ("Person_isLocatedIn_City", "PersonId", "CityId"))
        .key("Person", "LocationCityId"),
    edge("HAS_INTEREST", "Person", "Tag", ("Person_hasInterest_Tag", "PersonId", "TagId")),
    edge("STUDY_AT", "Person", "Organisation", ("Person_studyAt_University", "PersonId", "UniversityId"))
        .with(&[("classYear", Int)]),
    edge("WORK_AT", "Person", "Organisation", ("Person_workAt_Company", "PersonId", "CompanyId"))
        .with(&[("workFrom", Int)]),
    edge("KNOWS", "Person", "Person", ("Person_knows_Person", "Person1Id", "Person2Id")).with(DATED),
    edge("HAS_MODERATOR", "Forum", "Person", ("Forum_hasModerator_Person", "ForumId", "PersonId"))
        .key("Forum", "ModeratorPersonId"),
    edge("HAS_MEMBER", "Forum", "Person", ("Forum_hasMember_Person", "ForumId", "PersonId")).with(DATED),
    edge("HAS_TAG", "Forum", "Tag", ("Forum_hasTag_Tag", "ForumId", "TagId")),
    edge("CONTAINER_OF", "Forum", "Post", ("Forum_containerOf_Post", "ForumId", "PostId"))
        .key("Post", "ContainerForumId")
        .reversed(),
    edge("HAS_CREATOR", "Post", "Person", ("Post_hasCreator_Person", "PostId", "PersonId"))
        .key("Post", "CreatorPersonId"),
    edge("IS_LOCATED_IN", "Post", "Place", ("Post_isLocatedIn_Country", "PostId", "CountryId"))
        .key("Post", "LocationCountryId"),
    edge("HAS_TAG", "Post", "Tag", ("Post_hasTag_Tag", "PostId", "TagId")),
    edge("HAS_CREATOR", "Comment", "Person", ("Comment_hasCreator_Person", "CommentId", "PersonId"))
        .key("Comment", "CreatorPersonId"),
    edge("IS_LOCATED_IN", "Comment", "Place", ("Comment_isLocatedIn_Country", "CommentId", "CountryId"))
        .key("Comment", "LocationCountryId"),
    edge("REPLY_OF", "Comment", "Post", ("Comment_replyOf_Post", "CommentId", "PostId"))
        .key("Comment", "ParentPostId"),
    edge("REPLY_OF", "Comment", "Comment", ("Comment_replyOf_Comment", "Comment1Id", "Comment2Id"))
        .key("Comment", "ParentCommentId"),
    edge("HAS_TAG", "Comment", "Tag", ("Comment_hasTag_Tag", "CommentId", "TagId")),
    edge("LIKES", "Person", "Post", ("Person_likes_Post", "PersonId", "PostId")).with(DATED),
    edge("LIKES", "Person", "Comment", ("Person_likes_Comment", "PersonId", "CommentId")).with(DATED),
];
