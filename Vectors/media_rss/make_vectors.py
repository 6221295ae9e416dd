#!/usr/bin/env python3
"""Makes media_rss_compare_test.json: pairs of MRSS resources and whether they are the same.

Needs only Python's standard library (3.9 or newer; its expat is the other implementation). Every verdict is stated by
hand in cases.py, and asserted here against a tree-walking reader over expat.

    python3 make_vectors.py            write the file
    python3 make_vectors.py --check    write nothing; exit 1 if the file differs
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import vector_files
from cases import CASES, NOTES
from reference_reader import Refused, first_difference, read


def verdict(expected, presented):
    """The reference's result, first difference and error code."""
    try:
        difference = first_difference(read(expected), read(presented))
    except Refused as refused:
        return "invalid", None, refused.code
    return ("different" if difference else "equal"), difference, None


def build():
    groups = {}
    for number, case in enumerate(CASES, start=1):
        stated = (case.result, case.path, case.code)
        found = verdict(case.expected, case.presented)
        assert found == stated, f"tcId {number} {case.comment!r}: stated {stated}, reference says {found}"
        assert set(case.flags) <= set(NOTES), case.flags
        groups.setdefault(case.group, []).append({
            "tcId": number,
            "comment": case.comment,
            "flags": case.flags,
            "expected": case.expected,
            "presented": case.presented,
            "result": case.result,
            "firstDifference": case.path,
            "expectedError": case.code,
        })
    comments = [case.comment for case in CASES]
    assert len(set(comments)) == len(comments), "two cases have the same comment"

    document = {
        "algorithm": "MRSS-COMPARE",
        "schema": "media_rss_compare_schema_v1.json",
        "generatorVersion": "1",
        "numberOfTests": len(CASES),
        "header": [
            "Pairs of MRSS resources: equal in all facts that count, different in a first one, or not comparable.",
            "Verdicts are stated by hand and agree with a reader over Python's expat; see make_vectors.py.",
            "expectedError is the code of the first of the two resources that is refused.",
        ],
        "notes": {flag: NOTES[flag] for flag in sorted(NOTES)},
        "testGroups": [
            {"type": "MediaRSSCompare", "source": vector_files.SOURCE, "name": name,
             "tests": tests}
            for name, tests in groups.items()
        ],
    }
    text = json.dumps(document, indent=2, ensure_ascii=True) + "\n"
    return [vector_files.VectorFile("media_rss_compare_test.json", text, len(CASES))]


if __name__ == "__main__":
    vector_files.main(__file__, __doc__, build)
