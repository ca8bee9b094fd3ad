WITH RECURSIVE reach(id, hops) AS (
    SELECT $personId::BIGINT, 0
  UNION
    SELECT person2Id, hops + 1 FROM reach JOIN Knows ON person1Id = id WHERE hops < 3),
friends AS (
  SELECT f.*, min(hops) AS distance FROM reach JOIN Person f ON f.id = reach.id
  WHERE f.firstName = $firstName AND f.id <> $personId
  GROUP BY ALL ORDER BY distance, lastName, f.id LIMIT 20)
SELECT f.id, lastName, distance, birthday, creationDate, gender, browserUsed, locationIP, email, language, c.name,
  coalesce((SELECT list([u.name, classYear::TEXT, t.name] ORDER BY u.id) FROM StudyAt JOIN University u ON u.id = universityId
            JOIN City t ON t.id = u.cityId WHERE personId = f.id), []),
  coalesce((SELECT list([o.name, workFrom::TEXT, t.name] ORDER BY o.id) FROM WorkAt JOIN Company o ON o.id = companyId
            JOIN Country t ON t.id = o.countryId WHERE personId = f.id), [])
FROM friends f JOIN City c ON c.id = f.cityId
ORDER BY distance, lastName, f.id
