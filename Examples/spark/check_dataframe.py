#!/usr/bin/env python3
"""Runs the example with DataFrames on a small cluster of local processes: types, nulls and zeros stay, all rows come.

    python3 Examples/spark/check_dataframe.py PATH-OF-TVE [ROWS]

Needs Java, PySpark, pandas and PyArrow. With ROWS, it decrypts as many rows instead, in this way and with
decrypt_metadata.py, which takes lines, and prints how many rows each way takes in a second.
"""

import csv
import datetime
import decimal
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import pyarrow
import pyarrow.parquet

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE.parent.parent / "Vectors"
KEY = VECTORS / "keys" / "test-only-issuer-2048.pkcs8.pem"
SUBMIT = pathlib.Path(sys.executable).parent / "spark-submit"


def make_values():
    """Encrypted postal codes, each with its text or the code of the failure."""
    vectors = json.loads((VECTORS / "metadata_decryption" / "metadata_decryption_test.json").read_text())
    return [(test["value"], test.get("expectedText"), test.get("expectedCode"))
            for group in vectors["testGroups"] if group["keys"] == [KEY.name] and group["padding"] == "pkcs1"
            for test in group["tests"] if test["attribute"] == "zip" and test["result"] in ("valid", "invalid")]


def submit(folder, master, *arguments):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SPARK_")}
    environment |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1",
                    "SPARK_WORKER_DIR": str(folder / "work")}
    command = [SUBMIT, "--master", master, "--py-files", HERE.parent / "python" / "tve.py", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)


def table_of(values):
    """A table whose other columns lose something in JSON or in pandas: large numbers beside nulls, decimals, times."""
    count = len(values)
    rows = range(count)
    return pyarrow.table({
        "id": pyarrow.array([None if row % 3 == 0 else 2**60 + row for row in rows], pyarrow.int64()),
        "zip": pyarrow.array(values, pyarrow.string()),
        "home_zip": pyarrow.array(values[::-1], pyarrow.string()),
        "price": pyarrow.array([decimal.Decimal("1.10") + row for row in rows], pyarrow.decimal128(20, 2)),
        "at": pyarrow.array([datetime.datetime(2026, 1, 1, microsecond=row) for row in rows],
                            pyarrow.timestamp("us", "UTC")),
        "tags": pyarrow.array([None if row % 2 else ["a", None] for row in rows], pyarrow.list_(pyarrow.string())),
        "ballast": pyarrow.array([b"\x00\xff"] * count, pyarrow.binary()),
    })


def check_parquet(folder, tve, cases):
    table = table_of([value for value, _, _ in cases])
    (folder / "in").mkdir()
    for part, start in enumerate(range(0, len(cases), 1000)):
        pyarrow.parquet.write_table(table.slice(start, 1000), folder / "in" / f"{part}.parquet")
    job = [HERE / "decrypt_dataframe.py", "--column", "zip", "--column", "home_zip", "--option=--attribute=zip"]
    # PyArrow reads Spark's own form of times without their zone.
    ship = ["--files", f"{tve},{KEY}", "--conf", "spark.sql.parquet.outputTimestampType=TIMESTAMP_MICROS"]

    # A missing key must fail the job.
    refused = submit(folder, "local[2]", *ship, *job, "--tve", tve, "--keys", "no-such-key.pem", "in", "none")
    assert refused.returncode != 0 and "no_such_file" in refused.stderr, refused.stderr[-4000:]

    done = submit(folder, "local-cluster[2,1,1024]", *ship, *job, "--tve", f"./{tve.name}", "--keys", f"./{KEY.name}",
                  "in", "out")
    assert done.returncode == 0, done.stderr[-4000:]
    parts = [pyarrow.parquet.read_table(part) for part in (folder / "out").glob("*.parquet")]
    answers = {row["at"]: row for part in parts for row in part.to_pylist()}
    assert sum(len(part) for part in parts) == len(answers) == len(cases), "rows are missing, or came twice"
    failed = 0
    for row, first, second in zip(table.to_pylist(), cases, cases[::-1]):
        answer = answers[row["at"]]
        code = first[2] or second[2]
        assert answer.pop("_tve") == (code or "ok"), f"{answer['at']}: {code}"
        failed += bool(code)
        texts = {} if code else {"zip": first[1], "home_zip": second[1]}
        assert answer == row | texts, f"{answer} of {row}"
    stated = f"{len(cases)} rows, {failed} of them not decrypted"
    assert stated in done.stdout, done.stdout
    print(f"the Spark example with DataFrames: {stated}, in {len(parts)} parts")


def check_csv(folder, tve, cases, quoting):
    # Spark reads a backslash as an escape only between quotation marks, and writes it nowhere else.
    form = {"csv": {}, "backslash": {"doublequote": False, "escapechar": "\\", "quoting": csv.QUOTE_ALL}}[quoting]
    titles = ["plain", '5 "', 'the "best", they say', '"']
    rows = [[f"00{row}", titles[row % len(titles)], case[0]] for row, case in enumerate(cases)]
    source, target = f"in-{quoting}.csv", f"out-{quoting}"
    with (folder / source).open("w", newline="") as file:
        csv.writer(file, **form).writerows([["id", "title", "zip"], *rows])
    job = [HERE / "decrypt_dataframe.py", "--column", "zip", "--format", "csv", "--quoting", quoting, "--tve", tve,
           "--keys", KEY]
    done = submit(folder, "local[2]", *job, source, target)
    assert done.returncode == 0, done.stderr[-4000:]
    answers = {}
    for part in (folder / target).glob("*.csv"):
        with part.open(newline="") as file:
            answers |= {row["id"]: row for row in csv.DictReader(file, **form)}
    for (number, title, value), (_, text, code) in zip(rows, cases):
        zip_code = value if code else text
        wanted = {"id": number, "title": title, "zip": zip_code or "", "_tve": code or "ok"}
        assert answers.pop(number) == wanted, number
    assert not answers

    # The same file through tve itself: all but the column stays byte for byte.
    command = [tve, "decrypt", "--batch", "--input", "csv", "--quoting", quoting, "--optional-field", "zip", "--keys", KEY]
    with (folder / source).open("rb") as file:
        direct = subprocess.run(command, stdin=file, capture_output=True)
    assert direct.returncode == 0, direct.stderr.decode()
    answers = list(csv.DictReader(io.StringIO(direct.stdout.decode(), newline=""), **form))
    assert [(row["id"], row["title"]) for row in answers] == [(number, title) for number, title, _ in rows]
    for answer, (value, text, code) in zip(answers, cases):
        zip_code = value if code else text
        assert (answer["zip"], answer["_tve"]) == (zip_code or "", code or "ok"), answer["id"]


def check(tve):
    cases = make_values()
    cases = (cases * 40 + [(None, None, None), ("", "", None), ("no Base64", None, "not_base64")] * 40)
    cases = cases[1::2] + cases[::2]
    with tempfile.TemporaryDirectory() as folder:
        check_parquet(pathlib.Path(folder), tve, cases)
        # A text with line ends would end the rows of Spark's reader.
        for quoting in ("csv", "backslash"):
            check_csv(pathlib.Path(folder), tve, [case for case in cases if "\n" not in (case[1] or "")], quoting)


def seconds(folder, *arguments):
    start = time.monotonic()
    done = submit(folder, "local[2]", *arguments)
    assert done.returncode == 0, done.stderr[-4000:]
    return time.monotonic() - start


def measure(tve, count):
    """Rows in a second, without the time that a job of one row takes. Values repeat, so the way of the rows counts."""
    good = [value for value, text, _ in make_values() if text]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for size in (1, count):
            rows = [{"id": row, "zip": good[row % len(good)]} for row in range(size)]
            (folder / f"{size}.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), folder / f"{size}.parquet",
                                        row_group_size=max(1, size // 8))
        lines = [HERE / "decrypt_metadata.py", "--field", "zip", "--tve", tve, "--keys", KEY, "--partitions", "2"]
        frames = [HERE / "decrypt_dataframe.py", "--column", "zip", "--tve", tve, "--keys", KEY]
        ways = {
            "lines, RDD": (lines, "json"), "DataFrame, NDJSON": ([*frames, "--format", "json"], "json"),
            "DataFrame, Parquet": (frames, "parquet"),
        }
        for number, (name, (job, kind)) in enumerate(ways.items()):
            least = seconds(folder, *job, f"1.{kind}", f"least-{number}")
            whole = seconds(folder, *job, f"{count}.{kind}", f"whole-{number}")
            rate = f"{count / (whole - least):.0f} rows/s" if whole > 1.5 * least else "too few rows for a rate"
            print(f"{name}: {count} rows in {whole:.1f} s, one row in {least:.1f} s: {rate}")


def main():
    tve = pathlib.Path(sys.argv[1]).resolve()
    if not shutil.which("java"):
        sys.exit("Java is missing")
    if len(sys.argv) > 2:
        measure(tve, int(sys.argv[2]))
    else:
        check(tve)


if __name__ == "__main__":
    main()
