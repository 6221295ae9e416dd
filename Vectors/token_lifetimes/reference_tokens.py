"""A plain reader of signed AuthN and AuthZ tokens, for tests only.

Container and signature are those of media tokens, so their reference verifier does that part; the text of the
elements is read here.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "media_tokens"))

import reference_dates
import reference_verifier as media
from reference_verifier import Refusal

KINDS = {"simpleAuthenticationToken": "authentication", "simpleAuthorizationToken": "authorization"}
DATES = {"authentication": "simpleTokenExpires", "authorization": "simpleTokenTTL"}
REQUIRED = {
    "authentication": ["simpleTokenAuthenticationGuid", "simpleTokenRequestorID", "simpleTokenMsoID"],
    "authorization": ["simpleTokenResourceID", "simpleTokenRequestorID", "simpleTokenMsoID"],
}
OPTIONAL = ["simpleTokenDeviceID", "simpleTokenFingerprint"]
ESCAPED_OPENING = b"&lt;signatureInfo&gt;"
REFERENCE = re.compile(r"&(lt|gt|amp|apos|quot|#[0-9]+|#x[0-9A-Fa-f]+);")


def verify(token, keys):
    """The fields, or a Refusal with its code."""
    if len(token) > media.MAXIMUM_SIZE:
        raise Refusal("too_large")
    plain, raw_pluses = media.decode(unescaped(token))
    signature, signed_part, start = media.split(plain)
    raw_pluses = {index - start for index in raw_pluses if index >= start}
    return fields_of(media.matching_candidate(signature, signed_part, raw_pluses, keys, allow_sha1=False))


def unescaped(token):
    """The text of a token that came as the text of an XML element: its references resolved once."""
    data = media.without_front(token)
    if not data.startswith(ESCAPED_OPENING):
        return token
    if not media.is_utf8(data):
        raise Refusal("malformed")
    text = data.decode("utf-8")
    if "<" in text or "&" in REFERENCE.sub("", text):
        raise Refusal("malformed")
    return REFERENCE.sub(lambda found: media.character(found[1]), text).encode("utf-8")


class SignedTextReader(media.BodyReader):
    """As for media tokens, except for elements inside unknown elements, and an `&` that does not begin a reference."""

    def fields(self):
        self.text = self.text.replace("\r\n", "\n").replace("\r", "\n")
        root, is_empty = self.start_tag()
        if root in media.ROOTS:
            raise Refusal("foreign_token")
        if root not in KINDS or media.FORBIDDEN.search(self.text):
            raise Refusal("malformed")
        kind = KINDS[root]
        values = {} if is_empty else self.known_children(root, kind)
        self.match(media.SPACE)
        if self.index != len(self.text):
            raise Refusal("malformed")
        return kind, values

    def known_children(self, root, kind):
        known = {*REQUIRED[kind], DATES[kind], *OPTIONAL}
        values = {}
        while True:
            self.match(media.SPACE)
            if self.at("</"):
                self.end_tag(root)
                return values
            name, is_empty = self.child_start()
            if name not in known:
                self.pass_over([] if is_empty else [name])
            elif name in values:
                raise Refusal("malformed")
            else:
                values[name] = "" if is_empty else self.content(name)

    def child_start(self):
        name, is_empty = self.start_tag()
        if name in media.ROOTS or name in KINDS:
            raise Refusal("malformed")
        return name, is_empty

    def pass_over(self, open_names):
        """An unknown element with all its contents."""
        while open_names:
            if self.at("</"):
                self.end_tag(open_names.pop())
            elif self.at("<") and not self.at("<![CDATA["):
                name, is_empty = self.child_start()
                open_names += [] if is_empty else [name]
            else:
                self.piece()

    def content(self, name):
        pieces = []
        while not self.at("</"):
            pieces.append(self.piece())
        self.end_tag(name)
        return "".join(pieces)

    def piece(self):
        if self.at("<![CDATA["):
            return self.between("<![CDATA[", "]]>")
        if not self.at("&"):
            return self.plain_text()
        return self.reference() or self.match(re.compile("&"))

    def reference(self):
        """None if the `&` does not begin a reference to a character that XML allows."""
        found = REFERENCE.match(self.text, self.index)
        try:
            character = media.character(found[1]) if found else None
        except Refusal:
            return None
        if character:
            self.index = found.end()
        return character


def fields_of(body):
    kind, values = SignedTextReader(body.decode("utf-8")).fields()
    if any(not values.get(name) for name in [*REQUIRED[kind], DATES[kind]]):
        raise Refusal("malformed")
    fields = {"kind": kind, "requestor": values["simpleTokenRequestorID"], "mvpd": values["simpleTokenMsoID"]}
    if kind == "authorization":
        fields["resource"] = values["simpleTokenResourceID"]
    device = values.get("simpleTokenDeviceID") or values.get("simpleTokenFingerprint") or None
    return fields | {"expires": reference_dates.instant(values[DATES[kind]]), "device": device}
