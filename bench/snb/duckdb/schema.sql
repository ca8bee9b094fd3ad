-- SNB in DuckDB: the CSV files as tables, plus what a relational implementation of the BI workload keeps beside them:
-- one message table that knows each message's thread (root post, its language, its forum), one table of likes, one of
-- tags, and KNOWS in both directions. ${DIR} is …/composite-merged-fk/initial_snapshot.
CREATE TABLE Place(id BIGINT, name TEXT, url TEXT, type TEXT, PartOfPlaceId BIGINT);
COPY Place FROM '${DIR}/static/Place/*.csv.zst' (DELIMITER '|', HEADER);
CREATE TABLE Organisation(id BIGINT, type TEXT, name TEXT, url TEXT, LocationPlaceId BIGINT);
COPY Organisation FROM '${DIR}/static/Organisation/*.csv.zst' (DELIMITER '|', HEADER);
CREATE TABLE TagClass(id BIGINT, name TEXT, url TEXT, SubclassOfTagClassId BIGINT);
COPY TagClass FROM '${DIR}/static/TagClass/*.csv.zst' (DELIMITER '|', HEADER);
CREATE TABLE Tag(id BIGINT, name TEXT, url TEXT, TypeTagClassId BIGINT);
COPY Tag FROM '${DIR}/static/Tag/*.csv.zst' (DELIMITER '|', HEADER);
CREATE TABLE Person(creationDate TIMESTAMP, id BIGINT, firstName TEXT, lastName TEXT, gender TEXT, birthday DATE,
  locationIP TEXT, browserUsed TEXT, LocationCityId BIGINT, language TEXT, email TEXT);
COPY Person FROM '${DIR}/dynamic/Person/*.csv.zst' (DELIMITER '|', HEADER);
CREATE TABLE Person_hasInterest_Tag(creationDate TIMESTAMP, PersonId BIGINT, TagId BIGINT);
COPY Person_hasInterest_Tag FROM '${DIR}/dynamic/Person_hasInterest_Tag/*.csv.zst' (DELIMITER '|', HEADER);
CREATE TABLE Person_studyAt_University(creationDate TIMESTAMP, PersonId BIGINT, UniversityId BIGINT, classYear INT);
COPY Person_studyAt_University FROM '${DIR}/dynamic/Person_studyAt_University/*.csv.zst' (DELIMITER '|', HEADER);
CREATE TABLE Person_workAt_Company(creationDate TIMESTAMP, PersonId BIGINT, CompanyId BIGINT, workFrom INT);
COPY Person_workAt_Company FROM '${DIR}/dynamic/Person_workAt_Company/*.csv.zst' (DELIMITER '|', HEADER);
CREATE TABLE Knows(creationDate TIMESTAMP, Person1Id BIGINT, Person2Id BIGINT);
COPY Knows FROM '${DIR}/dynamic/Person_knows_Person/*.csv.zst' (DELIMITER '|', HEADER);
INSERT INTO Knows SELECT creationDate, Person2Id, Person1Id FROM Knows;
CREATE TABLE Forum(creationDate TIMESTAMP, id BIGINT, title TEXT, ModeratorPersonId BIGINT);
COPY Forum FROM '${DIR}/dynamic/Forum/*.csv.zst' (DELIMITER '|', HEADER);
CREATE TABLE Forum_hasMember_Person(creationDate TIMESTAMP, ForumId BIGINT, PersonId BIGINT);
COPY Forum_hasMember_Person FROM '${DIR}/dynamic/Forum_hasMember_Person/*.csv.zst' (DELIMITER '|', HEADER);
CREATE TABLE Forum_hasTag_Tag(creationDate TIMESTAMP, ForumId BIGINT, TagId BIGINT);
COPY Forum_hasTag_Tag FROM '${DIR}/dynamic/Forum_hasTag_Tag/*.csv.zst' (DELIMITER '|', HEADER);
CREATE TEMP TABLE Post(creationDate TIMESTAMP, id BIGINT, imageFile TEXT, locationIP TEXT, browserUsed TEXT, language TEXT,
  content TEXT, length INT, CreatorPersonId BIGINT, ContainerForumId BIGINT, LocationCountryId BIGINT);
COPY Post FROM '${DIR}/dynamic/Post/*.csv.zst' (DELIMITER '|', HEADER);
CREATE TEMP TABLE Comment(creationDate TIMESTAMP, id BIGINT, locationIP TEXT, browserUsed TEXT, content TEXT, length INT,
  CreatorPersonId BIGINT, LocationCountryId BIGINT, ParentPostId BIGINT, ParentCommentId BIGINT);
COPY Comment FROM '${DIR}/dynamic/Comment/*.csv.zst' (DELIMITER '|', HEADER);
CREATE TABLE Message_hasTag_Tag(creationDate TIMESTAMP, MessageId BIGINT, TagId BIGINT);
COPY Message_hasTag_Tag FROM '${DIR}/dynamic/Post_hasTag_Tag/*.csv.zst' (DELIMITER '|', HEADER);
COPY Message_hasTag_Tag FROM '${DIR}/dynamic/Comment_hasTag_Tag/*.csv.zst' (DELIMITER '|', HEADER);
CREATE TABLE Likes(creationDate TIMESTAMP, PersonId BIGINT, MessageId BIGINT);
COPY Likes FROM '${DIR}/dynamic/Person_likes_Post/*.csv.zst' (DELIMITER '|', HEADER);
COPY Likes FROM '${DIR}/dynamic/Person_likes_Comment/*.csv.zst' (DELIMITER '|', HEADER);
-- derived
CREATE TABLE Message AS
WITH RECURSIVE thread(id, rootId, rootLanguage, forumId) AS (
    SELECT id, id, language, ContainerForumId FROM Post
  UNION ALL
    SELECT c.id, t.rootId, t.rootLanguage, t.forumId
    FROM thread t JOIN Comment c ON coalesce(c.ParentPostId, c.ParentCommentId) = t.id)
SELECT p.creationDate, p.id, false AS isComment, t.rootId, t.rootLanguage, p.content, p.imageFile, p.locationIP, p.browserUsed,
       p.length, p.CreatorPersonId AS creatorId, t.forumId, p.LocationCountryId AS countryId, NULL::BIGINT AS parentId
FROM Post p JOIN thread t USING (id)
UNION ALL
SELECT c.creationDate, c.id, true, t.rootId, t.rootLanguage, c.content, NULL, c.locationIP, c.browserUsed,
       c.length, c.CreatorPersonId, t.forumId, c.LocationCountryId, coalesce(c.ParentPostId, c.ParentCommentId)
FROM Comment c JOIN thread t USING (id);
DROP TABLE Post;
DROP TABLE Comment;
CREATE VIEW Country AS SELECT id, name FROM Place WHERE type = 'Country';
CREATE VIEW City AS SELECT id, name, PartOfPlaceId AS countryId FROM Place WHERE type = 'City';
CREATE VIEW PersonCountry AS
  SELECT p.id AS personId, p.creationDate, c.id AS cityId, c.name AS cityName, y.id AS countryId, y.name AS country
  FROM Person p JOIN City c ON c.id = p.LocationCityId JOIN Country y ON y.id = c.countryId;
