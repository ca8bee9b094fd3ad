WITH perCountry AS (
  SELECT h.ForumId AS forumId, p.countryId, count(*) AS members
  FROM Forum f JOIN Forum_hasMember_Person h ON h.ForumId = f.id JOIN PersonCountry p ON p.personId = h.PersonId
  WHERE f.creationDate > $date GROUP BY ALL),
top AS (SELECT forumId, max(members) AS members FROM perCountry GROUP BY forumId ORDER BY members DESC, forumId LIMIT 100),
member AS (SELECT DISTINCT h.PersonId FROM Forum_hasMember_Person h JOIN top ON top.forumId = h.ForumId),
written AS (SELECT creatorId, count(*) AS n FROM Message JOIN top USING (forumId)
            WHERE creationDate > $date GROUP BY creatorId)
SELECT p.id, p.firstName, p.lastName, p.creationDate, coalesce(w.n, 0) AS n
FROM member JOIN Person p ON p.id = member.PersonId LEFT JOIN written w ON w.creatorId = p.id
ORDER BY n DESC, p.id LIMIT 100
