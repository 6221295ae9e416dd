"""Collects cases in groups, and makes the text of the file."""

import json

import vector_files

NOTES = {
    "Valid": ("BASIC", "Good in every respect."),
    "LegacyForm": ("LEGACY", "A form that old clients need: lines of 76 symbols, or SHA-1."),
    "LegacyKey": ("LEGACY", "A key of fewer than 2048 bits, which signs on request only."),
    "Unicode": ("FUNCTIONALITY", "Texts that look alike or are equal by canonical equivalence are different texts."),
    "UnsuitableText": ("MISSING_STEP", "Texts that nobody means to sign: nothing, outer white space, controls."),
    "Base64Form": ("SIGNATURE_MALLEABILITY", "Another spelling of the same octets."),
    "BadSignature": ("AUTH_BYPASS", "No trusted key made this signature over these octets."),
    "AlgorithmConfusion": ("AUTH_BYPASS", "The token names an algorithm that the verifier was not made for."),
    "DuplicateMember": ("AUTH_BYPASS", "Two members of one name: readers disagree which one counts."),
    "MalformedToken": ("BASIC", "Not a JSON Web Token as RFC 7515 and RFC 8259 have it."),
    "Time": ("BASIC", "At and around the edges of validity."),
    "Expectation": ("AUTH_BYPASS", "Well signed, and for somebody else."),
    "ClaimType": ("BASIC", "A claim of the wrong type."),
    "Injection": ("AUTH_BYPASS", "A value that reads like the next field."),
    "Limits": ("DENIAL_OF_SERVICE", "Larger or deeper than a reader should follow."),
}

HEADER = [
    "Every value is invented and every key is test-only.",
    "Made by make_vectors.py with Python's cryptography; see ../README.md.",
]


class Suite:
    def __init__(self, algorithm):
        self.algorithm = algorithm
        self.groups = []
        self.questions = {}
        self.count = 0

    def group(self, kind, **members):
        self.groups.append({"type": kind, "source": vector_files.SOURCE, **members, "tests": []})
        return self

    def add(self, comment, flags, **members):
        """One case in the last group. Equal cases are refused."""
        flags = flags.split()
        assert set(flags) <= NOTES.keys(), (comment, flags)
        group = self.groups[-1]
        asked = {name: value for name, value in members.items() if not name.startswith("expected") and name != "result"}
        question = json.dumps([{name: value for name, value in group.items() if name != "tests"}, asked])
        assert question not in self.questions, f"{self.questions.get(question)} = {comment}"
        self.questions[question] = comment
        self.count += 1
        group["tests"].append({"tcId": self.count, "comment": comment, "flags": flags, **members})

    def json_text(self):
        flags = (flag for group in self.groups for test in group["tests"] for flag in test["flags"])
        return vector_files.envelope(
            self.algorithm,
            tests=self.count,
            header=HEADER,
            notes=vector_files.notes_of(flags, NOTES),
            groups=self.groups,
        )


def text_members(text, name):
    """A text, or the bytes in hexadecimal digits if they are not UTF-8."""
    data = text if isinstance(text, bytes) else text.encode()
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {f"{name}Hex": data.hex()}
