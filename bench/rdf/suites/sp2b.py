"""SP2Bench's queries over what `sp2b_data.py` writes (Schmidt et al., "SP²Bench: A SPARQL Performance Benchmark", ICDE 2009)."""

PREFIXES = """PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
PREFIX dc: <http://purl.org/dc/elements/1.1/>
PREFIX dcterms: <http://purl.org/dc/terms/>
PREFIX foaf: <http://xmlns.com/foaf/0.1/>
PREFIX swrc: <http://swrc.ontoware.org/ontology#>
PREFIX bench: <http://localhost/vocabulary/bench/>
PREFIX person: <http://localhost/persons/>
"""

BOTH_NAMES = """{ ?article rdf:type bench:Article . ?article dc:creator ?person . ?inproc rdf:type bench:Inproceedings .
        ?inproc dc:creator ?person2 . ?person foaf:name ?name . ?person2 foaf:name ?name2 FILTER (?name = ?name2) }"""
ERDOES_2 = """{ ?erdoes rdf:type foaf:Person . ?erdoes foaf:name "Paul Erdoes"^^xsd:string .
        { ?document dc:creator ?erdoes . ?document dc:creator ?author . ?document2 dc:creator ?author . ?document2 dc:creator ?author2 .
          ?author2 foaf:name ?name FILTER (?author != ?erdoes && ?document2 != ?document && ?author2 != ?erdoes && ?author2 != ?author) }
        UNION { ?document dc:creator ?erdoes . ?document dc:creator ?author . ?author foaf:name ?name FILTER (?author != ?erdoes) } }"""
PROPERTY = "SELECT ?article { ?article rdf:type bench:Article . ?article ?property ?value FILTER (?property = swrc:%) }"

QUERIES = {
    "sp-1": 'SELECT ?yr { ?journal rdf:type bench:Journal . ?journal dc:title "Journal 1 (1940)"^^xsd:string . ?journal dcterms:issued ?yr }',
    "sp-2": """SELECT ?inproc ?author ?booktitle ?title ?proc ?ee ?page ?url ?yr ?abstract { ?inproc rdf:type bench:Inproceedings .
        ?inproc dc:creator ?author . ?inproc bench:booktitle ?booktitle . ?inproc dc:title ?title . ?inproc dcterms:partOf ?proc .
        ?inproc rdfs:seeAlso ?ee . ?inproc swrc:pages ?page . ?inproc foaf:homepage ?url . ?inproc dcterms:issued ?yr
        OPTIONAL { ?inproc bench:abstract ?abstract } } ORDER BY ?yr""",
    "sp-3a": PROPERTY.replace("%", "pages"),
    "sp-3b": PROPERTY.replace("%", "month"),
    "sp-3c": PROPERTY.replace("%", "isbn"),
    "sp-4": """SELECT DISTINCT ?name1 ?name2 { ?article1 rdf:type bench:Article . ?article2 rdf:type bench:Article . ?article1 dc:creator ?author1 .
        ?author1 foaf:name ?name1 . ?article2 dc:creator ?author2 . ?author2 foaf:name ?name2 . ?article1 swrc:journal ?journal .
        ?article2 swrc:journal ?journal FILTER (?name1 < ?name2) }""",
    "sp-5a": f"SELECT DISTINCT ?person ?name {BOTH_NAMES}",
    "sp-5b": """SELECT DISTINCT ?person ?name { ?article rdf:type bench:Article . ?article dc:creator ?person . ?inproc rdf:type bench:Inproceedings .
        ?inproc dc:creator ?person . ?person foaf:name ?name }""",
    "sp-6": """SELECT ?yr ?name ?document { ?class rdfs:subClassOf foaf:Document . ?document rdf:type ?class . ?document dcterms:issued ?yr .
        ?document dc:creator ?author . ?author foaf:name ?name OPTIONAL { ?class2 rdfs:subClassOf foaf:Document . ?document2 rdf:type ?class2 .
        ?document2 dcterms:issued ?yr2 . ?document2 dc:creator ?author2 FILTER (?author = ?author2 && ?yr2 < ?yr) } FILTER (!bound(?author2)) }""",
    "sp-7": """SELECT DISTINCT ?title { ?class rdfs:subClassOf foaf:Document . ?doc rdf:type ?class . ?doc dc:title ?title . ?bag2 ?member2 ?doc .
        ?doc2 dcterms:references ?bag2 OPTIONAL { ?class3 rdfs:subClassOf foaf:Document . ?doc3 rdf:type ?class3 . ?doc3 dcterms:references ?bag3 .
        ?bag3 ?member3 ?doc OPTIONAL { ?class4 rdfs:subClassOf foaf:Document . ?doc4 rdf:type ?class4 . ?doc4 dcterms:references ?bag4 .
        ?bag4 ?member4 ?doc3 } FILTER (!bound(?doc4)) } FILTER (!bound(?doc3)) }""",
    "sp-8": f"SELECT DISTINCT ?name {ERDOES_2}",
    "sp-9": """SELECT DISTINCT ?predicate { { ?person rdf:type foaf:Person . ?subject ?predicate ?person }
        UNION { ?person rdf:type foaf:Person . ?person ?predicate ?object } }""",
    "sp-10": "SELECT ?subj ?pred { ?subj ?pred person:Paul_Erdoes }",
    "sp-11": "SELECT ?ee { ?publication rdfs:seeAlso ?ee } ORDER BY ?ee LIMIT 10 OFFSET 50",
    "sp-12a": f"ASK {BOTH_NAMES}",
    "sp-12b": f"ASK {ERDOES_2}",
    "sp-12c": "ASK { person:John_Q_Public rdf:type foaf:Person }",
}


def queries(_path):
    """The texts; they have no parameters."""
    return QUERIES
