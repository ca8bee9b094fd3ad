SELECT creationDate, coalesce(content, imageFile) FROM Message WHERE id = $messageId
