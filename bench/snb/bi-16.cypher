// BI 16, fake news detection. Parameters: $tagA, $dateA, $tagB, $dateB, $maxKnowsLimit.
// The lists hold an author once per message, so they give membership and counts.
MATCH (:Tag {name: $tagA})<-[:HAS_TAG]-(message:Message)-[:HAS_CREATOR]->(person:Person)
WHERE message.creationDate >= datetime({date: $dateA})
  AND message.creationDate < datetime({date: $dateA}) + duration({days: 1})
WITH collect(person) AS authorsA
MATCH (:Tag {name: $tagB})<-[:HAS_TAG]-(message:Message)-[:HAS_CREATOR]->(person:Person)
WHERE message.creationDate >= datetime({date: $dateB})
  AND message.creationDate < datetime({date: $dateB}) + duration({days: 1})
WITH authorsA, collect(person) AS authorsB
UNWIND authorsA AS person
WITH authorsA, authorsB, person, count(*) AS messageCountA
WHERE person IN authorsB
OPTIONAL MATCH (person)-[:KNOWS]-(friend:Person)
WHERE friend IN authorsA
WITH authorsB, person, messageCountA, count(friend) AS knownA
WHERE knownA <= $maxKnowsLimit
OPTIONAL MATCH (person)-[:KNOWS]-(friend:Person)
WHERE friend IN authorsB
WITH authorsB, person, messageCountA, count(friend) AS knownB
WHERE knownB <= $maxKnowsLimit
UNWIND authorsB AS author
WITH person, messageCountA, author
WHERE author = person
WITH person, messageCountA, count(*) AS messageCountB
RETURN person.id AS personId, messageCountA, messageCountB
ORDER BY messageCountA + messageCountB DESC, personId
LIMIT 20
