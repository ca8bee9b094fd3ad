WITH per AS (
  SELECT creatorId, count(*) AS messages FROM Message
  WHERE content IS NOT NULL AND length < $lengthThreshold AND creationDate > $startDate AND list_contains($languages, rootLanguage)
  GROUP BY creatorId)
SELECT coalesce(messages, 0) AS n, count(*) AS persons FROM Person p LEFT JOIN per ON per.creatorId = p.id
GROUP BY n ORDER BY persons DESC, n DESC
