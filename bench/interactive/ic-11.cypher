// IC 11, job referral. Parameters: $personId, $country, $workFromYear.
MATCH (person:Person {id: $personId})-[:KNOWS*1..2]-(friend:Person)
WHERE person <> friend
WITH DISTINCT friend
MATCH (friend)-[work:WORK_AT]->(company:Company)-[:IS_LOCATED_IN]->(:Country {name: $country})
WHERE work.workFrom < $workFromYear
RETURN friend.id AS friendId, friend.firstName AS firstName, friend.lastName AS lastName, company.name AS company, work.workFrom AS workFrom
ORDER BY workFrom, friendId, company DESC
LIMIT 10
