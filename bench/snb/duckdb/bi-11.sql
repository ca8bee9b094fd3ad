WITH near AS (
  SELECT k.Person1Id AS a, k.Person2Id AS b
  FROM Knows k JOIN PersonCountry p ON p.personId = k.Person1Id JOIN PersonCountry q ON q.personId = k.Person2Id
  WHERE p.country = $country AND q.country = $country AND k.Person1Id < k.Person2Id
    AND k.creationDate >= $startDate AND k.creationDate <= $endDate)
SELECT count(*) FROM near x JOIN near y ON y.a = x.b JOIN near z ON z.a = x.a AND z.b = y.b
