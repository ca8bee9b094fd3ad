// BI 1, posting summary. Parameter: $datetime.
// The share is of all messages before the instant, also those without text.
MATCH (message:Message)
WHERE message.creationDate < $datetime
WITH count(*) AS total
MATCH (message:Message)
WHERE message.creationDate < $datetime AND message.content IS NOT NULL
WITH total,
     message.creationDate.year AS year,
     message:Comment AS isComment,
     CASE WHEN message.length < 40 THEN 0
          WHEN message.length < 80 THEN 1
          WHEN message.length < 160 THEN 2
          ELSE 3 END AS lengthCategory,
     count(*) AS messageCount,
     avg(message.length) AS averageMessageLength,
     sum(message.length) AS sumMessageLength
RETURN year, isComment, lengthCategory, messageCount, averageMessageLength, sumMessageLength,
       toFloat(messageCount) / total AS percentageOfMessages
ORDER BY year DESC, isComment, lengthCategory
