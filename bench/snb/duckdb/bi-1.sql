WITH m AS (SELECT * FROM Message WHERE creationDate < $datetime)
SELECT year(creationDate) AS y, isComment,
       CASE WHEN length < 40 THEN 0 WHEN length < 80 THEN 1 WHEN length < 160 THEN 2 ELSE 3 END AS category,
       count(*) AS n, avg(length) AS average, sum(length)::BIGINT AS total,
       count(*)::DOUBLE / (SELECT count(*) FROM m) AS share
FROM m WHERE content IS NOT NULL
GROUP BY ALL ORDER BY y DESC, isComment, category
