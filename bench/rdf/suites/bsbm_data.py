"""A shop as the Berlin SPARQL Benchmark (3.1) has it, as N-Triples: `python bench/rdf/suites/bsbm_data.py PRODUCTS OUT.nt [--seed N]`.

Product types are a tree, a product is of its type and of all above it; producers, vendors, offers (20 a product), reviewers and
reviews (10 a product). 1,000 products give some 370,000 statements. The counts and distributions are the specification's
(section 2), the words are made here. The same arguments make the same file.
"""

import datetime
import math

from statements import Statements, main

INSTANCES = "http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/instances/"
VOCABULARY = "http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/vocabulary/"
XSD = "http://www.w3.org/2001/XMLSchema#"
DC = "http://purl.org/dc/elements/1.1/"
FOAF = "http://xmlns.com/foaf/0.1/"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
REVIEW = "http://purl.org/stuff/rev#"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
COUNTRIES = ["US"] * 40 + ["GB"] * 10 + ["JP"] * 10 + ["CN"] * 10 + ["DE"] * 5 + ["FR"] * 5 + ["ES", "RU", "KR", "AT"] * 5
LANGUAGES = ["en"] * 50 + ["ja", "zh", "de", "fr", "es", "ru"] * 8
FIRST = datetime.date(2005, 1, 1)


def v(name):
    return f"<{VOCABULARY}{name}>"


class Shop(Statements):
    """What is written, and how many there are of each kind."""

    def __init__(self, products, seed, out):
        super().__init__(seed, out, letters="abcdefghilmnoprstu", lengths=(3, 10), words=4000)
        self.products = products
        # Depth and branching of the tree grow with the logarithm, as the specification says.
        self.depth = max(2, round(math.log10(products)) // 2 + 1)
        self.branches = [2 * max(1, round(math.log10(products)))] + [4, 2, 2][: self.depth]

    def day(self, first=0, last=1200):
        return FIRST + datetime.timedelta(days=self.random.randint(first, last))

    def date(self, day):
        return f'"{day}"^^<{XSD}date>'

    def instant(self, day):
        return f'"{day}T00:00:00"^^<{XSD}dateTime>'

    def integer(self, least, most):
        return f'"{self.random.randint(least, most)}"^^<{XSD}integer>'

    def published(self, subject, publisher, day):
        self.say(subject, DC + "publisher", publisher)
        self.say(subject, DC + "date", self.date(day))

    def labelled(self, subject, kind, comment=(20, 50)):
        self.say(subject, TYPE, v(kind))
        self.say(subject, RDFS + "label", self.text(1, 3))
        self.say(subject, RDFS + "comment", self.text(*comment))

    def types(self):
        """The tree of product types: each one with those above it, the features of all of them; the leaves."""
        self.above, self.features, self.leaves = {1: []}, {1: []}, []
        level, number, feature = [1], 1, 0
        for depth in range(self.depth + 1):
            for own in level:
                name = f"<{INSTANCES}ProductType{own}>"
                self.labelled(name, "ProductType")
                if self.above[own]:
                    self.say(name, RDFS + "subClassOf", f"<{INSTANCES}ProductType{self.above[own][0]}>")
                self.published(name, f"<{INSTANCES}StandardizationInstitution1>", self.day(-2000, -1000))
                for _ in range(self.random.randint(10, 30) if depth else 5):
                    feature += 1
                    self.features[own].append(feature)
                    one = f"<{INSTANCES}ProductFeature{feature}>"
                    self.labelled(one, "ProductFeature")
                    self.published(one, f"<{INSTANCES}StandardizationInstitution1>", self.day(-2000, -1000))
            if depth == self.depth:
                self.leaves = level
                break
            below = []
            for own in level:
                for _ in range(self.branches[depth]):
                    number += 1
                    self.above[number] = [own, *self.above[own]]
                    self.features[number] = list(self.features[own])
                    below.append(number)
            level = below

    def producers_and_products(self):
        left = producer = 0
        for product in range(1, self.products + 1):
            if not left:
                left, producer = max(1, round(self.random.gauss(50, 16.6))), producer + 1
                maker = f"<{INSTANCES}dataFromProducer{producer}/Producer{producer}>"
                self.labelled(maker, "Producer")
                self.say(maker, FOAF + "homepage", f"<http://www.Producer{producer}.com/>")
                self.say(maker, VOCABULARY + "country", f"<http://downlode.org/rdf/iso-3166/countries#{self.random.choice(COUNTRIES)}>")
                self.published(maker, maker, self.day(-1500, -500))
            left -= 1
            own = f"<{INSTANCES}dataFromProducer{producer}/Product{product}>"
            self.names.append(own)
            self.labelled(own, "Product", (50, 150))
            leaf = self.random.choice(self.leaves)
            for kind in [leaf, *self.above[leaf]]:
                self.say(own, TYPE, f"<{INSTANCES}ProductType{kind}>")
            self.say(own, VOCABULARY + "producer", maker)
            for feature in self.random.sample(self.features[leaf], k=min(len(self.features[leaf]), self.random.randint(9, 30))):
                self.say(own, VOCABULARY + "productFeature", f"<{INSTANCES}ProductFeature{feature}>")
            for at, share in enumerate([1, 1, 1, 0.7, 0.8, 0.3], start=1):
                if self.random.random() < share:
                    self.say(own, VOCABULARY + f"productPropertyTextual{at}", self.text(3, 15))
                if self.random.random() < share:
                    self.say(own, VOCABULARY + f"productPropertyNumeric{at}", self.integer(1, 2000))
            self.published(own, maker, self.day(-1000, 0))

    def vendors_and_offers(self):
        left = vendor = 0
        for offer in range(1, 20 * self.products + 1):
            if not left:
                left, vendor = max(1, round(self.random.gauss(2000, 666))), vendor + 1
                own = f"<{INSTANCES}dataFromVendor{vendor}/Vendor{vendor}>"
                self.labelled(own, "Vendor")
                self.say(own, FOAF + "homepage", f"<http://www.vendor{vendor}.com/>")
                self.say(own, VOCABULARY + "country", f"<http://downlode.org/rdf/iso-3166/countries#{self.random.choice(COUNTRIES)}>")
                self.published(own, own, self.day(-500, 0))
            left -= 1
            one = f"<{INSTANCES}dataFromVendor{vendor}/Offer{offer}>"
            day = self.day(1000, 1260)
            self.say(one, TYPE, v("Offer"))
            # Few are offered often.
            at = min(int(abs(self.random.gauss(0, 0.4)) * self.products), self.products - 1)
            self.say(one, VOCABULARY + "product", self.names[at])
            self.say(one, VOCABULARY + "vendor", own)
            self.say(one, VOCABULARY + "price", f'"{self.random.uniform(5, 10000):.2f}"^^<{VOCABULARY}USD>')
            self.say(one, VOCABULARY + "validFrom", self.instant(day - datetime.timedelta(days=self.random.randint(1, 90))))
            self.say(one, VOCABULARY + "validTo", self.instant(day + datetime.timedelta(days=self.random.randint(1, 90))))
            self.say(one, VOCABULARY + "deliveryDays", self.integer(1, 21))
            self.say(one, VOCABULARY + "offerWebpage", f"<http://www.vendor{vendor}.com/offers/Offer{offer}>")
            self.published(one, own, day)

    def reviewers_and_reviews(self):
        left = reviewer = 0
        for review in range(1, 10 * self.products + 1):
            site = (review - 1) // 10000 + 1
            if not left:
                left, reviewer = max(1, round(self.random.gauss(20, 6.6))), reviewer + 1
                own = f"<{INSTANCES}dataFromRatingSite{site}/Reviewer{reviewer}>"
                self.say(own, TYPE, f"<{FOAF}Person>")
                self.say(own, FOAF + "name", self.text(1, 2))
                self.say(own, FOAF + "mbox_sha1sum", f'"{self.random.getrandbits(160):040x}"')
                self.say(own, VOCABULARY + "country", f"<http://downlode.org/rdf/iso-3166/countries#{self.random.choice(COUNTRIES)}>")
                self.published(own, f"<{INSTANCES}dataFromRatingSite{site}/RatingSite{site}>", self.day(0, 1100))
            left -= 1
            one = f"<{INSTANCES}dataFromRatingSite{site}/Review{review}>"
            day = self.day(900, 1260)
            self.say(one, TYPE, f"<{REVIEW}Review>")
            self.say(one, VOCABULARY + "reviewFor", self.random.choice(self.names))
            self.say(one, REVIEW + "reviewer", own)
            self.say(one, VOCABULARY + "reviewDate", self.instant(day))
            self.say(one, DC + "title", self.text(4, 15))
            self.say(one, REVIEW + "text", self.text(50, 200) + "@" + self.random.choice(LANGUAGES))
            for at in range(1, 5):
                if self.random.random() < 0.7:
                    self.say(one, VOCABULARY + f"rating{at}", self.integer(1, 10))
            self.published(one, f"<{INSTANCES}dataFromRatingSite{site}/RatingSite{site}>", day)

    def write(self):
        self.names = []
        self.types()
        self.producers_and_products()
        self.vendors_and_offers()
        self.reviewers_and_reviews()


if __name__ == "__main__":
    main(__doc__, "products", Shop)
