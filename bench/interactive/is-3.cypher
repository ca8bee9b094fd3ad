// IS 3, friends of a person. Parameters: $personId.
MATCH (:Person {id: $personId})-[knows:KNOWS]-(friend:Person)
RETURN friend.id AS friendId, friend.firstName AS firstName, friend.lastName AS lastName, knows.creationDate AS since
ORDER BY since DESC, friendId
