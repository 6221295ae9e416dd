#!/usr/bin/env python3
"""Runs the example on a small cluster of local processes, and checks every row that comes out.

    python3 Examples/spark/check.py PATH-OF-TVE

If PySpark or Java is missing, it prints "skipped" and exits with 0. TVE_PYSPARK_PYTHON names a Python that has PySpark.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE.parent.parent / "Vectors"
KEY = "test-only-issuer-2048.pkcs8.pem"


def python_with_pyspark():
    for python in (os.environ.get("TVE_PYSPARK_PYTHON"), sys.executable, "python3"):
        if python and subprocess.run([python, "-c", "import pyspark"], capture_output=True).returncode == 0:
            return python
    return None


def make_cases():
    """Lines, each with the text or the failure's code that must come out."""
    vectors = json.loads((VECTORS / "metadata_decryption" / "metadata_decryption_test.json").read_text())
    cases = []
    for group in vectors["testGroups"]:
        if group["keys"] != [KEY] or group["padding"] != "pkcs1":
            continue
        for test in group["tests"]:
            if test["attribute"] == "zip" and test["result"] in ("valid", "invalid"):
                line = json.dumps({"id": len(cases), "zip": test["value"]})
                cases.append((line, test.get("expectedText"), test.get("expectedCode")))
    # Enough rows for each worker, with lines among them that are not rows.
    cases = cases * 20 + [('{"id": 0}', None, "missing_field"), ("no row", None, "bad_row"), ("", None, "bad_row")]
    return cases[1::2] + cases[::2]


def main():
    tve = pathlib.Path(sys.argv[1]).resolve()
    python = python_with_pyspark()
    missing = "PySpark" if python is None else None if shutil.which("java") else "Java"
    if missing:
        print(f"skipped: the Spark example ({missing} is missing)")
        return
    submit = pathlib.Path(shutil.which(python)).parent / "spark-submit"
    cases = make_cases()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "rows.ndjson").write_text("".join(line + "\n" for line, _, _ in cases))
        shutil.copy(tve, folder / "tve")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SPARK_")}
        environment |= {"PYSPARK_PYTHON": python, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_WORKER_DIR": str(folder / "work")}
        job = ["--field", "zip", "--partitions", "4", folder / "rows.ndjson", folder / "out"]
        command = [submit, "--master", "local-cluster[2,1,1024]", "--files", f"{folder / 'tve'},{VECTORS / 'keys' / KEY}"]
        command.append(HERE / "decrypt_metadata.py")

        def run(*arguments):
            return subprocess.run([*command, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=600)

        # A missing key must fail the job instead of leaving its rows out.
        refused = run(*job, "--keys", "./no-such-key.pem")
        assert refused.returncode != 0, "the job succeeded without a key"
        shutil.rmtree(folder / "out")

        done = run(*job, "--keys", f"./{KEY}")
        assert done.returncode == 0, done.stderr[-4000:]
        parts = sorted((folder / "out").glob("part-*"))
        lines = [line for part in parts for line in part.read_text().split("\n")[:-1]]

        # A row may lack an optional field, or hold null or nothing in it, and then stays as it is.
        empty = [{"id": 1}, {"id": 2, "zip": None}, {"id": 3, "zip": ""}]
        row, text, _ = next(case for case in cases if case[1])
        optional = folder / "optional.ndjson"
        optional.write_text("".join(line + "\n" for line in [*map(json.dumps, empty), row, '{"zip":"?"}']))
        passed = run("--keys", f"./{KEY}", "--optional-field", "zip", optional, folder / "optional")
        assert passed.returncode == 0, passed.stderr[-4000:]
        assert "5 rows, 1 of them not decrypted" in passed.stdout, passed.stdout
        answers = [json.loads(line) for part in sorted((folder / "optional").glob("part-*"))
                   for line in part.read_text().splitlines()]
        assert [answer.pop("_tve").get("code") for answer in answers] == [None] * 4 + ["not_base64"], answers
        assert answers == [*empty, json.loads(row) | {"zip": text}, {"zip": "?"}], answers

        # Bodies of a service need no --field, and failed rows can be skipped.
        bodies = folder / "bodies.ndjson"
        bodies.write_text('{"attributes":{"zip":{"value":"1","state":"plain"}}}\nno body\n')
        options = ["--option=--input", "--option=profiles", "--option=--on-error=skip"]
        skipped = run("--keys", f"./{KEY}", *options, bodies, folder / "profiles")
        assert skipped.returncode == 0, skipped.stderr[-4000:]
        assert "1 rows, 0 of them not decrypted" in skipped.stdout, skipped.stdout
    assert len(parts) >= 4, f"{len(parts)} parts"
    assert len(lines) == len(cases), f"{len(lines)} rows of {len(cases)} came out"
    for number, (line, (row, text, code)) in enumerate(zip(lines, cases), 1):
        answer = json.loads(line)
        mark = answer.pop("_tve")
        if code is None:
            assert mark == {"ok": True, "key": KEY}, f"row {number}: {mark}"
            assert answer == json.loads(row) | {"zip": text}, f"row {number}: {answer}"
        else:
            assert mark["ok"] is False and mark["code"] == code, f"row {number}: {mark}, expected {code}"
            if code != "bad_row":
                assert answer == json.loads(row), f"row {number} changed"
    failed = sum(code is not None for _, _, code in cases)
    stated = f"{len(cases)} rows, {failed} of them not decrypted"
    assert stated in done.stdout, done.stdout
    print(f"the Spark example: {stated}, in {len(parts)} parts")


if __name__ == "__main__":
    main()
