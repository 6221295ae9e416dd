"""The cases: two resources each, with the result written by hand."""

from dataclasses import dataclass

MEDIA = "http://search.yahoo.com/mrss/"
XMLNS = f' xmlns:media="{MEDIA}"'

# The shape on the wire, with CDATA inside.
WIRE = (f'<rss version="2.0"{XMLNS}><channel><title>BRAND</title><item><title><![CDATA[Title]]></title>'
        '<guid>id</guid><media:rating scheme="urn:mpaa">tv-pg</media:rating></item></channel></rss>')

NOTES = {
    "Spelling": {"bugType": "FUNCTIONALITY", "description": "Two spellings of one resource."},
    "Value": {"bugType": "AUTH_BYPASS", "description": "A fact that counts differs: another resource."},
    "Unicode": {"bugType": "AUTH_BYPASS", "description": "Texts that look alike or are canonically equivalent."},
    "Absent": {"bugType": "AUTH_BYPASS", "description": "A fact that one resource has and the other has not."},
    "Ignored": {"bugType": "FUNCTIONALITY", "description": "Elements and attributes that do not count."},
    "Namespace": {"bugType": "AUTH_BYPASS", "description": "A reader that minds namespaces sees something else."},
    "Ambiguous": {"bugType": "AUTH_BYPASS", "description": "Two readers may take different elements for the facts."},
    "NotXML": {"bugType": "FUNCTIONALITY", "description": "Text that is not well-formed XML, or not XML at all."},
    "LaxParser": {"bugType": "AUTH_BYPASS", "description": "Text that some XML parsers let through in whole or part."},
    "Encoding": {"bugType": "AUTH_BYPASS", "description": "Octets that a declared or guessed encoding changes."},
    "Entity": {"bugType": "INJECTION", "description": "DOCTYPE and entity declarations."},
    "Limit": {"bugType": "DENIAL_OF_SERVICE", "description": "Size and depth."},
    "Wire": {"bugType": "FUNCTIONALITY", "description": "Seen in the field."},
}


@dataclass
class Case:
    group: str
    comment: str
    flags: list
    expected: str
    presented: str
    result: str
    path: str = None
    code: str = None


CASES = []


def rss(channel, attributes=XMLNS):
    return f'<rss version="2.0"{attributes}><channel>{channel}</channel></rss>'


def item(title="<title>Title</title>", guid="<guid>id</guid>",
         rating='<media:rating scheme="urn:v-chip">tv-pg</media:rating>', more=""):
    return f"<item>{title}{guid}{rating}{more}</item>"


def whole(title="<title>BRAND</title>", items=None, more=""):
    return rss(title + (item() if items is None else items) + more)


BASE = whole()


def equal(group, comment, flags, presented, expected=BASE):
    CASES.append(Case(group, comment, flags.split(), expected, presented, "equal"))


def different(group, comment, flags, path, presented, expected=BASE):
    CASES.append(Case(group, comment, flags.split(), expected, presented, "different", path=path))


def invalid(group, comment, flags, code, presented, expected=BASE):
    CASES.append(Case(group, comment, flags.split(), expected, presented, "invalid", code=code))


NOT, ODD = "not_media_rss", "ambiguous_media_rss"

# ---------------------------------------------------------------------------------------------------------------------
G = "spelling"
equal(G, "the same octets", "Spelling", BASE)
equal(G, "the wire's shape: CDATA or plain text in the title", "Spelling Wire", WIRE.replace("<![CDATA[Title]]>", "Title"), WIRE)
equal(G, "trailing space after the root", "Spelling Wire", BASE + " ")
equal(G, "line breaks and spaces before the root", "Spelling", "\r\n\t " + BASE)
equal(G, "white space between all elements", "Spelling Wire", BASE.replace("><", ">\r\n\t <"))
equal(G, "XML declaration", "Spelling", '<?xml version="1.0" encoding="UTF-8"?>\n' + BASE)
equal(G, "XML declaration in single quotes, lower case, standalone", "Spelling",
      "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>" + BASE)
equal(G, "XML declaration with CRLF in it", "Spelling", '<?xml version="1.0"\r\nencoding="UTF-8"?>\r\n' + BASE)
equal(G, "XML declaration without encoding", "Spelling", '<?xml version="1.0"?>' + BASE)
equal(G, "order of the root's attributes", "Spelling Wire",
      BASE.replace(f'version="2.0"{XMLNS}', f'xmlns:media="{MEDIA}" version="2.0"'))
two = '<media:rating scheme="urn:v-chip" label="x">tv-pg</media:rating>'
equal(G, "order of a rating's attributes", "Spelling Wire",
      whole(items=item(rating='<media:rating label="x" scheme="urn:v-chip">tv-pg</media:rating>')),
      whole(items=item(rating=two)))
equal(G, "single quotes around attributes", "Spelling", BASE.replace('"', "'"))
equal(G, "spaces inside tags", "Spelling", BASE.replace('scheme="urn:v-chip">', '  scheme = "urn:v-chip" >').replace("</guid>", "</guid >"))
equal(G, "prefix m for the MRSS namespace", "Spelling Wire", BASE.replace("media:", "m:").replace("xmlns:media", "xmlns:m"))
equal(G, "a default xmlns on the rating", "Spelling",
      BASE.replace("media:rating scheme", f'rating xmlns="{MEDIA}" scheme').replace("/media:rating", "/rating").replace(XMLNS, ""))
equal(G, "a default xmlns on the root", "Spelling",
      BASE.replace("media:rating", "rating").replace("xmlns:media", "xmlns"))
equal(G, "the prefix declared at the rating", "Spelling",
      BASE.replace(XMLNS, "").replace("<media:rating", "<media:rating" + XMLNS))
equal(G, "an unused namespace", "Spelling", BASE.replace(XMLNS, XMLNS + ' xmlns:dc="http://purl.org/dc/elements/1.1/"'))
amp = whole(items=item(title="<title>Law &amp; Order &lt;3&gt;</title>"))
equal(G, "entities or CDATA", "Spelling Wire", whole(items=item(title="<title><![CDATA[Law & Order <3>]]></title>")), amp)
equal(G, "decimal and hexadecimal references", "Spelling", whole(items=item(title="<title>Law &#38; Order &#x3c;3&#x3E;</title>")), amp)
equal(G, "CDATA for a part of the text", "Spelling", whole(items=item(title="<title>Law <![CDATA[&]]> Order <![CDATA[<]]>3&gt;</title>")), amp)
equal(G, "CDATA restarted in the wire's way, ]]]]>><![CDATA[", "Spelling Wire",
      whole(items=item(title="<title><![CDATA[a]]]]>><![CDATA[b]]></title>")),
      whole(items=item(title="<title>a]]&gt;b</title>")))
equal(G, "CDATA restarted in the usual way, ]]]]><![CDATA[>", "Spelling Wire",
      whole(items=item(title="<title><![CDATA[a]]]]><![CDATA[>b]]></title>")),
      whole(items=item(title="<title><![CDATA[a]]]]>><![CDATA[b]]></title>")))
equal(G, "empty CDATA or nothing", "Spelling", whole(items=item(title="<title><![CDATA[]]></title>")), whole(items=item(title="<title/>")))
equal(G, "empty element or start and end tag", "Spelling", whole(items=item(guid="<guid/>")), whole(items=item(guid="<guid></guid>")))
equal(G, "quotes as references in the scheme", "Spelling", BASE.replace("urn:v-chip", "urn:v&#45;chip"))
equal(G, "CRLF inside a text is LF to every XML reader", "Spelling",
      whole(items=item(title="<title>a\r\nb</title>")), whole(items=item(title="<title>a\nb</title>")))
equal(G, "order of title, guid and rating", "Spelling", whole(items=item(title="", more="<title>Title</title>")))
equal(G, "channel title after the items", "Spelling", whole(title="", more="<title>BRAND</title>"))
equal(G, "non-ASCII text as octets or references", "Spelling Unicode",
      whole(items=item(title="<title>&#xC9;l&#233;phant &#x1F418;</title>")), whole(items=item(title="<title>\u00c9l\u00e9phant \U0001F418</title>")))
equal(G, "channel only, as a plain id is translated", "Spelling Wire", rss("<title>TNT</title>", ""), rss("\n<title>TNT</title>\n"))
long = "\u00e9\U0001F418]]" * 500
equal(G, "a long text that the parser hands out in pieces", "Spelling Unicode",
      whole(items=item(title=f"<title><![CDATA[{long}]]></title>")), whole(items=item(title=f"<title>{long}</title>")))

# ---------------------------------------------------------------------------------------------------------------------
G = "values"
different(G, "another channel title", "Value", "channel/title", whole(title="<title>OTHER</title>"))
different(G, "channel title in another case", "Value", "channel/title", whole(title="<title>Brand</title>"))
different(G, "trailing space in the channel title", "Value Wire", "channel/title", whole(title="<title>BRAND </title>"))
different(G, "white space around the channel title", "Value", "channel/title", whole(title="<title>\n  BRAND\n</title>"))
different(G, "space outside CDATA in the title", "Value", "item[1]/title", whole(items=item(title="<title> <![CDATA[Title]]></title>")))
different(G, "two spaces for one", "Value", "item[1]/title", whole(items=item(title="<title>a  b</title>")), whole(items=item(title="<title>a b</title>")))
different(G, "NO-BREAK SPACE for a space", "Value Unicode", "item[1]/title", whole(items=item(title="<title>a\u00a0b</title>")), whole(items=item(title="<title>a b</title>")))
different(G, "CR kept by a reference is not LF", "Value", "item[1]/title", whole(items=item(title="<title>a&#13;\nb</title>")), whole(items=item(title="<title>a\nb</title>")))
different(G, "another item title", "Value", "item[1]/title", whole(items=item(title="<title>Tite1</title>")))
different(G, "title escaped twice", "Value Wire", "item[1]/title", whole(items=item(title="<title>Law &amp;amp; Order</title>")), whole(items=item(title="<title>Law &amp; Order</title>")))
different(G, "a reference inside CDATA is text", "Value Wire", "item[1]/title", whole(items=item(title="<title><![CDATA[Law &amp; Order]]></title>")), whole(items=item(title="<title>Law &amp; Order</title>")))
different(G, "percent-encoded title", "Value Wire", "item[1]/title", whole(items=item(title="<title>Law%20%26%20Order</title>")), whole(items=item(title="<title>Law &amp; Order</title>")))
different(G, "nested CDATA that lost its end", "Value Wire", "item[1]/title", whole(items=item(title="<title><![CDATA[a]]]]><![CDATA[b]]></title>")), whole(items=item(title="<title><![CDATA[a]]]]>><![CDATA[b]]></title>")))
different(G, "another guid", "Value", "item[1]/guid", whole(items=item(guid="<guid>ID</guid>")))
different(G, "a guid that is a prefix of the other", "Value", "item[1]/guid", whole(items=item(guid="<guid>i</guid>")))
different(G, "another rating", "Value", "item[1]/rating[1]", BASE.replace("tv-pg", "tv-g"))
different(G, "rating in another case", "Value Wire", "item[1]/rating[1]", BASE.replace("tv-pg", "TV-PG"))
different(G, "a dummy rating", "Value Wire", "item[1]/rating[1]", BASE.replace("tv-pg", "NO VALUE"))
different(G, "urn:vchip for urn:v-chip", "Value Wire", "item[1]/rating[1]/@scheme", BASE.replace("v-chip", "vchip"))
different(G, "urn:mpaa for urn:v-chip", "Value", "item[1]/rating[1]/@scheme", BASE.replace("v-chip", "mpaa"))
different(G, "scheme in another case", "Value", "item[1]/rating[1]/@scheme", BASE.replace("urn:v-chip", "URN:v-chip"))
different(G, "trailing space in the scheme", "Value", "item[1]/rating[1]/@scheme", BASE.replace("urn:v-chip", "urn:v-chip "))
different(G, "NFC and NFD in a title", "Value Unicode", "item[1]/title", whole(items=item(title="<title>e\u0301</title>")), whole(items=item(title="<title>\u00e9</title>")))
different(G, "NFC and NFD in a channel title, by references", "Value Unicode", "channel/title", whole(title="<title>e&#x301;</title>"), whole(title="<title>&#xe9;</title>"))
different(G, "NFC and NFD in a scheme", "Value Unicode", "item[1]/rating[1]/@scheme", BASE.replace("v-chip", "e\u0301"), BASE.replace("v-chip", "\u00e9"))
different(G, "KELVIN SIGN for K", "Value Unicode", "item[1]/guid", whole(items=item(guid="<guid>\u212a1</guid>")), whole(items=item(guid="<guid>K1</guid>")))
different(G, "Cyrillic letter for a Latin one", "Value Unicode", "channel/title", whole(title="<title>BR\u0410ND</title>"))
different(G, "ZERO WIDTH SPACE", "Value Unicode", "channel/title", whole(title="<title>BRAND\u200b</title>"))
different(G, "U+FEFF at the start of a text", "Value Unicode", "channel/title", whole(title="<title>\ufeffBRAND</title>"))
a, b = '<media:rating scheme="urn:v-chip">tv-pg</media:rating>', '<media:rating scheme="urn:mpaa">pg</media:rating>'
different(G, "ratings in another order", "Value", "item[1]/rating[1]/@scheme", whole(items=item(rating=b + a)), whole(items=item(rating=a + b)))
different(G, "the second rating differs", "Value", "item[1]/rating[2]", whole(items=item(rating=a + b.replace(">pg", ">r"))), whole(items=item(rating=a + b)))
different(G, "the second item differs", "Value", "item[2]/guid", whole(items=item() + item(guid="<guid>3</guid>")), whole(items=item() + item(guid="<guid>2</guid>")))
different(G, "items in another order", "Value", "item[1]/guid", whole(items=item(guid="<guid>2</guid>") + item()), whole(items=item() + item(guid="<guid>2</guid>")))
different(G, "guid and title exchanged", "Value", "item[1]/title", whole(items=item(title="<title>id</title>", guid="<guid>Title</guid>")))
different(G, "a rating moved to the other item", "Value", "item[1]/rating[1]", whole(items=item(rating="") + item()), whole(items=item() + item(rating="")))

# ---------------------------------------------------------------------------------------------------------------------
G = "absent"
different(G, "no rating", "Absent Wire", "item[1]/rating[1]", whole(items=item(rating="")))
different(G, "a rating where none is expected", "Absent Wire", "item[1]/rating[1]", BASE, whole(items=item(rating="")))
different(G, "an empty rating where one is expected", "Absent Wire", "item[1]/rating[1]", BASE.replace("tv-pg", ""))
different(G, "an empty rating where none is expected", "Absent Wire", "item[1]/rating[1]", BASE.replace("tv-pg", ""), whole(items=item(rating="")))
different(G, "a further rating", "Absent", "item[1]/rating[2]", whole(items=item(rating=a + b)))
different(G, "the same rating twice", "Absent", "item[1]/rating[2]", whole(items=item(rating=a + a)))
different(G, "no scheme", "Absent", "item[1]/rating[1]/@scheme", BASE.replace(' scheme="urn:v-chip"', ""))
different(G, "an empty scheme where none is expected", "Absent", "item[1]/rating[1]/@scheme", BASE.replace("urn:v-chip", ""), BASE.replace(' scheme="urn:v-chip"', ""))
different(G, "no guid", "Absent", "item[1]/guid", whole(items=item(guid="")))
different(G, "an empty guid where none is expected", "Absent", "item[1]/guid", whole(items=item(guid="<guid/>")), whole(items=item(guid="")))
different(G, "no item title", "Absent", "item[1]/title", whole(items=item(title="")))
different(G, "an empty item title where none is expected", "Absent", "item[1]/title", whole(items=item(title="<title/>")), whole(items=item(title="")))
different(G, "no item", "Absent", "item[1]", whole(items=""))
different(G, "a further item", "Absent", "item[2]", whole(items=item() + item()))
different(G, "a further item that is empty", "Absent", "item[2]", whole(items=item() + "<item/>"))
different(G, "an empty channel title", "Absent", "channel/title", whole(title="<title/>"))

# ---------------------------------------------------------------------------------------------------------------------
G = "ignored"
equal(G, "other elements of channel and item", "Ignored", whole(more="<link>http://x.test/</link><language>en</language>", items=item(more="<description>d</description><category>c</category>")))
equal(G, "elements inside other elements", "Ignored", whole(items=item(more='<media:content url="u"><media:player url="p"/>text</media:content>')))
equal(G, "other attributes", "Ignored", BASE.replace("<guid>", '<guid isPermaLink="false">').replace("<item>", '<item id="1">'))
equal(G, "another rss version", "Ignored", BASE.replace('"2.0"', '"0.92"'))
equal(G, "an element beside the channel", "Ignored", BASE.replace("</channel>", "</channel><extra/>"))
equal(G, "elements whose names begin like known ones", "Ignored", whole(items=item(more="<titles>x</titles><guid2>y</guid2>")))

# ---------------------------------------------------------------------------------------------------------------------
G = "namespaces"
different(G, "a rating in no namespace", "Namespace", "item[1]/rating[1]/namespace", BASE.replace("media:rating", "rating"))
different(G, "a rating in a foreign namespace under the usual prefix", "Namespace", "item[1]/rating[1]/namespace", BASE.replace(MEDIA, "urn:x"))
different(G, "the MRSS namespace without its last slash", "Namespace", "item[1]/rating[1]/namespace", BASE.replace(MEDIA, MEDIA[:-1]))
invalid(G, "media:title for the channel's title", "Namespace Ambiguous", ODD, whole(title="<media:title>BRAND</media:title>"))
invalid(G, "media:title beside the item's title", "Namespace Ambiguous", ODD, whole(items=item(more="<media:title>Title</media:title>")))
invalid(G, "an item in a foreign namespace", "Namespace Ambiguous", ODD, BASE.replace("<item>", '<x:item xmlns:x="urn:x">').replace("</item>", "</x:item>"))
invalid(G, "a channel in a foreign namespace", "Namespace Ambiguous", ODD, BASE.replace("<channel>", '<channel xmlns="urn:x">'))
invalid(G, "a guid in a foreign namespace", "Namespace Ambiguous", ODD, whole(items=item(guid='<guid xmlns="urn:x">id</guid>')))
invalid(G, "a scheme with a prefix", "Namespace Ambiguous", ODD, BASE.replace(" scheme", " media:scheme"))
invalid(G, "a scheme with a prefix beside the plain one", "Namespace Ambiguous", ODD, BASE.replace(" scheme", ' media:scheme="urn:mpaa" scheme'))
invalid(G, "a scheme in another case beside the plain one", "Ambiguous", ODD, BASE.replace(" scheme", ' Scheme="urn:mpaa" scheme'))
invalid(G, "a prefix that nothing declares", "Namespace NotXML LaxParser", NOT, BASE.replace(XMLNS, ""))
invalid(G, "an attribute twice by two prefixes of one namespace", "Namespace NotXML LaxParser", NOT, BASE.replace("<guid>", '<guid xmlns:p="urn:x" xmlns:q="urn:x" p:a="1" q:a="2">'))

# ---------------------------------------------------------------------------------------------------------------------
G = "odd structures"
invalid(G, "a second channel", "Ambiguous", ODD, BASE.replace("</rss>", "<channel><title>OTHER</title></channel></rss>"))
invalid(G, "a second channel before", "Ambiguous", ODD, BASE.replace("<channel>", "<channel><title>BRAND</title></channel><channel>", 1))
invalid(G, "a second channel title", "Ambiguous", ODD, whole(more="<title>OTHER</title>"))
invalid(G, "the same channel title twice", "Ambiguous", ODD, whole(more="<title>BRAND</title>"))
invalid(G, "an empty second channel title", "Ambiguous", ODD, whole(more="<title/>"))
invalid(G, "a second item title", "Ambiguous", ODD, whole(items=item(more="<title>Other</title>")))
invalid(G, "a second guid", "Ambiguous", ODD, whole(items=item(more="<guid>2</guid>")))
invalid(G, "a rating of the channel", "Ambiguous", ODD, whole(more=a))
invalid(G, "a rating beside the channel", "Ambiguous", ODD, BASE.replace("</channel>", "</channel>" + a))
invalid(G, "a rating inside media:content", "Ambiguous", ODD, whole(items=item(rating="", more=f"<media:content>{a}</media:content>")))
invalid(G, "a title inside a description", "Ambiguous", ODD, whole(more="<description><title>BRAND</title></description>"))
invalid(G, "a title inside an image of the channel", "Ambiguous", ODD, whole(more="<image><title>BRAND</title></image>"))
invalid(G, "a title of the root", "Ambiguous", ODD, BASE.replace("<channel>", "<title>BRAND</title><channel>"))
invalid(G, "an item inside an item", "Ambiguous", ODD, whole(items=item(more=item())))
invalid(G, "an item beside the channel", "Ambiguous", ODD, BASE.replace("</channel>", "</channel>" + item()))
invalid(G, "a guid of the channel", "Ambiguous", ODD, whole(more="<guid>id</guid>"))
invalid(G, "a channel inside the channel", "Ambiguous", ODD, whole(more="<channel><title>BRAND</title></channel>"))
invalid(G, "an rss inside the channel", "Ambiguous", ODD, whole(more=rss("<title>BRAND</title>", "")))
invalid(G, "an element inside a title", "Ambiguous", ODD, whole(items=item(title="<title>Ti<b>t</b>le</title>")))
invalid(G, "an element inside a rating", "Ambiguous", ODD, BASE.replace("tv-pg", "tv-pg<x/>"))
invalid(G, "a title inside a title", "Ambiguous", ODD, whole(title="<title>BRAND<title>x</title></title>"))
invalid(G, "a second title in another case", "Ambiguous", ODD, whole(more="<Title>OTHER</Title>"))
invalid(G, "a second rating in another case", "Ambiguous", ODD, whole(items=item(more="<media:Rating>tv-g</media:Rating>")))
invalid(G, "text in the channel", "Ambiguous", ODD, whole(more="BRAND"))
invalid(G, "text in the item, as CDATA", "Ambiguous", ODD, whole(items=item(more="<![CDATA[x]]>")))
invalid(G, "NO-BREAK SPACE between elements", "Ambiguous Unicode", ODD, BASE.replace("<item>", "\u00a0<item>"))
invalid(G, "a comment inside a text", "Ambiguous", ODD, whole(title="<title>BR<!-- -->AND</title>"))
invalid(G, "a comment between elements", "Ambiguous", ODD, whole(more="<!-- made by hand -->"))
invalid(G, "a comment after the root", "Ambiguous", ODD, BASE + "<!-- x -->")
invalid(G, "a processing instruction inside a text", "Ambiguous", ODD, whole(title="<title>BR<?x y?>AND</title>"))
invalid(G, "a processing instruction without data", "Ambiguous LaxParser", ODD, whole(title="<title>BR<?x?>AND</title>"))
invalid(G, "a processing instruction without data after the root", "Ambiguous LaxParser", ODD, BASE + "<?x?>")
invalid(G, "a processing instruction that does not end", "Ambiguous NotXML", ODD, whole(title="<title>BR<?x</title>"))
invalid(G, "a processing instruction as text in CDATA", "Ambiguous", ODD, whole(items=item(title="<title><![CDATA[<?x?>]]></title>")))
invalid(G, "a processing instruction before the root", "Ambiguous", ODD, '<?xml-stylesheet href="x"?>' + BASE)
invalid(G, "no channel", "Ambiguous", ODD, '<rss version="2.0"></rss>')
invalid(G, "no channel title", "Ambiguous", ODD, whole(title=""))
invalid(G, "an ambiguous resource expected, the same presented", "Ambiguous", ODD, whole(more="<title/>"), whole(more="<title/>"))

# ---------------------------------------------------------------------------------------------------------------------
G = "not MRSS"
invalid(G, "empty", "NotXML LaxParser", NOT, "")
invalid(G, "only white space", "NotXML LaxParser", NOT, " \r\n")
invalid(G, "a plain resource", "NotXML LaxParser Wire", NOT, "TNT")
invalid(G, "plain resources on both sides", "NotXML Wire", NOT, "TNT", "TNT")
invalid(G, "a tag alone, under four octets", "NotXML LaxParser", NOT, "<a>")
invalid(G, "MRSS with escaped markup", "NotXML Wire", NOT, BASE.replace("<", "&lt;").replace(">", "&gt;"))
invalid(G, "percent-encoded MRSS", "NotXML Wire", NOT, BASE.replace("<", "%3C").replace(">", "%3E"))
invalid(G, "another root", "NotXML", NOT, "<feed><channel><title>BRAND</title></channel></feed>")
invalid(G, "the root in upper case", "NotXML", NOT, rss("<title>BRAND</title>").replace("rss", "RSS"))
invalid(G, "a channel as root", "NotXML", NOT, "<channel><title>BRAND</title></channel>")
invalid(G, "a bare &", "NotXML Wire", NOT, whole(items=item(title="<title>Law & Order</title>")))
invalid(G, "a bare & before letters", "NotXML Wire", NOT, whole(items=item(title="<title>AT&T</title>")))
invalid(G, "a bare & in the scheme", "NotXML", NOT, BASE.replace("urn:v-chip", "urn:v&chip"))
invalid(G, "an entity that nothing declares", "NotXML Wire", NOT, whole(items=item(title="<title>Law&nbsp;Order</title>")))
invalid(G, "a bare & on the expected side", "NotXML Wire", NOT, BASE, whole(items=item(title="<title>Law & Order</title>")))
invalid(G, "text after the root", "NotXML LaxParser", NOT, BASE + "x")
invalid(G, "text before the root", "NotXML", NOT, "x" + BASE)
invalid(G, "a second root", "NotXML LaxParser Ambiguous", NOT, BASE + BASE)
invalid(G, "a second root that is empty", "NotXML LaxParser Ambiguous", NOT, BASE + "<rss/>")
invalid(G, "cut off before the root's end tag", "NotXML LaxParser", NOT, BASE[:-len("</rss>")])
invalid(G, "cut off inside the root's end tag", "NotXML LaxParser", NOT, BASE[:-1])
invalid(G, "cut off inside CDATA", "NotXML LaxParser", NOT, WIRE[:WIRE.index("]]>")])
invalid(G, "end tags exchanged", "NotXML", NOT, BASE.replace("</item></channel>", "</channel></item>"))
invalid(G, "an attribute twice", "NotXML", NOT, BASE.replace(" scheme", ' scheme="urn:mpaa" scheme'))
invalid(G, "an attribute without quotes", "NotXML LaxParser", NOT, BASE.replace('"urn:v-chip"', "urn:v-chip"))
invalid(G, "]]> in a text", "NotXML", NOT, whole(title="<title>a]]>b</title>"))
invalid(G, "< in an attribute", "NotXML", NOT, BASE.replace("urn:v-chip", "urn:<"))
invalid(G, "NUL in a text", "NotXML Encoding", NOT, BASE.replace("BRAND", "BRA\0ND"))
invalid(G, "NUL after the root", "NotXML Encoding LaxParser", NOT, BASE + "\0")
invalid(G, "NUL and a second root", "NotXML Encoding LaxParser", NOT, BASE + "\0" + BASE)
invalid(G, "a control character", "NotXML", NOT, BASE.replace("BRAND", "BRA\x01ND"))
invalid(G, "a reference to NUL", "NotXML", NOT, BASE.replace("BRAND", "BRA&#0;ND"))
invalid(G, "a reference to a surrogate", "NotXML", NOT, BASE.replace("BRAND", "BRA&#xD800;ND"))
invalid(G, "U+FFFE", "NotXML Unicode", NOT, BASE.replace("BRAND", "BRA\ufffeND"))
invalid(G, "a byte order mark", "Encoding", NOT, "\ufeff" + BASE)
invalid(G, "a declaration of ISO-8859-1", "Encoding LaxParser", NOT, '<?xml version="1.0" encoding="ISO-8859-1"?>' + BASE)
invalid(G, "a declaration of UTF-7", "Encoding LaxParser", NOT, '<?xml version="1.0" encoding="UTF-7"?>' + BASE.replace("BRAND", "+AEI-RAND"))
invalid(G, "a declaration of UTF-16", "Encoding LaxParser", NOT, '<?xml version="1.0" encoding="UTF-16"?>' + BASE)
invalid(G, "a declaration of an unknown encoding", "Encoding", NOT, '<?xml version="1.0" encoding="x-none"?>' + BASE)
invalid(G, "a declaration of XML 1.1", "Encoding", NOT, '<?xml version="1.1"?>' + BASE)
invalid(G, "a declaration after white space", "NotXML", ODD, ' <?xml version="1.0"?>' + BASE)
invalid(G, "two declarations, the second of UTF-7", "NotXML Encoding", ODD, '<?xml version="1.0"?><?xml version="1.0" encoding="UTF-7"?>' + BASE)

# ---------------------------------------------------------------------------------------------------------------------
G = "DOCTYPE and limits"
DOCTYPE = "doctype_refused"
invalid(G, "a DOCTYPE", "Entity LaxParser", DOCTYPE, "<!DOCTYPE rss>" + BASE)
invalid(G, "a DOCTYPE on both sides", "Entity", DOCTYPE, "<!DOCTYPE rss>" + BASE, "<!DOCTYPE rss>" + BASE)
invalid(G, "an entity that is the text", "Entity LaxParser", DOCTYPE, '<!DOCTYPE rss [<!ENTITY e "BRAND">]>' + BASE.replace("BRAND", "&e;"))
invalid(G, "an external entity", "Entity LaxParser", DOCTYPE, '<!DOCTYPE rss [<!ENTITY e SYSTEM "file:///etc/hostname">]>' + BASE.replace("BRAND", "&e;"))
invalid(G, "an external DTD", "Entity", DOCTYPE, '<!DOCTYPE rss SYSTEM "http://x.test/rss.dtd">' + BASE)
invalid(G, "a default attribute", "Entity LaxParser", DOCTYPE, '<!DOCTYPE rss [<!ATTLIST media:rating scheme CDATA "urn:v-chip">]>' + BASE.replace(' scheme="urn:v-chip"', ""))
bomb = "".join(f'<!ENTITY e{n} "{"&e%d;" % (n - 1) * 10}">' for n in range(1, 10))
invalid(G, "an entity bomb", "Entity Limit", DOCTYPE, f'<!DOCTYPE rss [<!ENTITY e0 "x">{bomb}]>' + BASE.replace("BRAND", "&e9;"))
invalid(G, "a DOCTYPE in lower case", "Entity", DOCTYPE, "<!doctype rss>" + BASE)
invalid(G, "an entity declaration inside the channel", "Entity", DOCTYPE, whole(more='<!eNTITY e "x">'))
invalid(G, "a DOCTYPE as text in CDATA", "Entity", DOCTYPE, whole(items=item(title="<title><![CDATA[<!DOCTYPE html>]]></title>")))
equal(G, "a DOCTYPE as escaped text", "Entity", whole(items=item(title="<title>&lt;!DOCTYPE html></title>")), whole(items=item(title="<title>&#60;!DOCTYPE html&gt;</title>")))
room = 65_536 - len(whole(more="<x></x>"))
equal(G, "65536 octets", "Limit", whole(more=f"<x>{'y' * room}</x>"))
invalid(G, "65537 octets", "Limit", "too_large", whole(more=f"<x>{'y' * (room + 1)}</x>"))
invalid(G, "65537 octets of which one is white space at the end", "Limit", "too_large", whole(more=f"<x>{'y' * room}</x>") + " ")
invalid(G, "65537 octets in 65536 characters", "Limit Unicode", "too_large", whole(more=f"<x>{chr(0xe9)}{'y' * (room - 1)}</x>"))
equal(G, "16 levels", "Limit", whole(more="<x>" * 14 + "</x>" * 14))
invalid(G, "17 levels", "Limit", ODD, whole(more="<x>" * 15 + "</x>" * 15))
invalid(G, "500 levels", "Limit", ODD, whole(more="<x>" * 500 + "</x>" * 500))
