// BI 13, zombies in a country. Parameters: $country, $endDate.
// A zombie wrote less than one message a month, the month of joining and that of $endDate both counted.
MATCH (:Country {name: $country})<-[:IS_PART_OF]-(:City)<-[:IS_LOCATED_IN]-(zombie:Person)
WHERE zombie.creationDate < datetime({date: $endDate})
OPTIONAL MATCH (zombie)<-[:HAS_CREATOR]-(message:Message)
WHERE message.creationDate <= datetime({date: $endDate})
WITH zombie, count(message) AS messageCount
WHERE messageCount < 12 * ($endDate.year - zombie.creationDate.year) + $endDate.month - zombie.creationDate.month + 1
WITH collect(zombie) AS zombies
UNWIND zombies AS zombie
OPTIONAL MATCH (zombie)<-[:HAS_CREATOR]-(:Message)<-[:LIKES]-(liker:Person)
WHERE liker.creationDate < datetime({date: $endDate})
WITH zombie, count(CASE WHEN liker IN zombies THEN 1 END) AS zombieLikeCount, count(liker) AS totalLikeCount
RETURN zombie.id AS zombieId, zombieLikeCount, totalLikeCount,
       CASE WHEN totalLikeCount = 0 THEN 0.0 ELSE toFloat(zombieLikeCount) / totalLikeCount END AS zombieScore
ORDER BY zombieScore DESC, zombieId
LIMIT 100
