//! Entities in, rows of either layout out.

use super::SnbLayout;
use super::persons::Person;
use super::tables::{Table, Tables};
use super::world::World;

/// A forum.
pub(super) struct Forum {
    pub(super) id: u64,
    pub(super) created: i64,
    pub(super) title: String,
    pub(super) moderator: u64,
    pub(super) tags: Vec<usize>,
}

/// A post or comment.
pub(super) struct Message<'a> {
    pub(super) id: u64,
    pub(super) created: i64,
    pub(super) creator: u64,
    pub(super) country: usize,
    pub(super) ip: [u8; 4],
    pub(super) browser: &'a str,
    pub(super) content: &'a str,
    pub(super) tags: &'a [usize],
}

/// What a comment replies to.
#[derive(Clone, Copy)]
pub(super) enum Parent {
    Post(u64),
    Comment(u64),
}

impl Tables<'_> {
    fn is_merged(&self) -> bool {
        self.layout == SnbLayout::Merged
    }

    /// Everything static.
    pub(super) fn world(&mut self, world: &World) {
        let merged = self.is_merged();
        for (id, place) in world.places.iter().enumerate() {
            let url = format!("http://trimorph.example/place/{}", place.name);
            let row = self.row(Table::Place).index(id).text(&place.name).text(&url).text(place.kind);
            if merged {
                row.optional(place.part_of.map(|p| p as u64)).end();
            } else {
                row.end();
                if let Some(part_of) = place.part_of {
                    self.row(Table::PartOf).index(id).index(part_of).end();
                }
            }
        }
        for (id, organisation) in world.organisations.iter().enumerate() {
            let url = format!("http://trimorph.example/organisation/{}", organisation.name);
            let row = self.row(Table::Organisation).index(id).text(organisation.kind);
            let row = row.text(&organisation.name).text(&url);
            if merged {
                row.index(organisation.place).end();
            } else {
                row.end();
                self.row(Table::OrganisationPlace).index(id).index(organisation.place).end();
            }
        }
        let classes = &world.words.classes;
        for (id, class) in classes.iter().enumerate() {
            let parent = classes.iter().position(|c| c.name == class.parent).map(|p| p as u64);
            let url = format!("http://trimorph.example/class/{}", class.name);
            let row = self.row(Table::TagClass).index(id).text(class.name).text(&url);
            if merged {
                row.optional(parent).end();
            } else {
                row.end();
                if let Some(parent) = parent {
                    self.row(Table::SubclassOf).index(id).int(parent).end();
                }
            }
        }
        for (id, tag) in world.tags.iter().enumerate() {
            let url = format!("http://trimorph.example/tag/{}", tag.name);
            let row = self.row(Table::Tag).index(id).text(&tag.name).text(&url);
            if merged {
                row.index(tag.class).end();
            } else {
                row.end();
                self.row(Table::TagType).index(id).index(tag.class).end();
            }
        }
    }

    /// A person with studies, work, interests, and friends of larger id.
    pub(super) fn person(&mut self, person: &Person, persons: &[Person]) {
        let (id, created) = (person.id, person.created);
        let gender = if person.male { "male" } else { "female" };
        let merged = self.is_merged();
        let row = self.row(Table::Person).instant(created).int(id).text(person.first).text(person.last);
        let row = row.text(gender).date(person.birthday).ip(person.ip).text(person.browser);
        let row = if merged { row.index(person.city) } else { row };
        row.list(&person.languages).list(&person.emails).end();
        if !merged {
            self.row(Table::PersonCity).instant(created).int(id).index(person.city).end();
        }
        if let Some((university, year)) = person.study {
            let row = self.row(Table::Study).instant(created).int(id).index(university);
            row.int(year.unsigned_abs()).end();
        }
        for (company, year) in &person.work {
            self.row(Table::Work).instant(created).int(id).index(*company).int(year.unsigned_abs()).end();
        }
        for tag in &person.interests {
            self.row(Table::Interest).instant(created).int(id).index(*tag).end();
        }
        for (friend, date) in &person.friends {
            let friend = persons[*friend as usize].id;
            if friend > id {
                self.row(Table::Knows).instant(*date).int(id).int(friend).end();
            }
        }
    }

    pub(super) fn forum(&mut self, forum: &Forum) {
        let merged = self.is_merged();
        let row = self.row(Table::Forum).instant(forum.created).int(forum.id).text(&forum.title);
        if merged {
            row.int(forum.moderator).end();
        } else {
            row.end();
            self.row(Table::Moderator).instant(forum.created).int(forum.id).int(forum.moderator).end();
        }
        for tag in &forum.tags {
            self.row(Table::ForumTag).instant(forum.created).int(forum.id).index(*tag).end();
        }
    }

    pub(super) fn member(&mut self, forum: u64, person: u64, joined: i64) {
        self.row(Table::Member).instant(joined).int(forum).int(person).end();
    }

    /// A post. A photo (`image`) has neither language nor content.
    pub(super) fn post(&mut self, post: &Message<'_>, forum: u64, image: &str, language: &str) {
        let merged = self.is_merged();
        let row = self.row(Table::Post).instant(post.created).int(post.id).text(image).ip(post.ip);
        let row =
            row.text(post.browser).text(language).text(post.content).index(post.content.chars().count());
        if merged {
            row.int(post.creator).int(forum).index(post.country).end();
        } else {
            row.end();
            let (at, id) = (post.created, post.id);
            self.row(Table::Container).instant(at).int(forum).int(id).end();
            self.row(Table::PostCreator).instant(at).int(id).int(post.creator).end();
            self.row(Table::PostCountry).instant(at).int(id).index(post.country).end();
        }
        for tag in post.tags {
            self.row(Table::PostTag).instant(post.created).int(post.id).index(*tag).end();
        }
    }

    pub(super) fn comment(&mut self, comment: &Message<'_>, parent: Parent) {
        let merged = self.is_merged();
        let (at, id) = (comment.created, comment.id);
        let row = self.row(Table::Comment).instant(at).int(id).ip(comment.ip).text(comment.browser);
        let row = row.text(comment.content).index(comment.content.chars().count());
        let (post, of_comment) = match parent {
            Parent::Post(post) => (Some(post), None),
            Parent::Comment(comment) => (None, Some(comment)),
        };
        if merged {
            row.int(comment.creator).index(comment.country).optional(post).optional(of_comment).end();
        } else {
            row.end();
            self.row(Table::CommentCreator).instant(at).int(id).int(comment.creator).end();
            self.row(Table::CommentCountry).instant(at).int(id).index(comment.country).end();
            match parent {
                Parent::Post(post) => self.row(Table::ReplyPost).instant(at).int(id).int(post).end(),
                Parent::Comment(of) => self.row(Table::ReplyComment).instant(at).int(id).int(of).end(),
            }
        }
        for tag in comment.tags {
            self.row(Table::CommentTag).instant(at).int(id).index(*tag).end();
        }
    }

    pub(super) fn like(&mut self, person: u64, message: Parent, at: i64) {
        match message {
            Parent::Post(id) => self.row(Table::LikePost).instant(at).int(person).int(id).end(),
            Parent::Comment(id) => self.row(Table::LikeComment).instant(at).int(person).int(id).end(),
        }
    }
}
