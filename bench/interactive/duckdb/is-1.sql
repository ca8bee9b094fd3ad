SELECT firstName, lastName, birthday, locationIP, browserUsed, cityId, gender, creationDate FROM Person WHERE id = $personId
