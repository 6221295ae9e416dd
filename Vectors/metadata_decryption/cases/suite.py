"""Collects cases, compares them with the reference decrypter and `cryptography`, and makes the text of the file."""

import functools
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric import padding as asymmetric

import reference_decrypter as reference
import vector_files

from . import builder
from .notes import HEADER, NOTES

CODES = {"not_base64", "wrong_length", "is_jwe", "foreign_scheme", "undecryptable"}


@dataclass
class Case:
    comment: str
    flags: list
    value: str
    text: str | None
    key: str | None
    code: str | None
    other_codes: tuple
    ring: tuple
    padding: str
    attribute: str | None

    @property
    def result(self):
        """`acceptable`: may be decrypted or refused; the case has the text and the code."""
        if self.text is None:
            return "invalid"
        return "valid" if self.code is None else "acceptable"


class Suite:
    def __init__(self):
        self.cases = []

    def accept(self, comment, flags, value, text, *, key=None, code=None, ring=("issuer-2048",), **options):
        """A value that decrypts, under the first key of the ring unless stated otherwise."""
        self.add(comment, flags, value, text, key or ring[0], code, ring, **options)

    def refuse(self, comment, flags, value, code="undecryptable", *, other_codes=(), ring=("issuer-2048",), **options):
        self.add(comment, flags, value, None, None, code, ring, other_codes=other_codes, **options)

    def add(self, comment, flags, value, text, key, code, ring, *, other_codes=(), padding="pkcs1", attribute=None):
        """One case. `value` is the Base64 text, or the bytes to be written in Base64."""
        flags = flags.split()
        assert set(flags) <= NOTES.keys(), (comment, flags)
        assert {code, *other_codes} - {None} <= CODES, comment
        value = builder.standard(value) if isinstance(value, bytes) else value
        case = Case(comment, flags, value, text, key, code, tuple(other_codes), tuple(ring), padding, attribute)
        self.cases.append(case)

    def check(self):
        """Everything that would make a case useless or wrong."""
        faults = [fault for case in self.cases for fault in faults_of(case)] + self.repetitions()
        assert not faults, "\n".join(faults)

    def repetitions(self):
        """Finds equal cases."""
        seen, twice = {}, []
        for case in self.cases:
            question = (case.value, case.ring, case.padding, case.attribute)
            if question in seen:
                twice.append(f"the same question twice: {seen[question]} = {case.comment}")
            seen[question] = case.comment
        return twice

    def json_text(self):
        return vector_files.envelope(
            "EncryptedMetadata",
            schema="metadata_decryption_schema_v1.json",
            tests=len(self.cases),
            header=HEADER,
            notes=vector_files.notes_of((flag for case in self.cases for flag in case.flags), NOTES),
            groups=self.groups(),
        )

    def groups(self):
        """One group for each ring and padding, in the order in which they first appear."""
        groups = {}
        for case in self.cases:
            groups.setdefault((case.ring, case.padding), []).append(case)
        numbers = iter(range(1, len(self.cases) + 1))
        return [
            {
                "type": "MetadataDecrypt",
                "source": vector_files.SOURCE,
                "keys": [builder.key_file(name) for name in ring],
                "padding": padding,
                "tests": [test_of(case, next(numbers)) for case in cases],
            }
            for (ring, padding), cases in groups.items()
        ]


def test_of(case, number):
    test = {"tcId": number, "comment": case.comment, "flags": case.flags, "attribute": case.attribute}
    test |= {"value": case.value, "result": case.result}
    if case.text is not None:
        test |= {"expectedText": case.text, "expectedKey": builder.key_file(case.key)}
    if case.code is not None:
        test["expectedCode"] = case.code
    if case.other_codes:
        test["otherCodes"] = list(case.other_codes)
    return test


# --- What has to hold for each case -------------------------------------------------------------------------


@functools.cache
def reference_key(name):
    return reference.Key(builder.key_file(name), builder.private_key(name))


def faults_of(case):
    keys = [reference_key(name) for name in case.ring]
    for implicit_rejection in (False, True):
        try:
            text, label = reference.decrypt(
                case.value, case.attribute, case.padding, keys, implicit_rejection=implicit_rejection
            )
            agrees = text == case.text and label == builder.key_file(case.key)
            found = "decrypted"
        except reference.Refusal as refusal:
            agrees = refusal.code in (case.code, *case.other_codes)
            found = refusal.code
        if not agrees:
            way = "with" if implicit_rejection else "without"
            yield f"{case.comment}: expected {case.code or 'the text'}, {way} implicit rejection {found}"
    if case.padding == "pkcs1":
        yield from faults_of_blocks(case, keys)


def faults_of_blocks(case, keys):
    """Compares each block with `cryptography`, and checks that no made-up text is readable."""
    try:
        data = reference.base64_decoded(case.value)
    except reference.Refusal:
        return
    for key in keys:
        if not data or len(data) % key.size:
            continue
        plain = reference.decrypted(data, "pkcs1", key, False)
        shown = reference.decrypted(data, "pkcs1", key, True)
        if shown != plain and shown is not None and is_utf8(shown):
            yield f"{case.comment}: implicit rejection makes up readable text; change the number of the case"
        for start in range(0, len(data), key.size):
            block = data[start : start + key.size]
            if library_answer(block, key) not in (None, reference.pkcs1_block(block, None, key, True)):
                yield f"{case.comment}: cryptography decrypts another text"


def library_answer(block, key):
    """None if the library refuses: a number too large, or a build on an OpenSSL without implicit rejection."""
    try:
        return key.private.decrypt(block, asymmetric.PKCS1v15())
    except ValueError:
        return None


def is_utf8(data):
    try:
        data.decode("utf-8", "strict")
    except UnicodeDecodeError:
        return False
    return True
