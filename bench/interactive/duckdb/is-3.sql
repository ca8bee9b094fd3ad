SELECT p.id, firstName, lastName, k.creationDate FROM Knows k JOIN Person p ON p.id = person2Id
WHERE person1Id = $personId ORDER BY k.creationDate DESC, p.id
