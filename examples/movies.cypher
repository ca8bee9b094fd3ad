// The same films in the command line:  cd examples && trimorph -f movies.cypher
:load movies/people.csv movies/movies.csv movies/acted_in.csv movies/directed.csv
MATCH (m:Movie) RETURN m.released / 10 * 10 AS decade, count(*) AS films ORDER BY decade;
MATCH (p:Person)-[:DIRECTED]->(m) RETURN p.name AS name, collect(m.title) AS films ORDER BY size(films) DESC, name LIMIT 3;
MATCH (m:Movie) UNWIND m.genres AS genre RETURN genre, count(*) AS films ORDER BY films DESC, genre LIMIT 3;
