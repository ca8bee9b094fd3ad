WITH zombie AS (
  SELECT p.personId AS id FROM PersonCountry p
  LEFT JOIN Message m ON m.creatorId = p.personId AND m.creationDate <= $endDate
  WHERE p.country = $country AND p.creationDate < $endDate
  GROUP BY p.personId, p.creationDate
  HAVING count(m.id) < 12 * (year($endDate) - year(p.creationDate)) + month($endDate) - month(p.creationDate) + 1),
liked AS (
  SELECT z.id, count(*) AS total, count(*) FILTER (l.PersonId IN (SELECT id FROM zombie)) AS byZombies
  FROM zombie z JOIN Message m ON m.creatorId = z.id JOIN Likes l ON l.MessageId = m.id JOIN Person p ON p.id = l.PersonId
  WHERE p.creationDate < $endDate GROUP BY z.id)
SELECT z.id, coalesce(byZombies, 0), coalesce(total, 0), coalesce(byZombies::DOUBLE / total, 0.0) AS score
FROM zombie z LEFT JOIN liked USING (id) ORDER BY score DESC, z.id LIMIT 100
