SELECT f.id, title, p.id, firstName, lastName
FROM Message m JOIN Forum f ON f.id = forumId JOIN Person p ON p.id = moderatorId WHERE m.id = $messageId
