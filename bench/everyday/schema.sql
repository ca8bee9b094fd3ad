-- Generated SNB in DuckDB, from the Parquet files in ${DIR}. Relationships to one node are columns, as a relational schema has
-- them. Message holds posts and comments with what the benchmark's SQL implementations keep beside them (root post, forum);
-- Post and Comment are there too, so that a query over one of them reads nothing else. KNOWS has both directions.
-- Rows are in the order of the files, as they are in every other system; ids are primary keys, which serve look-ups.
CREATE TABLE Continent(id BIGINT PRIMARY KEY, name TEXT, url TEXT);
INSERT INTO Continent SELECT id, name, url FROM '${DIR}/Continent.parquet';
CREATE TABLE Country(id BIGINT PRIMARY KEY, name TEXT, url TEXT, continentId BIGINT);
INSERT INTO Country SELECT id, name, url, target FROM '${DIR}/Country.parquet' n JOIN '${DIR}/IS_PART_OF_Country_Continent.parquet' e ON source = id;
CREATE TABLE City(id BIGINT PRIMARY KEY, name TEXT, url TEXT, countryId BIGINT);
INSERT INTO City SELECT id, name, url, target FROM '${DIR}/City.parquet' n JOIN '${DIR}/IS_PART_OF_City_Country.parquet' e ON source = id;
CREATE TABLE University(id BIGINT PRIMARY KEY, name TEXT, url TEXT, cityId BIGINT);
INSERT INTO University SELECT id, name, url, target FROM '${DIR}/University.parquet' n JOIN '${DIR}/IS_LOCATED_IN_University_City.parquet' e ON source = id;
CREATE TABLE Company(id BIGINT PRIMARY KEY, name TEXT, url TEXT, countryId BIGINT);
INSERT INTO Company SELECT id, name, url, target FROM '${DIR}/Company.parquet' n JOIN '${DIR}/IS_LOCATED_IN_Company_Country.parquet' e ON source = id;
CREATE TABLE TagClass(id BIGINT PRIMARY KEY, name TEXT, url TEXT, parentId BIGINT);
INSERT INTO TagClass SELECT id, name, url, target FROM '${DIR}/TagClass.parquet' n LEFT JOIN '${DIR}/IS_SUBCLASS_OF_TagClass_TagClass.parquet' e ON source = id;
CREATE TABLE Tag(id BIGINT PRIMARY KEY, name TEXT, url TEXT, classId BIGINT);
INSERT INTO Tag SELECT id, name, url, target FROM '${DIR}/Tag.parquet' n JOIN '${DIR}/HAS_TYPE_Tag_TagClass.parquet' e ON source = id;
CREATE TABLE Person(id BIGINT PRIMARY KEY, creationDate TIMESTAMP, firstName TEXT, lastName TEXT, gender TEXT, birthday DATE,
  locationIP TEXT, browserUsed TEXT, language TEXT[], email TEXT[], cityId BIGINT);
INSERT INTO Person SELECT n.*, target FROM '${DIR}/Person.parquet' n JOIN '${DIR}/IS_LOCATED_IN_Person_City.parquet' e ON source = id ORDER BY n.file_row_number;
CREATE TABLE Forum(id BIGINT PRIMARY KEY, creationDate TIMESTAMP, title TEXT, moderatorId BIGINT);
INSERT INTO Forum SELECT n.*, target FROM '${DIR}/Forum.parquet' n LEFT JOIN '${DIR}/HAS_MODERATOR_Forum_Person.parquet' e ON source = id ORDER BY n.file_row_number;
CREATE TABLE Post(id BIGINT PRIMARY KEY, creationDate TIMESTAMP, imageFile TEXT, locationIP TEXT, browserUsed TEXT, language TEXT,
  content TEXT, length BIGINT, creatorId BIGINT, forumId BIGINT, countryId BIGINT);
INSERT INTO Post SELECT n.*, c.target, f.source, l.target FROM '${DIR}/Post.parquet' n
  JOIN '${DIR}/HAS_CREATOR_Post_Person.parquet' c ON c.source = id
  JOIN '${DIR}/CONTAINER_OF_Forum_Post.parquet' f ON f.target = id
  JOIN '${DIR}/IS_LOCATED_IN_Post_Country.parquet' l ON l.source = id ORDER BY n.file_row_number;
CREATE TABLE Comment(id BIGINT PRIMARY KEY, creationDate TIMESTAMP, locationIP TEXT, browserUsed TEXT, content TEXT, length BIGINT,
  creatorId BIGINT, countryId BIGINT, parentId BIGINT);
INSERT INTO Comment SELECT n.*, c.target, l.target, r.target FROM '${DIR}/Comment.parquet' n
  JOIN '${DIR}/HAS_CREATOR_Comment_Person.parquet' c ON c.source = id
  JOIN '${DIR}/IS_LOCATED_IN_Comment_Country.parquet' l ON l.source = id
  JOIN (FROM '${DIR}/REPLY_OF_Comment_Post.parquet' UNION ALL FROM '${DIR}/REPLY_OF_Comment_Comment.parquet') r ON r.source = id
  ORDER BY n.file_row_number;
CREATE TABLE Message(id BIGINT PRIMARY KEY, creationDate TIMESTAMP, isComment BOOLEAN, imageFile TEXT, locationIP TEXT,
  browserUsed TEXT, language TEXT, content TEXT, length BIGINT, creatorId BIGINT, forumId BIGINT, countryId BIGINT,
  parentId BIGINT, rootId BIGINT);
INSERT INTO Message
WITH RECURSIVE thread(id, rootId, forumId) AS (
    SELECT id, id, forumId FROM Post
  UNION ALL
    SELECT c.id, t.rootId, t.forumId FROM thread t JOIN Comment c ON c.parentId = t.id)
SELECT * EXCLUDE (place) FROM (
  SELECT id, creationDate, false AS isComment, imageFile, locationIP, browserUsed, language, content, length, creatorId, forumId, countryId,
    NULL, id, rowid AS place FROM Post
  UNION ALL
  SELECT c.id, creationDate, true, NULL, locationIP, browserUsed, NULL, content, length, creatorId, t.forumId, countryId, parentId, rootId,
    c.rowid FROM Comment c JOIN thread t ON t.id = c.id) ORDER BY isComment, place;
CREATE TABLE Knows(person1Id BIGINT, person2Id BIGINT, creationDate TIMESTAMP);
INSERT INTO Knows FROM '${DIR}/KNOWS_Person_Person.parquet';
INSERT INTO Knows SELECT target, source, creationDate FROM '${DIR}/KNOWS_Person_Person.parquet';
CREATE TABLE HasMember AS SELECT source AS forumId, target AS personId, creationDate FROM '${DIR}/HAS_MEMBER_Forum_Person.parquet';
CREATE TABLE ForumTag AS SELECT source AS forumId, target AS tagId FROM '${DIR}/HAS_TAG_Forum_Tag.parquet';
CREATE TABLE MessageTag AS SELECT source AS messageId, target AS tagId FROM
  (FROM '${DIR}/HAS_TAG_Post_Tag.parquet' UNION ALL FROM '${DIR}/HAS_TAG_Comment_Tag.parquet');
CREATE TABLE Interest AS SELECT source AS personId, target AS tagId FROM '${DIR}/HAS_INTEREST_Person_Tag.parquet';
CREATE TABLE Likes AS SELECT source AS personId, target AS messageId, creationDate FROM
  (FROM '${DIR}/LIKES_Person_Post.parquet' UNION ALL FROM '${DIR}/LIKES_Person_Comment.parquet');
CREATE TABLE StudyAt AS SELECT source AS personId, target AS universityId, classYear FROM '${DIR}/STUDY_AT_Person_University.parquet';
CREATE TABLE WorkAt AS SELECT source AS personId, target AS companyId, workFrom FROM '${DIR}/WORK_AT_Person_Company.parquet';
CREATE VIEW Place AS SELECT id, name FROM City UNION ALL SELECT id, name FROM Country UNION ALL SELECT id, name FROM Continent;
CREATE VIEW Organisation AS SELECT id, name FROM University UNION ALL SELECT id, name FROM Company;
