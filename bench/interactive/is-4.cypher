// IS 4, content of a message. Parameters: $messageId.
MATCH (message:Message {id: $messageId})
RETURN message.creationDate AS creationDate, coalesce(message.content, message.imageFile) AS content
