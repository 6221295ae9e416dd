"""What the tests share: the program, keys, tokens and values.

    TVE=.build/tool/release/tve python3 -m pytest Examples/python

TVE names the program; without it, `tve` is looked for in the PATH. TVE_ROWS is how many rows the test of memory takes.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import pytest

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE.parent.parent / "Vectors"
sys.path.insert(0, str(HERE))

import tve  # noqa: E402  (after its folder is in the path)

ISSUED = 1_768_498_200_000


class Setting:
    """The built program with keys, and functions of the module that use them."""

    issuer = VECTORS / "keys" / "test-only-issuer-2048.spki.pem"
    private = VECTORS / "keys" / "test-only-issuer-2048.pkcs8.pem"
    now = ISSUED + 60_000

    def __init__(self, program):
        self.program = program

    def issue(self, *options, resource="REF30"):
        command = [self.program, "issue", "media-token", "--key", self.private, "--requestor", "REF30", "--resource",
                   resource, "--issued-at", str(ISSUED), *options]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def row(self, token, **members):
        return {"token": token, "requestor": "REF30", "resource": None, "at": self.now, **members}

    def verify_rows(self, rows, **options):
        return tve.verify_rows(rows, **{"keys": self.issuer, "program": self.program, **options})

    def decrypt_rows(self, rows, **options):
        return tve.decrypt_rows(rows, **{"keys": self.private, "program": self.program, **options})

    def verify(self, token, **options):
        known = {"requestor": "REF30", "resource": "REF30", "at": self.now}
        return tve.verify(token, **{"keys": self.issuer, "program": self.program, **known, **options})

    def decrypt(self, value, **options):
        return tve.decrypt(value, **{"keys": self.private, "program": self.program, "attribute": "zip", **options})


@pytest.fixture(scope="session")
def setting():
    program = shutil.which(os.environ.get("TVE", "tve"))
    assert program, "TVE names the program to test"
    return Setting(os.path.abspath(program))


@pytest.fixture(scope="session")
def token(setting):
    return setting.issue()


@pytest.fixture(scope="session")
def values(setting):
    """Encrypted postal codes of the test vectors, with the text or the code of the failure that each must give."""
    vectors = json.loads((VECTORS / "metadata_decryption" / "metadata_decryption_test.json").read_text())
    found = []
    for group in vectors["testGroups"]:
        if group["keys"] == [setting.private.name] and group["padding"] == "pkcs1":
            found += [(test["value"], test.get("expectedText"), test.get("expectedCode")) for test in group["tests"]
                      if test["attribute"] == "zip" and test["result"] in ("valid", "invalid")]
    assert any(text for _, text, _ in found) and any(code for _, _, code in found)
    return found


@pytest.fixture(scope="session")
def good(values):
    """An encrypted postal code that starts with a zero, and its text."""
    return next((value, text) for value, text, _ in values if text and text.startswith("0"))


@pytest.fixture
def script(tmp_path):
    """Makes a program that stands in for tve."""
    def make(text):
        path = tmp_path / "stand-in"
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path
    return make


@pytest.fixture(autouse=True)
def nothing_left(setting):
    """No test may leave a thread or a process."""
    yield
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            thread.join(10)
    assert threading.active_count() == 1
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
