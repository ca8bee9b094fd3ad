"""LDBC SNB 0.1 as it is loaded, its daily batches of updates as statements, and the BI queries that are asked meanwhile.

Needs `../shared/data/snb-sf0.1` beside the clone; the updates are unpacked by `zstd` and `tar`.
"""

import csv
import datetime as dt
import pathlib
import subprocess

from snb import answers

UPDATES = answers.DATA / "updates-composite-merged-fk.tar.zst"
INTEGERS = {"classYear", "workFrom", "length"}
INSTANTS = {"creationDate", "deletionDate"}

# In the order in which they can be applied: what others point at first.
INSERTS = {
    "Person": "UNWIND $rows AS r MATCH (c:Place {id: r.LocationCityId}) CREATE (p:Person {id: r.id, creationDate: r.creationDate, "
    "firstName: r.firstName, lastName: r.lastName, gender: r.gender, birthday: date(r.birthday), locationIP: r.locationIP, "
    "browserUsed: r.browserUsed, language: split(r.language, ';'), email: split(r.email, ';')})-[:IS_LOCATED_IN]->(c)",
    "Person_hasInterest_Tag": "UNWIND $rows AS r MATCH (p:Person {id: r.PersonId}), (t:Tag {id: r.TagId}) CREATE (p)-[:HAS_INTEREST]->(t)",
    "Person_studyAt_University": "UNWIND $rows AS r MATCH (p:Person {id: r.PersonId}), (u:Organisation {id: r.UniversityId}) "
    "CREATE (p)-[:STUDY_AT {classYear: r.classYear}]->(u)",
    "Person_workAt_Company": "UNWIND $rows AS r MATCH (p:Person {id: r.PersonId}), (c:Organisation {id: r.CompanyId}) "
    "CREATE (p)-[:WORK_AT {workFrom: r.workFrom}]->(c)",
    "Person_knows_Person": "UNWIND $rows AS r MATCH (a:Person {id: r.Person1Id}), (b:Person {id: r.Person2Id}) "
    "CREATE (a)-[:KNOWS {creationDate: r.creationDate}]->(b)",
    "Forum": "UNWIND $rows AS r MATCH (m:Person {id: r.ModeratorPersonId}) "
    "CREATE (f:Forum {id: r.id, creationDate: r.creationDate, title: r.title})-[:HAS_MODERATOR]->(m)",
    "Forum_hasTag_Tag": "UNWIND $rows AS r MATCH (f:Forum {id: r.ForumId}), (t:Tag {id: r.TagId}) CREATE (f)-[:HAS_TAG]->(t)",
    "Forum_hasMember_Person": "UNWIND $rows AS r MATCH (f:Forum {id: r.ForumId}), (p:Person {id: r.PersonId}) "
    "CREATE (f)-[:HAS_MEMBER {creationDate: r.creationDate}]->(p)",
    "Post": "UNWIND $rows AS r MATCH (f:Forum {id: r.ContainerForumId}), (p:Person {id: r.CreatorPersonId}), (c:Place {id: r.LocationCountryId}) "
    "CREATE (m:Message:Post {id: r.id, creationDate: r.creationDate, imageFile: r.imageFile, locationIP: r.locationIP, browserUsed: r.browserUsed, "
    "language: r.language, content: r.content, length: r.length}), (f)-[:CONTAINER_OF]->(m), (m)-[:HAS_CREATOR]->(p), (m)-[:IS_LOCATED_IN]->(c)",
    "Post_hasTag_Tag": "UNWIND $rows AS r MATCH (m:Post {id: r.PostId}), (t:Tag {id: r.TagId}) CREATE (m)-[:HAS_TAG]->(t)",
    "Comment": "UNWIND $rows AS r MATCH (o:Message {id: coalesce(r.ParentPostId, r.ParentCommentId)}), (p:Person {id: r.CreatorPersonId}), "
    "(c:Place {id: r.LocationCountryId}) CREATE (m:Message:Comment {id: r.id, creationDate: r.creationDate, locationIP: r.locationIP, "
    "browserUsed: r.browserUsed, content: r.content, length: r.length}), (m)-[:REPLY_OF]->(o), (m)-[:HAS_CREATOR]->(p), (m)-[:IS_LOCATED_IN]->(c)",
    "Comment_hasTag_Tag": "UNWIND $rows AS r MATCH (m:Comment {id: r.CommentId}), (t:Tag {id: r.TagId}) CREATE (m)-[:HAS_TAG]->(t)",
    "Person_likes_Post": "UNWIND $rows AS r MATCH (p:Person {id: r.PersonId}), (m:Post {id: r.PostId}) CREATE (p)-[:LIKES {creationDate: r.creationDate}]->(m)",
    "Person_likes_Comment": "UNWIND $rows AS r MATCH (p:Person {id: r.PersonId}), (m:Comment {id: r.CommentId}) "
    "CREATE (p)-[:LIKES {creationDate: r.creationDate}]->(m)",
}
# A message goes with all that answers it, a forum with its posts, a person with what he wrote: as LDBC has it.
THREAD = "OPTIONAL MATCH (m)<-[:REPLY_OF*0..]-(c) DETACH DELETE c"
DELETES = {
    "Person_likes_Post": "UNWIND $rows AS r MATCH (:Person {id: r.PersonId})-[l:LIKES]->(:Post {id: r.PostId}) DELETE l",
    "Person_likes_Comment": "UNWIND $rows AS r MATCH (:Person {id: r.PersonId})-[l:LIKES]->(:Comment {id: r.CommentId}) DELETE l",
    "Forum_hasMember_Person": "UNWIND $rows AS r MATCH (:Forum {id: r.ForumId})-[h:HAS_MEMBER]->(:Person {id: r.PersonId}) DELETE h",
    "Person_knows_Person": "UNWIND $rows AS r MATCH (:Person {id: r.Person1Id})-[k:KNOWS]-(:Person {id: r.Person2Id}) DELETE k",
    "Comment": f"UNWIND $rows AS r MATCH (m:Comment {{id: r.id}}) {THREAD}",
    "Post": f"UNWIND $rows AS r MATCH (m:Post {{id: r.id}}) {THREAD}",
    "Forum": "UNWIND $rows AS r MATCH (f:Forum {id: r.id}) OPTIONAL MATCH (f)-[:CONTAINER_OF]->(:Post)<-[:REPLY_OF*0..]-(c) DETACH DELETE c, f",
    "Person": "UNWIND $rows AS r MATCH (p:Person {id: r.id}) OPTIONAL MATCH (p)<-[:HAS_MODERATOR]-(f:Forum) WHERE f.title STARTS WITH 'Album' "
    "OR f.title STARTS WITH 'Wall' OPTIONAL MATCH (f)-[:CONTAINER_OF]->(:Post)<-[:REPLY_OF*0..]-(c) "
    "OPTIONAL MATCH (p)<-[:HAS_CREATOR]-(:Message)<-[:REPLY_OF*0..]-(d) DETACH DELETE c, d, f, p",
}


def unpack(work):
    """The folder of the updates, unpacked once."""
    folder = work / "snb-updates"
    if not folder.exists():
        folder.mkdir(parents=True)
        plain = subprocess.run(["zstd", "-dc", UPDATES], check=True, capture_output=True).stdout
        subprocess.run(["tar", "xf", "-", "-C", folder], check=True, input=plain)
    return folder


def value(name, text):
    if text == "":
        return None
    if name in INSTANTS:
        return dt.datetime.fromisoformat(text)
    return int(text) if name.lower().endswith("id") or name in INTEGERS else text


def rows(folder, kind, entity, day):
    found = []
    for path in sorted((folder / kind / "dynamic" / entity).glob(f"batch_id={day}/*.csv")):
        with path.open(encoding="utf-8", newline="") as lines:
            # Texts have no quotes of CSV.
            for row in csv.DictReader(lines, delimiter="|", quoting=csv.QUOTE_NONE):
                found.append({name: value(name, text) for name, text in row.items()})
    return found


def days(folder):
    return sorted({path.name.removeprefix("batch_id=") for path in folder.glob("inserts/dynamic/*/batch_id=*")})


def batch(folder, day):
    """The statements of a day, each with its rows."""
    for kind, statements in (("inserts", INSERTS), ("deletes", DELETES)):
        for entity, text in statements.items():
            found = rows(folder, kind, entity, day)
            if entity == "Comment" and kind == "inserts":
                # Who answers a comment of the same day comes after it.
                found.sort(key=lambda row: row["creationDate"])
            yield entity, text, found


def questions(cases):
    """The BI queries: variant, text, parameters, and the answer on the snapshot as it was loaded."""
    return [(variant, answers.text(answers.query_of(variant)), parameters, rows) for variant, parameters, rows in answers.cases(None, cases)]
