WITH pair AS (
  SELECT p.personId AS a, q.personId AS b, p.cityId, p.cityName
  FROM PersonCountry p JOIN Knows k ON k.Person1Id = p.personId JOIN PersonCountry q ON q.personId = k.Person2Id
  WHERE p.country = $country1 AND q.country = $country2),
reply AS (SELECT DISTINCT r.creatorId AS replier, m.creatorId AS author FROM Message r JOIN Message m ON m.id = r.parentId
          WHERE r.creatorId IN (SELECT a FROM pair UNION SELECT b FROM pair)),
liked AS (SELECT DISTINCT l.PersonId AS liker, m.creatorId AS author FROM Likes l JOIN Message m ON m.id = l.MessageId
          WHERE l.PersonId IN (SELECT a FROM pair UNION SELECT b FROM pair)),
scored AS (
  SELECT a, b, cityId, cityName,
         4 * (r1.author IS NOT NULL)::INT + (r2.author IS NOT NULL)::INT
         + 10 * (l1.author IS NOT NULL)::INT + (l2.author IS NOT NULL)::INT AS score
  FROM pair LEFT JOIN reply r1 ON r1.replier = a AND r1.author = b LEFT JOIN reply r2 ON r2.replier = b AND r2.author = a
  LEFT JOIN liked l1 ON l1.liker = a AND l1.author = b LEFT JOIN liked l2 ON l2.liker = b AND l2.author = a)
SELECT a, b, cityName, score FROM scored
QUALIFY row_number() OVER (PARTITION BY cityId ORDER BY score DESC, a, b) = 1
ORDER BY score DESC, a, b
LIMIT 100
