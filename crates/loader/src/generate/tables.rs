//! Rows of text in, one growing text per table out, handed on in pieces.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::SyncSender;

use super::SnbLayout;
use crate::parse::civil_from_days;

/// A table's text is handed on when it is this long.
const PIECE_BYTES: usize = 1 << 20;

/// Half, entity, header in the merged layout (empty: no such file), header in the projected layout.
pub(super) const TABLES: &[(&str, &str, &str, &str)] = &[
    ("static", "Place", "id|name|url|type|PartOfPlaceId", "id|name|url|type"),
    ("static", "Organisation", "id|type|name|url|LocationPlaceId", "id|type|name|url"),
    ("static", "TagClass", "id|name|url|SubclassOfTagClassId", "id|name|url"),
    ("static", "Tag", "id|name|url|TypeTagClassId", "id|name|url"),
    (
        "dynamic",
        "Person",
        "creationDate|id|firstName|lastName|gender|birthday|locationIP|browserUsed|LocationCityId|language|email",
        "creationDate|id|firstName|lastName|gender|birthday|locationIP|browserUsed|language|email",
    ),
    ("dynamic", "Forum", "creationDate|id|title|ModeratorPersonId", "creationDate|id|title"),
    (
        "dynamic",
        "Post",
        "creationDate|id|imageFile|locationIP|browserUsed|language|content|length|CreatorPersonId|ContainerForumId|\
         LocationCountryId",
        "creationDate|id|imageFile|locationIP|browserUsed|language|content|length",
    ),
    (
        "dynamic",
        "Comment",
        "creationDate|id|locationIP|browserUsed|content|length|CreatorPersonId|LocationCountryId|ParentPostId|\
         ParentCommentId",
        "creationDate|id|locationIP|browserUsed|content|length",
    ),
    both("Person_knows_Person", "creationDate|Person1Id|Person2Id"),
    both("Person_hasInterest_Tag", "creationDate|PersonId|TagId"),
    both("Person_studyAt_University", "creationDate|PersonId|UniversityId|classYear"),
    both("Person_workAt_Company", "creationDate|PersonId|CompanyId|workFrom"),
    both("Person_likes_Post", "creationDate|PersonId|PostId"),
    both("Person_likes_Comment", "creationDate|PersonId|CommentId"),
    both("Forum_hasMember_Person", "creationDate|ForumId|PersonId"),
    both("Forum_hasTag_Tag", "creationDate|ForumId|TagId"),
    both("Post_hasTag_Tag", "creationDate|PostId|TagId"),
    both("Comment_hasTag_Tag", "creationDate|CommentId|TagId"),
    ("static", "Place_isPartOf_Place", "", "Place1Id|Place2Id"),
    ("static", "Organisation_isLocatedIn_Place", "", "OrganisationId|PlaceId"),
    ("static", "TagClass_isSubclassOf_TagClass", "", "TagClass1Id|TagClass2Id"),
    ("static", "Tag_hasType_TagClass", "", "TagId|TagClassId"),
    ("dynamic", "Person_isLocatedIn_City", "", "creationDate|PersonId|CityId"),
    ("dynamic", "Forum_hasModerator_Person", "", "creationDate|ForumId|PersonId"),
    ("dynamic", "Forum_containerOf_Post", "", "creationDate|ForumId|PostId"),
    ("dynamic", "Post_hasCreator_Person", "", "creationDate|PostId|PersonId"),
    ("dynamic", "Post_isLocatedIn_Country", "", "creationDate|PostId|CountryId"),
    ("dynamic", "Comment_hasCreator_Person", "", "creationDate|CommentId|PersonId"),
    ("dynamic", "Comment_isLocatedIn_Country", "", "creationDate|CommentId|CountryId"),
    ("dynamic", "Comment_replyOf_Post", "", "creationDate|CommentId|PostId"),
    ("dynamic", "Comment_replyOf_Comment", "", "creationDate|Comment1Id|Comment2Id"),
];

const fn both(
    entity: &'static str,
    header: &'static str,
) -> (&'static str, &'static str, &'static str, &'static str) {
    ("dynamic", entity, header, header)
}

/// Indexes into [`TABLES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Table {
    Place,
    Organisation,
    TagClass,
    Tag,
    Person,
    Forum,
    Post,
    Comment,
    Knows,
    Interest,
    Study,
    Work,
    LikePost,
    LikeComment,
    Member,
    ForumTag,
    PostTag,
    CommentTag,
    PartOf,
    OrganisationPlace,
    SubclassOf,
    TagType,
    PersonCity,
    Moderator,
    Container,
    PostCreator,
    PostCountry,
    CommentCreator,
    CommentCountry,
    ReplyPost,
    ReplyComment,
}

/// The header of a table; empty if the layout has no such file.
pub(super) fn header(table: usize, layout: SnbLayout) -> &'static str {
    let (_, _, merged, projected) = TABLES[table];
    match layout {
        SnbLayout::Merged => merged,
        SnbLayout::Projected => projected,
    }
}

/// Where a table's file is below the directory of the data set.
pub(super) fn file_path(table: usize) -> PathBuf {
    let (half, entity, ..) = TABLES[table];
    Path::new("initial_snapshot").join(half).join(entity).join("part-00000.csv")
}

/// Takes pieces of text in, in order within a table.
pub(super) trait Out {
    fn write(&mut self, table: usize, piece: Vec<u8>) -> io::Result<()>;
}

/// Files below a directory.
pub(super) struct Disk {
    files: Vec<Option<File>>,
}

impl Disk {
    pub(super) fn create(root: &Path, layout: SnbLayout) -> io::Result<Self> {
        let mut files = Vec::new();
        for table in 0..TABLES.len() {
            if header(table, layout).is_empty() {
                files.push(None);
                continue;
            }
            let path = root.join(file_path(table));
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            files.push(Some(File::create(path)?));
        }
        Ok(Self { files })
    }
}

impl Out for Disk {
    fn write(&mut self, table: usize, piece: Vec<u8>) -> io::Result<()> {
        match &mut self.files[table] {
            Some(file) => file.write_all(&piece),
            None => Ok(()),
        }
    }
}

/// Another thread.
impl Out for SyncSender<(usize, Vec<u8>)> {
    fn write(&mut self, table: usize, piece: Vec<u8>) -> io::Result<()> {
        self.send((table, piece)).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
    }
}

/// Texts of all tables under way.
pub(super) struct Tables<'a> {
    pub(super) layout: SnbLayout,
    texts: Vec<Vec<u8>>,
    pub(super) rows: Vec<u64>,
    pub(super) bytes: u64,
    out: &'a mut dyn Out,
    failed: Option<io::Error>,
}

impl<'a> Tables<'a> {
    pub(super) fn new(layout: SnbLayout, out: &'a mut dyn Out) -> Self {
        let texts = (0..TABLES.len()).map(|table| match header(table, layout) {
            "" => Vec::new(),
            names => format!("{names}\n").into_bytes(),
        });
        Self { layout, texts: texts.collect(), rows: vec![0; TABLES.len()], bytes: 0, out, failed: None }
    }

    /// Begins a row.
    pub(super) fn row(&mut self, table: Table) -> Row<'_> {
        let index = table as usize;
        self.rows[index] += 1;
        if self.texts[index].len() >= PIECE_BYTES {
            self.hand_on(index);
        }
        Row(&mut self.texts[index])
    }

    /// Whether the output failed, so that there is no use in going on.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Hands on what is left.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        for index in 0..self.texts.len() {
            self.hand_on(index);
        }
        self.failed.take().map_or(Ok(()), Err)
    }

    fn hand_on(&mut self, index: usize) {
        let text = std::mem::take(&mut self.texts[index]);
        self.bytes += text.len() as u64;
        if self.failed.is_none()
            && !text.is_empty()
            && let Err(error) = self.out.write(index, text)
        {
            self.failed = Some(error);
        }
    }
}

/// A row under way. Every field is written with a delimiter after it; `end` makes the last one a line end.
pub(super) struct Row<'a>(&'a mut Vec<u8>);

impl Row<'_> {
    pub(super) fn text(self, text: &str) -> Self {
        self.0.extend_from_slice(text.as_bytes());
        self.0.push(b'|');
        self
    }

    pub(super) fn int(self, value: u64) -> Self {
        push_int(self.0, value);
        self.0.push(b'|');
        self
    }

    pub(super) fn index(self, value: usize) -> Self {
        self.int(value as u64)
    }

    /// Empty if there is none.
    pub(super) fn optional(self, value: Option<u64>) -> Self {
        match value {
            Some(value) => self.int(value),
            None => self.text(""),
        }
    }

    pub(super) fn date(self, days: i64) -> Self {
        push_date(self.0, days);
        self.0.push(b'|');
        self
    }

    /// An instant in milliseconds.
    pub(super) fn instant(self, at: i64) -> Self {
        push_date(self.0, at.div_euclid(86_400_000));
        let millis = at.rem_euclid(86_400_000).cast_unsigned();
        self.0.push(b'T');
        push_padded(self.0, millis / 3_600_000, 2);
        self.0.push(b':');
        push_padded(self.0, millis / 60_000 % 60, 2);
        self.0.push(b':');
        push_padded(self.0, millis / 1_000 % 60, 2);
        self.0.push(b'.');
        push_padded(self.0, millis % 1_000, 3);
        self.0.extend_from_slice(b"+00:00|");
        self
    }

    pub(super) fn ip(self, ip: [u8; 4]) -> Self {
        for (i, byte) in ip.into_iter().enumerate() {
            if i > 0 {
                self.0.push(b'.');
            }
            push_int(self.0, byte.into());
        }
        self.0.push(b'|');
        self
    }

    /// Strings between `;`.
    pub(super) fn list<T: AsRef<str>>(self, items: &[T]) -> Self {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.0.push(b';');
            }
            self.0.extend_from_slice(item.as_ref().as_bytes());
        }
        self.0.push(b'|');
        self
    }

    pub(super) fn end(self) {
        if let Some(last) = self.0.last_mut() {
            *last = b'\n';
        }
    }
}

fn push_date(out: &mut Vec<u8>, days: i64) {
    let (year, month, day) = civil_from_days(days);
    push_padded(out, year.unsigned_abs(), 4);
    out.push(b'-');
    push_padded(out, month.into(), 2);
    out.push(b'-');
    push_padded(out, day.into(), 2);
}

fn push_padded(out: &mut Vec<u8>, value: u64, width: u32) {
    for place in (0..width).rev() {
        push_digit(out, value / 10_u64.pow(place));
    }
}

fn push_int(out: &mut Vec<u8>, value: u64) {
    let start = out.len();
    let mut rest = value;
    loop {
        push_digit(out, rest);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out[start..].reverse();
}

/// The last digit.
fn push_digit(out: &mut Vec<u8>, value: u64) {
    out.push(b'0' + (value % 10) as u8);
}
