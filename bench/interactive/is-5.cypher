// IS 5, creator of a message. Parameters: $messageId.
MATCH (:Message {id: $messageId})-[:HAS_CREATOR]->(person:Person)
RETURN person.id AS personId, person.firstName AS firstName, person.lastName AS lastName
