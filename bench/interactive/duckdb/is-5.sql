SELECT p.id, firstName, lastName FROM Message m JOIN Person p ON p.id = creatorId WHERE m.id = $messageId
