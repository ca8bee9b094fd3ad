"""The Berlin SPARQL Benchmark's queries (3.1): the explore mix (1–5, 7–12) and the business-intelligence mix (1–8), over what
`bsbm_data.py` writes. The parameters are taken of the file: a product in the middle, its types, features, offers and reviews.
"""

import re

PREFIXES = """PREFIX bsbm: <http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/vocabulary/>
PREFIX inst: <http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/instances/>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX foaf: <http://xmlns.com/foaf/0.1/>
PREFIX dc: <http://purl.org/dc/elements/1.1/>
PREFIX rev: <http://purl.org/stuff/rev#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
PREFIX country: <http://downlode.org/rdf/iso-3166/countries#>
"""
TODAY = '"2008-06-01T00:00:00"^^xsd:dateTime'
SCORES = " UNION ".join(f"{{ ?review bsbm:rating{at} ?score }}" for at in range(1, 5))

TEXTS = {
    "explore-1": """SELECT DISTINCT ?product ?label { ?product rdfs:label ?label ; a %type ; bsbm:productFeature %feature1 , %feature2 ;
        bsbm:productPropertyNumeric1 ?value1 FILTER(?value1 > 200) } ORDER BY ?label LIMIT 10""",
    "explore-2": """SELECT ?label ?comment ?producer ?productFeature ?t1 ?t2 ?t3 ?n1 ?n2 ?t4 ?t5 ?n4 {
        %product rdfs:label ?label ; rdfs:comment ?comment ; bsbm:producer ?p . ?p rdfs:label ?producer . %product dc:publisher ?p ;
        bsbm:productFeature ?f . ?f rdfs:label ?productFeature . %product bsbm:productPropertyTextual1 ?t1 ; bsbm:productPropertyTextual2 ?t2 ;
        bsbm:productPropertyTextual3 ?t3 ; bsbm:productPropertyNumeric1 ?n1 ; bsbm:productPropertyNumeric2 ?n2 .
        OPTIONAL { %product bsbm:productPropertyTextual4 ?t4 } OPTIONAL { %product bsbm:productPropertyTextual5 ?t5 }
        OPTIONAL { %product bsbm:productPropertyNumeric4 ?n4 } }""",
    "explore-3": """SELECT ?product ?label { ?product rdfs:label ?label ; a %type ; bsbm:productFeature %feature1 ;
        bsbm:productPropertyNumeric1 ?p1 FILTER(?p1 > 100) ?product bsbm:productPropertyNumeric3 ?p3 FILTER(?p3 < 1900)
        OPTIONAL { ?product bsbm:productFeature %feature2 . ?product rdfs:label ?testVar } FILTER(!bound(?testVar)) } ORDER BY ?label LIMIT 10""",
    "explore-4": """SELECT DISTINCT ?product ?label ?propertyTextual {
        { ?product rdfs:label ?label ; a %type ; bsbm:productFeature %feature1 , %feature2 ; bsbm:productPropertyTextual1 ?propertyTextual ;
          bsbm:productPropertyNumeric1 ?p1 FILTER(?p1 > 100) }
        UNION { ?product rdfs:label ?label ; a %type ; bsbm:productFeature %feature1 , %feature3 ; bsbm:productPropertyTextual1 ?propertyTextual ;
          bsbm:productPropertyNumeric2 ?p2 FILTER(?p2 > 100) } } ORDER BY ?label OFFSET 5 LIMIT 10""",
    "explore-5": """SELECT DISTINCT ?product ?productLabel { ?product rdfs:label ?productLabel FILTER(%product != ?product)
        %product bsbm:productFeature ?prodFeature . ?product bsbm:productFeature ?prodFeature .
        %product bsbm:productPropertyNumeric1 ?origProperty1 . ?product bsbm:productPropertyNumeric1 ?simProperty1 .
        FILTER(?simProperty1 < (?origProperty1 + 120) && ?simProperty1 > (?origProperty1 - 120))
        %product bsbm:productPropertyNumeric2 ?origProperty2 . ?product bsbm:productPropertyNumeric2 ?simProperty2 .
        FILTER(?simProperty2 < (?origProperty2 + 170) && ?simProperty2 > (?origProperty2 - 170)) } ORDER BY ?productLabel LIMIT 5""",
    "explore-7": f"""SELECT ?productLabel ?offer ?price ?vendor ?vendorTitle ?review ?revTitle ?reviewer ?revName ?rating1 ?rating2 {{
        %product rdfs:label ?productLabel . OPTIONAL {{ ?offer bsbm:product %product ; bsbm:price ?price ; bsbm:vendor ?vendor .
        ?vendor rdfs:label ?vendorTitle ; bsbm:country country:US . ?offer dc:publisher ?vendor ; bsbm:validTo ?date FILTER(?date > {TODAY}) }}
        OPTIONAL {{ ?review bsbm:reviewFor %product ; rev:reviewer ?reviewer . ?reviewer foaf:name ?revName . ?review dc:title ?revTitle .
        OPTIONAL {{ ?review bsbm:rating1 ?rating1 }} OPTIONAL {{ ?review bsbm:rating2 ?rating2 }} }} }}""",
    "explore-8": """SELECT ?title ?text ?reviewDate ?reviewer ?reviewerName ?rating1 ?rating2 ?rating3 ?rating4 { ?review bsbm:reviewFor %product ;
        dc:title ?title ; rev:text ?text FILTER langMatches(lang(?text), "EN") ?review bsbm:reviewDate ?reviewDate ; rev:reviewer ?reviewer .
        ?reviewer foaf:name ?reviewerName . OPTIONAL { ?review bsbm:rating1 ?rating1 } OPTIONAL { ?review bsbm:rating2 ?rating2 }
        OPTIONAL { ?review bsbm:rating3 ?rating3 } OPTIONAL { ?review bsbm:rating4 ?rating4 } } ORDER BY DESC(?reviewDate) LIMIT 20""",
    "explore-9": "DESCRIBE ?x { %review rev:reviewer ?x }",
    "explore-10": f"""SELECT DISTINCT ?offer ?price {{ ?offer bsbm:product %product ; bsbm:vendor ?vendor ; dc:publisher ?vendor .
        ?vendor bsbm:country country:US . ?offer bsbm:deliveryDays ?deliveryDays FILTER(?deliveryDays <= 3) ?offer bsbm:price ?price ;
        bsbm:validTo ?date FILTER(?date > {TODAY}) }} ORDER BY xsd:double(str(?price)) LIMIT 10""",
    "explore-11": "SELECT ?property ?hasValue ?isValueOf { { %offer ?property ?hasValue } UNION { ?isValueOf ?property %offer } }",
    "explore-12": """CONSTRUCT { %offer bsbm:export_product ?productURI ; bsbm:export_label ?productlabel ; bsbm:export_vendorname ?vendorname ;
        bsbm:export_vendorhomepage ?vendorhomepage ; bsbm:offerURL ?offerURL ; bsbm:price ?price ; bsbm:deliveryDays ?deliveryDays ;
        bsbm:validuntil ?validTo } { %offer bsbm:product ?productURI . ?productURI rdfs:label ?productlabel . %offer bsbm:vendor ?vendorURI .
        ?vendorURI rdfs:label ?vendorname ; foaf:homepage ?vendorhomepage . %offer bsbm:offerWebpage ?offerURL ; bsbm:price ?price ;
        bsbm:deliveryDays ?deliveryDays ; bsbm:validTo ?validTo }""",
    "bi-1": """SELECT ?productType ?reviewCount { { SELECT ?productType (count(?review) AS ?reviewCount) { ?productType a bsbm:ProductType .
        ?product a ?productType ; bsbm:producer ?producer . ?producer bsbm:country country:US . ?review bsbm:reviewFor ?product ;
        rev:reviewer ?reviewer . ?reviewer bsbm:country country:GB } GROUP BY ?productType } } ORDER BY DESC(?reviewCount) ?productType LIMIT 10""",
    "bi-2": """SELECT ?otherProduct ?sameFeatures { ?otherProduct a bsbm:Product FILTER(?otherProduct != %product)
        { SELECT ?otherProduct (count(?otherFeature) AS ?sameFeatures) { %product bsbm:productFeature ?feature .
          ?otherProduct bsbm:productFeature ?otherFeature FILTER(?feature = ?otherFeature) } GROUP BY ?otherProduct } }
        ORDER BY DESC(?sameFeatures) ?otherProduct LIMIT 10""",
    "bi-3": """SELECT ?product (xsd:float(?monthCount)/?monthBeforeCount AS ?ratio) {
        { SELECT ?product (count(?review) AS ?monthCount) { ?review bsbm:reviewFor ?product ; dc:date ?date .
          FILTER(?date >= "2008-03-01"^^xsd:date && ?date < "2008-04-01"^^xsd:date) } GROUP BY ?product }
        { SELECT ?product (count(?review) AS ?monthBeforeCount) { ?review bsbm:reviewFor ?product ; dc:date ?date .
          FILTER(?date >= "2008-02-01"^^xsd:date && ?date < "2008-03-01"^^xsd:date) } GROUP BY ?product HAVING (count(?review) > 0) } }
        ORDER BY DESC(xsd:float(?monthCount) / ?monthBeforeCount) ?product LIMIT 10""",
    "bi-4": """SELECT ?feature (?withFeaturePrice/?withoutFeaturePrice AS ?priceRatio) {
        { SELECT ?feature (avg(xsd:float(xsd:string(?price))) AS ?withFeaturePrice) { ?product a %leaf ; bsbm:productFeature ?feature .
          ?offer bsbm:product ?product ; bsbm:price ?price } GROUP BY ?feature }
        { SELECT ?feature (avg(xsd:float(xsd:string(?price))) AS ?withoutFeaturePrice) {
          { SELECT DISTINCT ?feature { ?p a %leaf ; bsbm:productFeature ?feature } }
          ?product a %leaf . ?offer bsbm:product ?product ; bsbm:price ?price FILTER NOT EXISTS { ?product bsbm:productFeature ?feature } }
          GROUP BY ?feature } } ORDER BY DESC(?withFeaturePrice/?withoutFeaturePrice) ?feature LIMIT 100""",
    "bi-5": """SELECT ?country ?product ?nrOfReviews ?avgPrice {
        { SELECT ?country (max(?nrOfReviews) AS ?maxReviews) { { SELECT ?country ?product (count(?review) AS ?nrOfReviews) { ?product a %type .
          ?review bsbm:reviewFor ?product ; rev:reviewer ?reviewer . ?reviewer bsbm:country ?country } GROUP BY ?country ?product } } GROUP BY ?country }
        { SELECT ?product (avg(xsd:float(xsd:string(?price))) AS ?avgPrice) { ?product a %type . ?offer bsbm:product ?product ; bsbm:price ?price }
          GROUP BY ?product }
        { SELECT ?country ?product (count(?review) AS ?nrOfReviews) { ?product a %type . ?review bsbm:reviewFor ?product ; rev:reviewer ?reviewer .
          ?reviewer bsbm:country ?country } GROUP BY ?country ?product } FILTER(?nrOfReviews = ?maxReviews) }
        ORDER BY DESC(?nrOfReviews) ?country ?product""",
    "bi-6": f"""SELECT ?reviewer (avg(xsd:float(?score)) AS ?reviewerAvg) {{ {{ SELECT (avg(xsd:float(?score)) AS ?avgScore) {{
          ?product bsbm:producer %producer . ?review bsbm:reviewFor ?product . {SCORES} }} }}
        ?product bsbm:producer %producer . ?review bsbm:reviewFor ?product ; rev:reviewer ?reviewer . {SCORES} }}
        GROUP BY ?reviewer HAVING (avg(xsd:float(?score)) > min(?avgScore) * 1.5)""",
    "bi-7": """SELECT ?product { { SELECT ?product { { SELECT ?product (count(?offer) AS ?offerCount) { ?product a %type . ?offer bsbm:product ?product }
        GROUP BY ?product } } ORDER BY DESC(?offerCount) LIMIT 1000 } FILTER NOT EXISTS { ?offer bsbm:product ?product ; bsbm:vendor ?vendor .
        ?vendor bsbm:country ?country FILTER(?country = country:JP) } }""",
    "bi-8": """SELECT ?vendor (xsd:float(?belowAvg)/?offerCount AS ?cheapExpensiveRatio) {
        { SELECT ?vendor (count(?offer) AS ?belowAvg) { { ?product a %type . ?offer bsbm:product ?product ; bsbm:vendor ?vendor ; bsbm:price ?price .
          { SELECT ?product (avg(xsd:float(xsd:string(?price))) AS ?avgPrice) { ?product a %type . ?offer bsbm:product ?product ;
            bsbm:vendor ?vendor ; bsbm:price ?price } GROUP BY ?product } } FILTER(xsd:float(xsd:string(?price)) < ?avgPrice) } GROUP BY ?vendor }
        { SELECT ?vendor (count(?offer) AS ?offerCount) { ?product a %type . ?offer bsbm:product ?product ; bsbm:vendor ?vendor } GROUP BY ?vendor } }
        ORDER BY DESC(xsd:float(?belowAvg)/?offerCount) ?vendor LIMIT 10""",
}


def queries(path):
    """The texts with the parameters that a file gives."""
    about = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            subject, predicate, value = line[:-3].split(" ", 2)
            kind = re.sub(r".*?([A-Z][A-Za-z]*)\d+>$", r"\1", subject)
            about.setdefault(kind, {}).setdefault(subject, []).append((re.sub(r".*[/#](\w+)>$", r"\1", predicate), value))
            if kind == "Review" and len(about[kind]) > 1:
                break
    products, offers = list(about["Product"]), list(about["Offer"])
    # One that has all that is asked of it.
    product = next(own for own in products[len(products) // 2 :] if {"productPropertyNumeric1", "productPropertyNumeric2"} <= {p for p, _ in about["Product"][own]})
    said = about["Product"][product]
    types = [value for predicate, value in said if predicate == "type" and "/instances/" in value]
    features = [value for predicate, value in said if predicate == "productFeature"]
    # The features of the upper types are in many products.
    features.sort(key=lambda feature: int(re.sub(r".*?(\d+)>$", r"\1", feature)))
    values = {
        "product": product, "leaf": types[0], "type": types[-2], "producer": next(v for p, v in said if p == "producer"),
        "offer": offers[len(offers) // 2], "review": next(iter(about["Review"])),
        **{f"feature{at + 1}": feature for at, feature in enumerate(features[:3])},
    }
    return {name: re.sub(r"%(\w+)", lambda found: values.get(found[1], found[0]), text) for name, text in TEXTS.items()}
