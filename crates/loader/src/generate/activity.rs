//! Persons and friends in, what they do out: forums, members, posts, comments, likes, written as they are
//! made.
//!
//! 1. Each person has a wall (friends are its members), some photo albums (most friends see them) and now and
//!    then a group (friends and others).
//! 2. Members post; a message's topics are its creator's interests or the forum's.
//! 3. Members who had joined by then comment and like.
//!
//! Invariant: everything is dated after what it refers to and before the end of the network.

use super::friends::mean_degree;
use super::persons::{BEGIN, DAY, END, Person, bucket, make_browser, make_ip};
use super::rng::{Rng, count, floor};
use super::rows::{Forum, Message, Parent};
use super::tables::Tables;
use super::text::{short_reply, write_about};
use super::world::World;

/// Mean degree of LDBC's SF0.1, at which the other means below hold.
const DEGREE_REFERENCE: f64 = 17.6;
const SECOND: i64 = 1_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Wall,
    Album,
    Group,
}

/// Makes and writes all activity.
pub(super) struct Activity<'a, 'b, 'c> {
    world: &'a World,
    persons: &'a [Person],
    pub(super) tables: &'b mut Tables<'c>,
    seed: u64,
    /// How much more (or less) company people have here than in the reference.
    company: f64,
    next_forum: u64,
    next_message: u64,
    content: String,
}

/// A forum under way.
struct Scene<'p> {
    forum: Forum,
    kind: Kind,
    owner: &'p Person,
    /// By date of joining; the owner is first, since the forum's beginning.
    members: Vec<(i64, &'p Person)>,
}

/// A message that others can react to.
struct Told {
    at: i64,
    parent: Parent,
    tags: Vec<usize>,
}

impl<'a, 'b, 'c> Activity<'a, 'b, 'c> {
    pub(super) fn new(
        world: &'a World,
        persons: &'a [Person],
        tables: &'b mut Tables<'c>,
        seed: u64,
    ) -> Self {
        let company = mean_degree(persons.len()) / DEGREE_REFERENCE;
        Self { world, persons, tables, seed, company, next_forum: 0, next_message: 0, content: String::new() }
    }

    /// All forums that a person moderates, and what happens there.
    pub(super) fn person(&mut self, index: usize) {
        let mut rng = Rng::new(self.seed, 0x4000_0000 + index as u64);
        let rng = &mut rng;
        let owner = &self.persons[index];
        // Those who came late have done less.
        let lifetime = to_float(END - owner.created) / to_float(END - BEGIN) * 2.0;
        self.forum(Kind::Wall, owner, owner.created + 10 * SECOND, 0, lifetime, rng);
        let albums = floor(rng.lognormal(8.9 * lifetime, 0.8) + 0.3);
        for number in 0..albums {
            let created = rng.between(owner.created + 20 * SECOND, END - DAY);
            self.forum(Kind::Album, owner, created, number, 1.0, rng);
        }
        if rng.chance(0.117 * lifetime) {
            let created = rng.between(owner.created + 20 * SECOND, END - DAY);
            self.forum(Kind::Group, owner, created, 0, 1.0, rng);
        }
    }

    fn forum(
        &mut self,
        kind: Kind,
        owner: &'a Person,
        created: i64,
        number: usize,
        share: f64,
        rng: &mut Rng,
    ) {
        if created >= END {
            return;
        }
        let id = (bucket(created) << 36) | self.next_forum;
        self.next_forum += 1;
        let tags = some_of(&owner.interests, 1 + rng.below(6), rng);
        let title = match kind {
            Kind::Wall => format!("Wall of {} {}", owner.first, owner.last),
            Kind::Album => format!("Album {number} of {} {}", owner.first, owner.last),
            Kind::Group => {
                let topic = &self.world.tags[tags[0]].name;
                format!("Group for {topic} in {}", self.world.places[owner.city].name)
            }
        };
        let forum = Forum { id, created, title, moderator: owner.id, tags };
        self.tables.forum(&forum);
        let members = self.members(kind, owner, created, rng);
        for (joined, member) in &members[1..] {
            self.tables.member(id, member.id, *joined);
        }
        let posts = match kind {
            Kind::Wall => floor(rng.lognormal(10.6 * share, 1.2) + 0.3),
            Kind::Album => floor(rng.lognormal(10.2, 0.9) + 0.3),
            Kind::Group => floor(rng.lognormal(23.0, 1.0) + 0.3),
        };
        let scene = Scene { forum, kind, owner, members };
        for _ in 0..posts {
            self.post(&scene, rng);
        }
    }

    fn members(&self, kind: Kind, owner: &'a Person, created: i64, rng: &mut Rng) -> Vec<(i64, &'a Person)> {
        let mut members: Vec<(i64, &Person)> = Vec::new();
        for (friend, since) in &owner.friends {
            let friend = &self.persons[*friend as usize];
            let delay = match kind {
                Kind::Wall => 10 * SECOND,
                _ => rng.between(10 * SECOND, 30 * DAY),
            };
            let joined = created.max(*since) + delay;
            let comes = match kind {
                Kind::Wall => true,
                Kind::Album => rng.chance(0.9),
                Kind::Group => rng.chance(0.7),
            };
            if comes && joined < END {
                members.push((joined, friend));
            }
        }
        if kind == Kind::Group {
            for _ in 0..rng.round(22.0 * self.company) {
                let Some(other) = rng.pick(self.persons) else { break };
                let joined = created.max(other.created) + rng.between(10 * SECOND, 200 * DAY);
                let is_new = other.id != owner.id && members.iter().all(|(_, m)| m.id != other.id);
                if joined < END && is_new {
                    members.push((joined, other));
                }
            }
        }
        members.push((created, owner));
        members.sort_by_key(|(joined, member)| (*joined, member.id));
        // Nobody joins before the owner, and those who join with it have larger dates by the delays above.
        members
    }

    fn post(&mut self, scene: &Scene<'a>, rng: &mut Rng) {
        let from_owner = scene.kind == Kind::Album || (scene.kind == Kind::Wall && rng.chance(0.4));
        let (joined, creator) =
            if from_owner { (scene.forum.created, scene.owner) } else { *scene.any(END, rng) };
        let created = match scene.kind {
            // Photos come soon after their album.
            Kind::Album => joined + SECOND + to_millis(rng.exponential(3.0 * 86_400_000.0)),
            _ => rng.between(joined + SECOND, END),
        };
        if created <= joined || created >= END {
            return;
        }
        let id = self.message_id(created);
        let is_photo = scene.kind == Kind::Album;
        let (image, language, tags) = if is_photo {
            (format!("photo{id}.jpg"), "", Vec::new())
        } else {
            let mut tags = some_of(&creator.interests, 1 + rng.below(5), rng);
            if rng.chance(0.6) {
                tags.extend(
                    some_of(&scene.forum.tags, 1, rng)
                        .into_iter()
                        .filter(|t| !tags.contains(t))
                        .collect::<Vec<_>>(),
                );
            }
            (String::new(), creator.languages[rng.below(creator.languages.len())], tags)
        };
        self.content.clear();
        if !is_photo {
            let bytes = floor(rng.lognormal(110.0, 0.4)).clamp(20, 1_900);
            write_about(&mut self.content, self.world, &tags, bytes, rng);
        }
        let (country, ip, browser) = self.device(creator, rng);
        let message = Message {
            id,
            created,
            creator: creator.id,
            country,
            ip,
            browser,
            content: &self.content,
            tags: &tags,
        };
        self.tables.post(&message, scene.forum.id, &image, language);
        let told = Told { at: created, parent: Parent::Post(id), tags };
        self.likes(scene, &told, 0.42, rng);
        self.comments(scene, told, rng);
    }

    fn comments(&mut self, scene: &Scene<'a>, post: Told, rng: &mut Rng) {
        let wanted = floor(rng.lognormal(1.36 * self.company, 1.3));
        let mut thread = vec![post];
        for _ in 0..wanted.min(500) {
            let at = if rng.chance(0.45) { 0 } else { rng.below(thread.len()) };
            let parent = thread[at].parent;
            let created = thread[at].at + SECOND + to_millis(rng.exponential(86_400_000.0));
            if created >= END {
                continue;
            }
            let (_, creator) = *scene.any(created, rng);
            let tags = if rng.chance(0.5) {
                Vec::new()
            } else {
                let mut tags = some_of(&thread[at].tags, 1 + rng.below(3), rng);
                let own = some_of(&creator.interests, 1 + rng.below(3), rng);
                tags.extend(own.into_iter().filter(|t| !tags.contains(t)).collect::<Vec<_>>());
                tags
            };
            self.content.clear();
            if tags.is_empty() {
                self.content.push_str(short_reply(self.world, rng));
            } else {
                let bytes = floor(rng.lognormal(85.0, 0.35)).clamp(20, 1_900);
                write_about(&mut self.content, self.world, &tags, bytes, rng);
            }
            let id = self.message_id(created);
            let (country, ip, browser) = self.device(creator, rng);
            let message = Message {
                id,
                created,
                creator: creator.id,
                country,
                ip,
                browser,
                content: &self.content,
                tags: &tags,
            };
            self.tables.comment(&message, parent);
            let told = Told { at: created, parent: Parent::Comment(id), tags };
            self.likes(scene, &told, 0.44, rng);
            thread.push(told);
        }
    }

    fn likes(&mut self, scene: &Scene<'a>, message: &Told, mean: f64, rng: &mut Rng) {
        let wanted = floor(rng.lognormal(mean * 2.75 * self.company, 1.4)).min(300);
        let mut likers: Vec<u64> = Vec::new();
        for _ in 0..wanted {
            let at = message.at + SECOND + to_millis(rng.exponential(2.0 * 86_400_000.0));
            if at >= END {
                continue;
            }
            let (_, person) = *scene.any(at, rng);
            if !likers.contains(&person.id) {
                likers.push(person.id);
                self.tables.like(person.id, message.parent, at);
            }
        }
    }

    fn message_id(&mut self, created: i64) -> u64 {
        self.next_message += 1;
        (bucket(created) << 36) | self.next_message
    }

    /// Where and by what a message is sent: mostly from home with the usual browser.
    fn device(&self, person: &Person, rng: &mut Rng) -> (usize, [u8; 4], &'static str) {
        let browser = if rng.chance(0.95) { person.browser } else { make_browser(self.world, rng) };
        if rng.chance(0.94) {
            return (person.country, person.ip, browser);
        }
        let country = self.world.country(rng);
        (country, make_ip(country, rng), browser)
    }
}

impl<'p> Scene<'p> {
    /// One of those who had joined before `at`.
    fn any(&self, at: i64, rng: &mut Rng) -> &(i64, &'p Person) {
        let joined = self.members.partition_point(|(joined, _)| *joined < at);
        // The owner joined when the forum was made, which is before any message in it.
        &self.members[rng.below(joined)]
    }
}

/// Up to `n` different items.
fn some_of(items: &[usize], n: usize, rng: &mut Rng) -> Vec<usize> {
    let mut some: Vec<usize> = Vec::with_capacity(n);
    for _ in 0..n {
        if let Some(item) = rng.pick(items)
            && !some.contains(item)
        {
            some.push(*item);
        }
    }
    some
}

#[expect(clippy::cast_possible_truncation, reason = "saturates")]
fn to_millis(x: f64) -> i64 {
    x as i64
}

fn to_float(millis: i64) -> f64 {
    count(usize::try_from(millis).unwrap_or(0))
}
