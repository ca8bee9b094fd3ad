//! The questions that `trimorph demo` asks.
//!
//! Persons and forums are grouped as nodes, not by name: names are not unique.

/// A question in words and in a query language.
pub(crate) struct Question {
    /// In words.
    pub(crate) title: &'static str,
    /// In openCypher or SPARQL.
    pub(crate) text: &'static str,
    /// Which of the two.
    pub(crate) is_sparql: bool,
}

/// What is asked first; the generator's data ends with November 2012.
pub(crate) const QUESTIONS: [Question; 5] = [
    Question {
        title: "Which tags were the most popular in the last year?",
        text: "\
MATCH (tag:Tag)<-[:HAS_TAG]-(message:Message)
WHERE message.creationDate >= datetime('2011-12-01')
RETURN tag.name AS tag, count(*) AS messages
ORDER BY messages DESC, tag LIMIT 5",
        is_sparql: false,
    },
    Question {
        title: "How far do the best connected reach: how many friends of friends?",
        text: "\
MATCH (p:Person)-[:KNOWS]-(friend:Person)
WITH p, count(friend) AS friends ORDER BY friends DESC, p.id LIMIT 5
MATCH (p)-[:KNOWS]-()-[:KNOWS]-(other:Person)
RETURN p.firstName + ' ' + p.lastName AS person, friends,
       count(DISTINCT other) AS friendsOfFriends
ORDER BY friends DESC, person",
        is_sparql: false,
    },
    Question {
        title: "Who in Germany should know whom: many friends in common, but strangers?",
        text: "\
MATCH (c:Country {name: 'Germany'})<-[:IS_PART_OF]-()<-[:IS_LOCATED_IN]-(a)
MATCH (a:Person)-[:KNOWS]-(friend:Person)-[:KNOWS]-(b:Person)
MATCH (b)-[:IS_LOCATED_IN]->(:City)-[:IS_PART_OF]->(c)
WHERE a.id < b.id AND NOT (a)-[:KNOWS]-(b)
WITH a, b, count(friend) AS inCommon ORDER BY inCommon DESC, a.id, b.id
LIMIT 5
RETURN a.firstName + ' ' + a.lastName AS who,
       b.firstName + ' ' + b.lastName AS whom, inCommon",
        is_sparql: false,
    },
    Question {
        title: "Which forums have the most members from China, and what are they about?",
        text: "\
MATCH (:Country {name: 'China'})<-[:IS_PART_OF]-()<-[:IS_LOCATED_IN]-(p)
MATCH (p:Person)<-[:HAS_MEMBER]-(forum:Forum)
WITH forum, count(p) AS members ORDER BY members DESC, forum.id LIMIT 3
OPTIONAL MATCH (forum)-[:HAS_TAG]->(tag:Tag)
RETURN forum.title AS forum, members, collect(tag.name)[..2] AS tags
ORDER BY members DESC, forum",
        is_sparql: false,
    },
    Question {
        title: "How much is written, year by year?",
        text: "\
MATCH (m:Message)
RETURN m.creationDate.year AS year,
       CASE WHEN m:Post THEN 'post' ELSE 'comment' END AS kind,
       count(*) AS messages, round(avg(m.length), 1) AS meanLength
ORDER BY year, kind",
        is_sparql: false,
    },
];

/// The same graph as RDF: labels are classes, relationships and properties are predicates.
pub(crate) const IN_SPARQL: Question = Question {
    title: "The same graph, asked in SPARQL: where do most persons live?",
    text: "\
SELECT ?city (COUNT(?p) AS ?persons) {
  ?p a :Person ; :IS_LOCATED_IN ?c .
  ?c a :City ; :name ?city
} GROUP BY ?city ORDER BY DESC(?persons) ?city LIMIT 5",
    is_sparql: true,
};

/// The last question, whose answer stands for more paths than could be listed.
pub(crate) const PATHS: Question = Question {
    title: "How many paths lead from a forum over a member and a friend to a message?",
    text: "\
MATCH (f:Forum)-[:HAS_MEMBER]->(p:Person)-[:KNOWS]-(q:Person),
      (q)<-[:HAS_CREATOR]-(m:Message)
RETURN count(*) AS paths",
    is_sparql: false,
};
