#!/usr/bin/env python3
"""Runs the example with DataFrames on a small cluster of local processes: types, nulls and zeros stay, all rows come.

    python3 Examples/spark/check_dataframe.py PATH-OF-TVE

Needs Java, PySpark, pandas and PyArrow. At the end it prints how long 300,000 rows with 10,000 different values take on 64
partitions, beside tve alone. That decides nothing.
"""

import base64
import contextlib
import csv
import datetime
import decimal
import io
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import pyarrow
import pyarrow.parquet
import pyspark
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE.parent.parent / "Vectors"
KEY = VECTORS / "keys" / "test-only-issuer-2048.pkcs8.pem"
OTHER_KEY = VECTORS / "keys" / "test-only-other-2048.pkcs8.pem"
SUBMIT = pathlib.Path(sys.executable).parent / "spark-submit"
MODULE = HERE.parent / "python" / "tve.py"
sys.path[:0] = [str(HERE), str(MODULE.parent)]

from decrypt_dataframe import decrypted  # noqa: E402  (after its folder is in the path)

# How many rows, different values and partitions are measured, and how often.
ROWS, VALUES, PARTITIONS, ROUNDS = 300_000, 10_000, 64, 3


def make_values():
    """Encrypted postal codes, each with its text or the code of the failure."""
    vectors = json.loads((VECTORS / "metadata_decryption" / "metadata_decryption_test.json").read_text())
    return [(test["value"], test.get("expectedText"), test.get("expectedCode"))
            for group in vectors["testGroups"] if group["keys"] == [KEY.name] and group["padding"] == "pkcs1"
            for test in group["tests"] if test["attribute"] == "zip" and test["result"] in ("valid", "invalid")]


def submit(folder, master, *arguments):
    # The workers of a local cluster write to Spark's own folder: logs, and copies of what is shipped.
    home = folder / "spark"
    if not home.exists():
        home.mkdir()
        for part in pathlib.Path(pyspark.__file__).parent.iterdir():
            if part.name != "work":
                (home / part.name).symlink_to(part)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SPARK_")}
    environment |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(home)}
    command = [SUBMIT, "--master", master, "--py-files", MODULE, *arguments]
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

    # The program was not shipped to the workers.
    refused = submit(folder, "local-cluster[2,1,1024]", "--files", KEY, *job, "--keys", f"./{KEY.name}", "in", "none")
    assert refused.returncode != 0 and "no_program" in refused.stdout + refused.stderr, refused.stderr[-4000:]
    assert_no_value(refused.stdout + refused.stderr, cases)

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
        field = None if code is None else "zip" if first[2] else "home_zip"
        key = KEY.name if code is None and (first[1] or second[1]) else None
        verdict = answer.pop("_tve"), answer.pop("_tve_field"), answer.pop("_tve_key")
        assert verdict == (code or "ok", field, key), f"{answer['at']}: {verdict}"
        failed += bool(code)
        texts = {} if code else {"zip": first[1], "home_zip": second[1]}
        assert answer == row | texts, f"the row of {answer['at']} changed"
    stated = f"{len(cases)} rows, {failed} of them not decrypted"
    assert stated in done.stdout, done.stdout
    # What tve said of its rows is in the executors' logs, and what it comes to in the driver's.
    # spark-submit joins standard error of Python with its standard output.
    said = summaries(done.stdout)
    count = len({value for value, _, _ in cases if value})
    assert [(summary["column"], summary["values"]) for summary in said] == [("zip", count), ("home_zip", count)], said
    logs = "".join(log.read_text(errors="replace") for log in (folder / "spark" / "work").rglob("stderr"))
    of_tve = [summary for summary in summaries(logs) if "milliseconds" in summary]
    assert sum(summary["rows"] for summary in of_tve) == 2 * count, of_tve
    assert_no_value(logs + done.stdout + done.stderr, cases)
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
        wanted = {"id": number, "title": title, "zip": zip_code or "", "_tve": code or "ok",
                  "_tve_field": "zip" if code else "", "_tve_key": KEY.name if text else ""}
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
    return cases


def summaries(text):
    """The summaries in a log. Spark's bar of progress may stand before one."""
    return [json.loads(found) for found in re.findall(r'\{"column": .*\}$', text, re.M)]


def assert_no_value(text, cases):
    """Neither a value nor its text is in a log or an error. Short texts may be there for another reason, such as a port."""
    for value, plain, _ in cases:
        assert not (value and len(value) > 20 and value in text), "a value is in the log"
        assert not (plain and len(plain) > 8 and plain in text), "a text is in the log"


@contextlib.contextmanager
def session(folder):
    """A session in this process, on two cores."""
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    spark = (SparkSession.builder.master("local[2]").config("spark.local.dir", str(folder / "local"))
             .config("spark.ui.enabled", False).config("spark.ui.showConsoleProgress", False)
             .config("spark.sql.warehouse.dir", str(folder / "warehouse")).getOrCreate())
    try:
        spark.sparkContext.setLogLevel("OFF")
        spark.sparkContext.addPyFile(str(MODULE))
        spark.sparkContext.addPyFile(str(HERE / "decrypt_dataframe.py"))
        yield spark
    finally:
        spark.stop()


def counting(folder, tve, spark):
    """A program that is tve and counts its rows; returns it, with a function that returns the rows since the last call."""
    program, counts = folder / "counting-tve", folder / "counts"
    program.write_text(f'#!/bin/sh\ntee -a {counts} | {tve} "$@"\n')
    program.chmod(0o755)

    def rows():
        spark.catalog.clearCache()
        found = counts.read_text().splitlines() if counts.exists() else []
        counts.write_text("")
        return found

    return str(program), rows


def check_frames(folder, tve, spark, cases):
    """What a job of its own sees: structures, rows in their number, a second run, one decryption of each value."""
    program, rows_since = counting(folder, tve, spark)
    keys = str(KEY)
    value, text, _ = next(case for case in cases if case[1])
    other, foreign = encrypted(OTHER_KEY, ["10115"])[0], encrypted(OTHER_KEY, ["20095"])[0]
    everyone = [
        # Most rows have one value, and many have none: neither makes more decryptions, or more rows.
        *[(number, value, (None, ("x", value))) for number in range(400)],
        *[(number, None, None) for number in range(400, 700)],
        (700, "?", (None, None)), (701, "", (1, ("x", other))), (702, value, (2, ("", "?"))),
    ]
    schema = "id int, zip string, user struct<age int, home struct<note string, zip string>>"
    # A name with a dot is no column of the job, and stays.
    frame = spark.createDataFrame(everyone, schema).withColumn("a.b", F.col("id")).repartition(16).cache()
    first = decrypted(frame, ["zip", "user.home.zip"], keys, program)
    answers = {row["id"]: row for row in first.collect()}
    assert len(answers) == first.count() == len(everyone)
    assert first.columns == [*frame.columns, "_tve", "_tve_field", "_tve_key"], first.columns
    assert first.drop("_tve", "_tve_field", "_tve_key").dtypes == frame.dtypes, first.dtypes
    for number, old, user in everyone:
        answer = answers[number]
        is_good = number < 700
        wanted = text if old and is_good else old
        assert (answer["zip"], answer["a.b"]) == (wanted, number), number
        home = user and user[1]
        assert answer["user"] == (user and (user[0], home and (home[0], text if is_good else home[1]))), number
        verdict = (answer["_tve"], answer["_tve_field"], answer["_tve_key"])
        if is_good:
            assert verdict == ("ok", None, KEY.name if old else None), number
    assert answers[700][4:] == ("not_base64", "zip", None), answers[700][4:]
    assert answers[701][4:] == ("undecryptable", "user.home.zip", None), answers[701][4:]
    assert answers[702][4:] == ("not_base64", "user.home.zip", None), answers[702][4:]
    # Two collects and a count, and each value of a column went through tve once: value and ?, value, other and ?.
    assert len(rows_since()) == 5

    # A second run, of another column: what failed is still told, and the keys of both are named.
    two = spark.createDataFrame([(1, value, foreign), (2, "?", foreign), (3, value, "?"), (4, "?", "!"), (5, None, None),
                                 (6, value, None)],
                                "id int, zip string, home_zip string")
    after = decrypted(decrypted(two, "zip", keys, program), "home_zip", str(OTHER_KEY), program)
    both = f"{KEY.name},{OTHER_KEY.name}"
    assert sorted(after.collect()) == [
        (1, text, "20095", "ok", None, both), (2, "?", "20095", "not_base64", "zip", OTHER_KEY.name),
        (3, text, "?", "not_base64", "home_zip", KEY.name), (4, "?", "!", "not_base64", "zip", None),
        (5, None, None, "ok", None, None), (6, text, None, "ok", None, KEY.name)], "the second run"
    # The rows that failed, again: their verdict is a new one.
    wrong = decrypted(spark.createDataFrame([(1, foreign)], "id int, zip string").join(
        spark.createDataFrame([("undecryptable",)], "_tve string")).withColumn("_tve_field", F.lit("zip")),
        "zip", str(OTHER_KEY), program)
    assert wrong.collect() == [(1, "20095", "ok", None, OTHER_KEY.name)]

    # What tve itself has written before: objects in JSON, a text in CSV.
    for verdict, wanted in [
            ('{"ok":true,"key":"k"}', ("ok", None, f"k,{KEY.name}")),
            ('{"ok":false,"code":"is_jwe","field":"home"}', ("is_jwe", "home", KEY.name)),
            ('{"ok":false,"code":"is_jwe","field":"zip"}', ("ok", None, KEY.name)),
            ('{"ok":false,"failures":[]}', ("failed", None, KEY.name)),
            ('"is_jwe"', ("is_jwe", None, KEY.name)), ('"ok"', ("ok", None, KEY.name))]:
        lines = folder / "earlier.ndjson"
        lines.write_text(f'{{"zip":"{value}","_tve":{verdict}}}\n')
        [answer] = decrypted(spark.read.json(str(lines)), "zip", keys, program).collect()
        assert answer == (text, *wanted), (verdict, answer[1:])

    # A collation that does not tell letters apart would give a row the text of another one.
    near = value[:-3] + value[-3:].swapcase()
    collated = spark.createDataFrame([(1, value), (2, near)], "id int, zip string").withColumn(
        "zip", F.collate("zip", "UTF8_LCASE"))
    found = sorted(decrypted(collated, "zip", keys, program).select("id", "zip").collect())
    assert found[0] == (1, text) and found[1][1] != text

    # Nothing to decrypt: no process, also not with an option that wants a row.
    rows_since()
    none = spark.createDataFrame([(1, None)], "id int, zip string")
    assert decrypted(none, "zip", keys, program, ["--strict"]).collect() == [(1, None, "ok", None, None)]
    assert rows_since() == []

    print("the Spark example with frames: structures, runs after one another, one decryption of each value")


def check_failures(folder, tve, spark):
    """What ends a job, with the reason of tve and without a value."""
    texts = ["77754-9997", "77754-9998", "77754-9999"]
    good = [(value, text, None) for value, text in zip(encrypted(KEY, texts), texts)]
    frame = spark.createDataFrame([(number, case[0]) for number, case in enumerate(good)] + [(9, "no Base64"), (10, "?")],
                                  "id int, zip string")
    keys, one = str(KEY), {"partitions": 1}
    faulty = folder / "faulty"
    faulty.write_text("#!/bin/sh\nexit 2\n")
    faulty.chmod(0o755)
    refusals = [
        (dict(program="/no/such/tve"), "no_program"), (dict(program=str(faulty)), "exit code 2"),
        (dict(keys="no-such-key.pem"), "no_such_file"),
        (dict(options=["--max-failures", "1"], **one), "2 of 5 rows failed, and --max-failures allows 1"),
        (dict(options=["--strict"], **one), "exit code 2"), (dict(options=["--on-error", "skip"], **one), "lost_rows"),
    ]
    for options, reason in refusals:
        said = failure(lambda: decrypted(frame, "zip", **{"keys": keys, "program": str(tve), **options}))
        assert reason in said, (options, said[-2000:])
        assert_no_value(said, good)
    # Fewer than may fail do not end it.
    assert decrypted(frame, "zip", keys, str(tve), ["--max-failures", "2"], partitions=1).where("_tve = 'not_base64'").count() == 2
    # --parse makes lists of texts, and PyArrow's own error would show one.
    lists = spark.createDataFrame([(value,) for value in encrypted(KEY, ['["sports-one"]'])], "channelID string")
    said = failure(lambda: decrypted(lists, "channelID", keys, str(tve), ["--parse"]))
    assert "leave out --parse" in said and "sports-one" not in said, said

    # A value that comes only when the frame is read again is no value that was decrypted.
    source = folder / "changing"
    source.mkdir()
    (source / "part.json").write_text(json.dumps({"id": 1, "zip": good[0][0]}) + "\n")
    plain = decrypted(spark.read.schema("id int, zip string").json(str(source)), "zip", keys, str(tve))
    (source / "part.json").write_text(json.dumps({"id": 1, "zip": good[1][0]}) + "\n")
    for use in (plain.collect, plain.select("_tve").collect):
        said = failure(use)
        assert "cache the frame" in said, said[-2000:]
        assert_no_value(said, good)

    for column, error in [("zap", "no column zap"), ("id", "id is not a text"), ("zip.x", "no column zip.x")]:
        assert error in failure(lambda: decrypted(frame, column, keys)), column
    assert "not a verdict" in failure(lambda: decrypted(frame.withColumn("_tve", F.lit(1)), "zip", keys))


def failure(work):
    try:
        work()
    except Exception as error:
        return str(error)
    raise AssertionError("it succeeded")


def encrypted(key, texts):
    """Values of texts, by PKCS #1 v1.5. The padding comes from a seed, as these values are for tests only."""
    said = subprocess.run(["openssl", "rsa", "-in", key, "-noout", "-modulus"], check=True, capture_output=True, text=True)
    modulus = int(said.stdout.strip().removeprefix("Modulus="), 16)
    size, seeded = (modulus.bit_length() + 7) // 8, random.Random(1)
    values = []
    for text in texts:
        padding = bytes(seeded.randrange(1, 256) for _ in range(size - 3 - len(text)))
        block = int.from_bytes(b"\0\2" + padding + b"\0" + text.encode(), "big")
        values.append(base64.b64encode(pow(block, 65537, modulus).to_bytes(size, "big")).decode())
    return values


def measure(folder, tve, spark):
    """Prints the time of the frame beside that of tve alone, which takes the same rows as NDJSON, by turns.

    A copy is what Spark takes to read and write the rows without decryption. The first round warms Java up, and does not count.
    """
    values = encrypted(KEY, [f"{number:05}" for number in range(VALUES)])
    rows = [{"id": row, "zip": values[row * 7919 % VALUES]} for row in range(ROWS)]
    lines = folder / "rows.ndjson"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    table = pyarrow.Table.from_pylist(rows)
    (folder / "parts").mkdir()
    for part in range(PARTITIONS):
        start = ROWS * part // PARTITIONS
        pyarrow.parquet.write_table(table.slice(start, ROWS * (part + 1) // PARTITIONS - start), folder / "parts" / f"{part}.parquet")
    # A file is a partition.
    spark.conf.set("spark.sql.files.openCostInBytes", 128 * 1024 * 1024)
    frame = spark.read.parquet(str(folder / "parts"))
    assert frame.rdd.getNumPartitions() == PARTITIONS

    def alone():
        command = [tve, "decrypt", "--batch", "--keys", KEY, "--field", "zip"]
        with lines.open("rb") as source, (folder / "alone.ndjson").open("wb") as target:
            subprocess.run(command, stdin=source, stdout=target, stderr=subprocess.DEVNULL, check=True)

    def in_spark():
        decrypted(frame, "zip", str(KEY), str(tve)).write.mode("overwrite").parquet(str(folder / "plain"))
        spark.catalog.clearCache()

    def copy():
        frame.write.mode("overwrite").parquet(str(folder / "copy"))

    times = {"tve alone": [], "a copy": [], "DataFrame": []}
    for number in range(ROUNDS + 1):
        for name, way in zip(times, (alone, copy, in_spark)):
            start = time.monotonic()
            way()
            if number:
                times[name].append(time.monotonic() - start)
    plain = spark.read.parquet(str(folder / "plain"))
    assert plain.where("_tve = 'ok' and length(zip) = 5").count() == ROWS
    medians = {name: statistics.median(seconds) for name, seconds in times.items()}
    what = f"{ROWS} rows with {VALUES} values, {PARTITIONS} partitions"
    for name, seconds in medians.items():
        print(f"measured: {what}, {name}: {seconds:.1f} s")
    ratio, net = medians["DataFrame"] / medians["tve alone"], (medians["DataFrame"] - medians["a copy"]) / medians["tve alone"]
    print(f"measured: {what}, DataFrame: {ratio:.2f} times tve alone")
    print(f"measured: {what}, DataFrame without the copy: {net:.2f} times tve alone")


def main():
    tve = pathlib.Path(sys.argv[1]).resolve()
    if not shutil.which("java"):
        sys.exit("Java is missing")
    cases = check(tve)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with session(folder) as spark:
            # The frames of the checks are small.
            spark.conf.set("spark.sql.shuffle.partitions", 4)
            check_frames(folder, tve, spark, cases)
            check_failures(folder, tve, spark)
            spark.conf.unset("spark.sql.shuffle.partitions")
            measure(folder, tve, spark)


if __name__ == "__main__":
    main()
