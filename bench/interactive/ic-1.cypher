// IC 1, transitive friends with a certain name. Parameters: $personId, $firstName.
// Universities and companies are listed in the order of their ids, so that answers can be compared.
MATCH (person:Person {id: $personId}), (friend:Person {firstName: $firstName})
WHERE person <> friend
MATCH path = shortestPath((person)-[:KNOWS*1..3]-(friend))
WITH friend, length(path) AS distance
ORDER BY distance, friend.lastName, friend.id
LIMIT 20
MATCH (friend)-[:IS_LOCATED_IN]->(city:City)
OPTIONAL MATCH (friend)-[study:STUDY_AT]->(university:University)-[:IS_LOCATED_IN]->(place:City)
WITH friend, distance, city, study, university, place
ORDER BY university.id
WITH friend, distance, city,
     collect(CASE WHEN university IS NOT NULL THEN [university.name, toString(study.classYear), place.name] END) AS universities
OPTIONAL MATCH (friend)-[work:WORK_AT]->(company:Company)-[:IS_LOCATED_IN]->(country:Country)
WITH friend, distance, city, universities, work, company, country
ORDER BY company.id
WITH friend, distance, city, universities,
     collect(CASE WHEN company IS NOT NULL THEN [company.name, toString(work.workFrom), country.name] END) AS companies
RETURN friend.id AS friendId, friend.lastName AS friendLastName, distance, friend.birthday AS birthday,
       friend.creationDate AS creationDate, friend.gender AS gender, friend.browserUsed AS browserUsed,
       friend.locationIP AS locationIP, friend.email AS emails, friend.language AS languages, city.name AS cityName,
       universities, companies
ORDER BY distance, friendLastName, friendId
