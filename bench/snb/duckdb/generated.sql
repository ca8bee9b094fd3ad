-- Generated SNB in DuckDB under the names of `schema.sql`, so that the BI texts are the same, from the Parquet files in ${DIR}:
-- tables of what the texts read, each message with its root post's language and its forum, KNOWS in both directions.
CREATE TABLE Country AS SELECT id, name FROM '${DIR}/Country.parquet';
CREATE TABLE City AS SELECT id, name, target AS countryId FROM '${DIR}/City.parquet'
  JOIN '${DIR}/IS_PART_OF_City_Country.parquet' ON source = id;
CREATE TABLE TagClass AS SELECT id, name, target AS SubclassOfTagClassId FROM '${DIR}/TagClass.parquet'
  LEFT JOIN '${DIR}/IS_SUBCLASS_OF_TagClass_TagClass.parquet' ON source = id;
CREATE TABLE Tag AS SELECT id, name, target AS TypeTagClassId FROM '${DIR}/Tag.parquet' JOIN '${DIR}/HAS_TYPE_Tag_TagClass.parquet' ON source = id;
CREATE TABLE Person AS SELECT n.*, target AS LocationCityId FROM '${DIR}/Person.parquet' n
  JOIN '${DIR}/IS_LOCATED_IN_Person_City.parquet' ON source = id ORDER BY n.file_row_number;
CREATE TABLE Person_hasInterest_Tag AS SELECT source AS PersonId, target AS TagId FROM '${DIR}/HAS_INTEREST_Person_Tag.parquet';
CREATE TABLE Knows AS SELECT creationDate, source AS Person1Id, target AS Person2Id FROM '${DIR}/KNOWS_Person_Person.parquet';
INSERT INTO Knows SELECT creationDate, Person2Id, Person1Id FROM Knows;
CREATE TABLE Forum AS SELECT n.*, target AS ModeratorPersonId FROM '${DIR}/Forum.parquet' n
  LEFT JOIN '${DIR}/HAS_MODERATOR_Forum_Person.parquet' ON source = id ORDER BY n.file_row_number;
CREATE TABLE Forum_hasMember_Person AS SELECT creationDate, source AS ForumId, target AS PersonId FROM '${DIR}/HAS_MEMBER_Forum_Person.parquet';
CREATE TABLE Message_hasTag_Tag AS SELECT source AS MessageId, target AS TagId FROM
  (FROM '${DIR}/HAS_TAG_Post_Tag.parquet' UNION ALL FROM '${DIR}/HAS_TAG_Comment_Tag.parquet');
CREATE TABLE Likes AS SELECT creationDate, source AS PersonId, target AS MessageId FROM
  (FROM '${DIR}/LIKES_Person_Post.parquet' UNION ALL FROM '${DIR}/LIKES_Person_Comment.parquet');
CREATE TABLE Message AS
WITH RECURSIVE reply AS (FROM '${DIR}/REPLY_OF_Comment_Post.parquet' UNION ALL FROM '${DIR}/REPLY_OF_Comment_Comment.parquet'),
thread(id, rootId, rootLanguage, forumId) AS (
    SELECT id, id, language, f.source FROM '${DIR}/Post.parquet' JOIN '${DIR}/CONTAINER_OF_Forum_Post.parquet' f ON f.target = id
  UNION ALL
    SELECT r.source, t.rootId, t.rootLanguage, t.forumId FROM thread t JOIN reply r ON r.target = t.id)
SELECT p.creationDate, p.id, false AS isComment, t.rootId, t.rootLanguage, p.content, p.imageFile, p.locationIP, p.browserUsed, p.length,
       c.target AS creatorId, t.forumId, l.target AS countryId, NULL::BIGINT AS parentId
FROM '${DIR}/Post.parquet' p JOIN thread t USING (id) JOIN '${DIR}/HAS_CREATOR_Post_Person.parquet' c ON c.source = p.id
JOIN '${DIR}/IS_LOCATED_IN_Post_Country.parquet' l ON l.source = p.id
UNION ALL
SELECT m.creationDate, m.id, true, t.rootId, t.rootLanguage, m.content, NULL, m.locationIP, m.browserUsed, m.length,
       c.target, t.forumId, l.target, r.target
FROM '${DIR}/Comment.parquet' m JOIN thread t USING (id) JOIN '${DIR}/HAS_CREATOR_Comment_Person.parquet' c ON c.source = m.id
JOIN '${DIR}/IS_LOCATED_IN_Comment_Country.parquet' l ON l.source = m.id JOIN reply r ON r.source = m.id;
CREATE VIEW PersonCountry AS
  SELECT p.id AS personId, p.creationDate, c.id AS cityId, c.name AS cityName, y.id AS countryId, y.name AS country
  FROM Person p JOIN City c ON c.id = p.LocationCityId JOIN Country y ON y.id = c.countryId;
