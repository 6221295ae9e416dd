#!/usr/bin/env python3
"""Runs the commands with kcat of README.md against the mock broker of librdkafka.

One answer for each record must come, in order and with its key.

    python3 Examples/kafka/check.py PATH-OF-TVE

Needs kcat and, with it, librdkafka.
"""

import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE.parent.parent / "Vectors"
KEY = VECTORS / "keys" / "test-only-issuer-2048.pkcs8.pem"
ROWS = 200
PATIENCE = 30  # seconds; what takes longer has stopped


def mock_broker():
    """Starts a broker in this process, and returns its address; it ends with the process."""
    library = ctypes.CDLL("librdkafka.so.1")
    library.rd_kafka_conf_new.restype = ctypes.c_void_p
    library.rd_kafka_new.restype = ctypes.c_void_p
    library.rd_kafka_mock_cluster_new.restype = ctypes.c_void_p
    library.rd_kafka_mock_cluster_bootstraps.restype = ctypes.c_char_p
    text = ctypes.create_string_buffer(512)
    settings = ctypes.c_void_p(library.rd_kafka_conf_new())
    library.rd_kafka_conf_set(settings, b"log_level", b"3", text, len(text))
    handle = library.rd_kafka_new(0, settings, text, len(text))
    assert handle, text.value
    cluster = library.rd_kafka_mock_cluster_new(ctypes.c_void_p(handle), 1)
    assert library.rd_kafka_mock_topic_create(ctypes.c_void_p(cluster), b"playback", 1, 1) == 0
    assert library.rd_kafka_mock_topic_create(ctypes.c_void_p(cluster), b"playback-plain", 1, 1) == 0
    return library.rd_kafka_mock_cluster_bootstraps(ctypes.c_void_p(cluster)).decode()


def commands():
    """The block of README.md whose first word is kcat, made to end with the topic (`-e`)."""
    [block] = [block for block in re.findall(r"```sh\n(.*?)```", (HERE / "README.md").read_text(), re.S)
               if block.startswith("kcat")]
    return block.replace("kcat -C ", "kcat -C -e ", 1)


def check_schema_bytes():
    """The line of README.md that takes off what Confluent's serializers put before the JSON."""
    [line] = re.findall(r"```sh\n(perl .*?) \|\n```", (HERE / "README.md").read_text())
    for number in (1, 9, 10, 100_010):  # the bytes of some are a tab, or a line end
        schema = b"\0" + number.to_bytes(4, "big")
        rows = [b'%s\t%s{"id": %d}\n' % (key, b"%s", row) for row, key in enumerate((b"a", b"", b"c"))]
        framed = b"".join(row % schema for row in rows)
        plain = subprocess.run(["bash", "-c", line], input=framed, capture_output=True, check=True).stdout
        assert plain == b"".join(row % b"" for row in rows), number


def produce(brokers, records):
    lines = "".join(f"{key}\t{value}\n" for key, value in records)
    subprocess.run(["kcat", "-P", "-b", brokers, "-t", "playback", "-K", "\t"], input=lines, text=True, check=True)


def expect(line, key, row, text, code):
    """Compares a record of the topic that the commands write to."""
    answered, _, value = line.partition("\t")
    assert answered == key, f"the key is {answered}, expected {key}"
    answer = json.loads(value)
    mark = answer.pop("_tve")
    assert mark.get("code") == code, f"{key}: {mark}, expected {code}"
    assert answer == row | ({"zip": text} if text else {}), key


def make_cases():
    """Keys and rows, each with the text or the failure's code that must come out."""
    vectors = json.loads((VECTORS / "metadata_decryption" / "metadata_decryption_test.json").read_text())
    tests = [test for group in vectors["testGroups"] if group["keys"] == [KEY.name] and group["padding"] == "pkcs1"
             for test in group["tests"] if test["attribute"] == "zip" and test["result"] in ("valid", "invalid")]
    tests += [{"value": None}, {"value": ""}]
    chosen = [(number, tests[number % len(tests)]) for number in range(ROWS)]
    return [(f"subscriber {number}", {"id": number, "zip": test["value"]}, test.get("expectedText"),
             test.get("expectedCode")) for number, test in chosen]


def main():
    check_schema_bytes()
    tve = pathlib.Path(sys.argv[1]).resolve()
    brokers = mock_broker()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "private-key.pem").symlink_to(KEY)
        (folder / "tve").symlink_to(tve)
        environment = os.environ | {"BROKERS": brokers, "PATH": f"{folder}:{os.environ['PATH']}"}
        cases = make_cases()
        produce(brokers, [(key, json.dumps(row)) for key, row, _, _ in cases])
        run = subprocess.run(["bash", "-o", "pipefail", "-c", commands()], cwd=folder, env=environment,
                             capture_output=True, text=True, timeout=PATIENCE)
        assert run.returncode == 0, run.stderr
        answers = subprocess.run(
            ["kcat", "-C", "-q", "-e", "-b", brokers, "-t", "playback-plain", "-o", "beginning", "-K", "\t"],
            capture_output=True, text=True, check=True, timeout=PATIENCE).stdout.splitlines()
    assert len(answers) == len(cases), f"{len(answers)} records of {len(cases)} came out"
    for answer, case in zip(answers, cases):
        expect(answer, *case)
    print(f"the Kafka recipe: {len(cases)} records with their keys")


if __name__ == "__main__":
    main()
