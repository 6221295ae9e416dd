"""Reads MRSS resources by the rules of the module MediaRSS, with another parser (expat) and in another way: the whole
tree first, then a walk over it."""

import re
from xml.parsers import expat

LIMIT = 65_536
MAXIMUM_DEPTH = 16
KNOWN = {"rss", "channel", "item", "title", "guid", "rating"}
WHITE_SPACE = " \t\r\n"


class Refused(Exception):
    def __init__(self, code, reason):
        super().__init__(reason)
        self.code = code


def not_media_rss(reason):
    return Refused("not_media_rss", reason)


def ambiguous(reason):
    return Refused("ambiguous_media_rss", reason)


class Node:
    def __init__(self, name, attributes):
        self.namespace, _, self.name = name.rpartition(" ")
        self.attributes = attributes
        self.children = []  # nodes and strings

    @property
    def elements(self):
        return [child for child in self.children if isinstance(child, Node)]

    @property
    def text(self):
        return "".join(child for child in self.children if isinstance(child, str))


def parse(text):
    """Parses with expat; the tree's root and whether there was a comment."""
    parser = expat.ParserCreate("UTF-8", " ")
    top = Node("top", {})
    stack, markup = [top], []

    def start(name, attributes):
        node = Node(name, attributes)
        stack[-1].children.append(node)
        stack.append(node)

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda name: stack.pop()
    parser.CharacterDataHandler = lambda data: stack[-1].children.append(data)
    parser.CommentHandler = lambda data: markup.append(data)
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        raise not_media_rss(str(error))
    return top.elements[0], bool(markup)


def check_declaration(text):
    """Where to look for processing instructions from: inside the XML declaration, if there is one."""
    if not re.match(r"<\?xml[ \t\r\n]", text):
        return 0
    found = []
    parser = expat.ParserCreate("UTF-8")
    parser.XmlDeclHandler = lambda version, encoding, standalone: found.append((version, (encoding or "utf-8").lower()))
    try:
        parser.Parse(text[:text.find("?>") + 2].encode("utf-8"), False)
    except expat.ExpatError as error:
        raise not_media_rss(str(error))
    if found != [("1.0", "utf-8")]:
        raise not_media_rss("declaration")
    return 1


def read(text):
    """The facts of a resource: (channel title, [(title, guid, [(namespace, scheme, text)])])."""
    data = text.encode("utf-8")
    if len(data) > LIMIT:
        raise Refused("too_large", "too large")
    if "\0" in text:
        raise not_media_rss("NUL")
    if re.search(rb"<!(doctype|entity)", data, re.IGNORECASE):
        raise Refused("doctype_refused", "DOCTYPE")
    if not text.lstrip(WHITE_SPACE).startswith("<"):
        raise not_media_rss("no markup")
    start = check_declaration(text)
    if "<?" in text[start:]:
        raise ambiguous("processing instruction")
    root, has_markup = parse(text)
    if root.name != "rss":
        raise not_media_rss("root")
    if has_markup:
        raise ambiguous("comment")
    refuse_odd(root, None, 1)
    for node in walk(root):
        if node.name in KNOWN - {"rating"} and node.namespace != root.namespace:
            raise ambiguous("namespace")
    channel = only(root, "channel", True)
    title = only(channel, "title", True)
    items = []
    for node in channel.elements:
        if node.name == "item":
            ratings = [rating(child) for child in node.elements if child.name == "rating"]
            items.append((only(node, "title", False), only(node, "guid", False), ratings))
    return title.text, [(text_of(title), text_of(guid), ratings) for title, guid, ratings in items]


def walk(node):
    yield node
    for child in node.elements:
        yield from walk(child)


PLACES = {("rss", "channel"), ("channel", "title"), ("channel", "item"),
          ("item", "title"), ("item", "guid"), ("item", "rating")}


def refuse_odd(node, parent, depth):
    if depth > MAXIMUM_DEPTH:
        raise ambiguous("depth")
    if parent is not None and node.name.lower() in KNOWN and (parent, node.name) not in PLACES:
        raise ambiguous("misplaced")
    is_known = node.name in KNOWN
    if node.name in ("rss", "channel", "item") and node.text.strip(WHITE_SPACE):
        raise ambiguous("stray text")
    if node.name in ("title", "guid", "rating") and node.elements:
        raise ambiguous("element in text")
    for child in node.elements:
        refuse_odd(child, node.name if is_known else "other element", depth + 1)


def only(node, name, is_required):
    found = [child for child in node.elements if child.name == name]
    if len(found) > 1 or (is_required and not found):
        raise ambiguous(f"{len(found)} {name}")
    return found[0] if found else None


def rating(node):
    for attribute in node.attributes:
        if attribute != "scheme" and attribute.rpartition(" ")[2].lower() == "scheme":
            raise ambiguous("scheme")
    return node.namespace or None, node.attributes.get("scheme"), node.text


def text_of(node):
    return None if node is None else node.text


def first_difference(one, other):
    """The path of the first fact that differs, or None. Python compares strings by code point."""
    if one[0] != other[0]:
        return "channel/title"
    for index in range(max(len(one[1]), len(other[1]))):
        path = f"item[{index + 1}]"
        if index >= min(len(one[1]), len(other[1])):
            return path
        (title, guid, ratings), (other_title, other_guid, other_ratings) = one[1][index], other[1][index]
        if title != other_title:
            return f"{path}/title"
        if guid != other_guid:
            return f"{path}/guid"
        for number in range(max(len(ratings), len(other_ratings))):
            rating_path = f"{path}/rating[{number + 1}]"
            if number >= min(len(ratings), len(other_ratings)):
                return rating_path
            for name, mine, theirs in zip(("/namespace", "/@scheme", ""), ratings[number], other_ratings[number]):
                if mine != theirs:
                    return rating_path + name
    return None
