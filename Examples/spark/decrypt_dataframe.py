#!/usr/bin/env python3
"""Decrypts columns of a DataFrame: each value once, and all other columns keep their types, and what is null stays null.

    spark-submit --py-files Examples/python/tve.py --files tve,private-key.pem decrypt_dataframe.py \
        --column zip --column user.zip --keys ./private-key.pem --format parquet INPUT OUTPUT

`decrypted` is the part for a job of your own. README.md says how to ship program and key.
"""

import argparse
import collections
import itertools
import json
import sys

import pyarrow
import tve
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructType

# Texts stay texts: without `inferSchema`, a postal code keeps its zeros. Quotes are doubled, as RFC 4180 says, or escaped with
# backslashes, as Spark itself does unless it is told otherwise. The names are those of `tve decrypt --quoting`.
CSV = {"header": True, "inferSchema": False}
ESCAPES = {"csv": '"', "backslash": "\\"}
VERDICT = ["_tve", "_tve_field", "_tve_key"]
# What a worker hands back at a time.
ROWS_OF_BATCH = 5000


def decrypted(frame, columns, keys, program="./tve", options=(), partitions=None):
    """The frame with texts in the named columns, and a verdict on each row, as in the rows of `tve`:

    _tve        "ok", or the code of the failure; such a row keeps its values
    _tve_field  the column that failed, or null
    _tve_key    the names of the keys that decrypted the row, with commas between them, or null

    A column is a text, or a text in a structure: `user.zip`. Where it is null or empty, it stays so. A frame that has a
    verdict, of another run or of `tve` itself, keeps a failure in a column that is not decrypted now.

    The different values are decrypted at once, in `partitions` processes (by default, as many as Spark has cores), and kept
    as a cached frame, so that none is decrypted twice; `spark.catalog.clearCache()` gives the memory back. The frame is
    read once for its values, and again with each use of the result. A summary of each column goes to standard error.
    """
    columns = list(dict.fromkeys([columns] if isinstance(columns, str) else columns))
    types = {column: type_of(frame, column) for column in columns}
    earlier = earlier_verdict(frame, columns)
    context = frame.sparkSession.sparkContext
    partitions = partitions or context.defaultParallelism
    is_growing = context.getConf().get("spark.dynamicAllocation.enabled", "false") == "true"

    joined, codes, texts, used, kept = frame, [], {}, [], []
    for number, column in enumerate(columns):
        # As plain text, so that a collation of the column does not take two values for the same.
        value = F.col(quoted(column)).cast("string")
        is_given = value.isNotNull() & (value != "")
        is_text = F.is_valid_utf8(value)
        values = frame.where(is_given & is_text).select(value.alias("value"))
        # Each task leaves out its own repeats before Spark shuffles, so they are as few as there are cores, where these stay
        # as many. Afterwards, each process gets about as many values, and the same ones if its part is lost.
        if not is_growing:
            values = values.coalesce(max(partitions, context.defaultParallelism))
        try:
            kept.append(answered(values.distinct().repartition(partitions, "value"), column, keys, program, options))
        except BaseException:
            for answers in kept:
                answers.unpersist()
            raise
        answers = kept[-1]
        name, answer = f"_tve_value_{number}", f"_tve_answer_{number}"
        answers = answers.select(F.col("value").alias(name), F.struct("text", "code", "key").alias(answer))
        joined = joined.join(answers, value == F.col(name), "left")
        # Such a row must not pass for one without a value.
        lost = F.raise_error(F.lit(f"{column} has a value that it had not when its values were decrypted; cache the frame"))
        codes.append(F.when(is_given & ~is_text, "not_base64").when(is_given & F.col(answer).isNull(), lost.cast("string"))
                     .otherwise(F.col(f"{answer}.code")))
        texts[column] = F.col(f"{answer}.text")
        used.append(F.col(f"{answer}.key"))

    code = F.coalesce(*codes)
    field = F.coalesce(*(F.when(code.isNotNull(), F.lit(column)) for code, column in zip(codes, columns)))
    key = F.when(code.isNull(), F.concat_ws(",", *used))
    written = {name: F.col(quoted_name(name)) for name in frame.columns if name not in VERDICT}
    for column, text in texts.items():
        top, *rest = column.split(".")
        new = F.when(code.isNull() & text.isNotNull(), text.cast(types[column])).otherwise(F.col(quoted(column)))
        written[top] = written[top].withField(quoted(".".join(rest)), new) if rest else new
    names = F.array_remove(F.array_distinct(F.split(F.concat_ws(",", earlier["_tve_key"], key), ",")), "")
    verdict = [
        F.coalesce(earlier["_tve"], code, F.lit("ok")).alias("_tve"),
        F.when(earlier["_tve"].isNotNull(), earlier["_tve_field"]).otherwise(field).alias("_tve_field"),
        F.nullif(F.concat_ws(",", names), F.lit("")).alias("_tve_key"),
    ]
    return joined.select(*(column.alias(name) for name, column in written.items()), *verdict)


def quoted_name(name):
    return "`" + name.replace("`", "``") + "`"


def quoted(column):
    return ".".join(map(quoted_name, column.split(".")))


def type_of(frame, column):
    kind = frame.schema
    for name in column.split("."):
        if not isinstance(kind, StructType) or name not in kind.names:
            raise ValueError(f"the frame has no column {column}; dots are for members of structures")
        kind = kind[name].dataType
    if not isinstance(kind, StringType):
        raise TypeError(f"the column {column} is not a text, so it does not hold encrypted values")
    return kind


def earlier_verdict(frame, columns):
    """What the frame says of other columns: a failure's code and field, and keys. `tve` writes texts in CSV, objects in JSON."""
    names = {name: F.lit(None).cast("string") for name in VERDICT}
    if "_tve" not in frame.columns:
        return names
    kind = frame.schema["_tve"].dataType
    if isinstance(kind, StringType):
        has = {name: F.col(name) for name in VERDICT if name in frame.columns}
        is_failure = F.col("_tve") != "ok"
    elif isinstance(kind, StructType) and "ok" in kind.names:
        members = {"_tve": "code", "_tve_field": "field", "_tve_key": "key"}
        has = {name: F.col(f"_tve.{member}") for name, member in members.items() if member in kind.names}
        is_failure = ~F.col("_tve.ok")
    else:
        raise TypeError("the column _tve is not a verdict of tve")
    names |= {name: column.cast("string") for name, column in has.items()}
    # A column that is decrypted now gets a new verdict.
    is_new = F.coalesce(names["_tve_field"].isin(columns), F.lit(False))
    return names | {"_tve": F.when(is_failure & ~is_new, F.coalesce(names["_tve"], F.lit("failed")))}


def answered(values, column, keys, program, options):
    """The values, each with its text or the code of its failure, and the name of its key: decrypted now, and kept."""

    def work(batches):
        given = (value for batch in batches for value in batch.column(0).to_pylist())
        first = next(given, None)
        if first is None:
            return  # no process without a value
        # Not what `tve` was asked, only what it answers, is in memory at a time.
        asked = collections.deque()

        def rows():
            for value in itertools.chain([first], given):
                asked.append(value)
                row = value
                for name in reversed(column.split(".")):
                    row = {name: row}
                yield row

        def answers():
            # Spark gives one core to each task. The summary goes to the executor's log.
            for row in tve.decrypt_rows(rows(), keys=keys, optional_fields=[column], program=program,
                                        options=["--jobs", "1", *options], summary=log):
                mark, text = row["_tve"], row
                for name in column.split("."):
                    text = text[name]
                if not isinstance(text, str):
                    raise TypeError(f"tve made something other than a text of a value of {column}: leave out --parse")
                yield asked.popleft(), text if mark["ok"] else None, mark.get("code"), mark.get("key")

        waiting = answers()
        while rows_of_batch := list(itertools.islice(waiting, ROWS_OF_BATCH)):
            arrays = [pyarrow.array(array, pyarrow.string()) for array in zip(*rows_of_batch)]
            yield pyarrow.RecordBatch.from_arrays(arrays, ["value", "text", "code", "key"])

    def log(summary):
        print(json.dumps({"column": column} | summary), file=sys.stderr, flush=True)

    answers = values.mapInArrow(work, "value string, text string, code string, key string").persist()
    try:
        counts = answers.groupBy("code", "key").count().collect()
    except BaseException:
        answers.unpersist()
        raise
    codes, keys_used = collections.Counter(), collections.Counter()
    for code, key, count in counts:
        codes[code or "decrypted"] += count
        if key:
            keys_used[key] += count
    log({"values": codes.total(), "decrypted": codes["decrypted"], "failed": codes.total() - codes["decrypted"],
         "codes": dict(codes), "keys": dict(keys_used)})
    return answers


def arguments():
    parser = argparse.ArgumentParser(description="Decrypt columns of a DataFrame on a Spark cluster.")
    parser.add_argument("input", help="a table to read: a file, a folder or a pattern")
    parser.add_argument("output", help="a folder to write, which must not exist yet")
    parser.add_argument("--column", action="append", required=True,
                        help="a column to decrypt, or a member of a structure (user.zip); may be repeated")
    parser.add_argument("--keys", action="append", required=True,
                        help="a key as the workers find it; may be repeated, the newest first")
    parser.add_argument("--tve", default="./tve", help="the program as the workers find it (default: ./tve, which is "
                                                       "where --files puts it)")
    parser.add_argument("--format", choices=["parquet", "orc", "json", "csv"], default="parquet")
    parser.add_argument("--quoting", choices=list(ESCAPES), default="csv",
                        help="how quotes in CSV are escaped: doubled (csv), or with a backslash as Spark does by default")
    parser.add_argument("--partitions", type=int,
                        help="how many processes decrypt (default: as many as Spark has cores when the job begins)")
    parser.add_argument("--option", action="append", default=[],
                        help="another option for tve, such as --option=--attribute=zip; may be repeated")
    return parser.parse_args()


def main():
    args = arguments()
    spark = SparkSession.builder.appName("decrypt-dataframe").getOrCreate()
    # A folder such as zip=02134 is a text, too.
    spark.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", False)
    form = CSV | {"escape": ESCAPES[args.quoting]} if args.format == "csv" else {}
    frame = spark.read.format(args.format).options(**form).load(args.input)
    if args.format == "json" and "_corrupt_record" in frame.columns:
        sys.exit("the input has lines that are not JSON objects")
    plain = decrypted(frame, args.column, args.keys, args.tve, args.option, args.partitions)
    plain.write.format(args.format).options(**form).save(args.output)

    answers = spark.read.format(args.format).options(**form).load(args.output)
    codes = {row["_tve"]: row["count"] for row in answers.groupBy("_tve").count().collect()}
    count, expected = sum(codes.values()), frame.count()
    print(f"{count} rows, {count - codes.get('ok', 0)} of them not decrypted")
    spark.stop()
    if count != expected:
        sys.exit(f"{expected} rows went in, and {count} came out")
    if count and "ok" not in codes and not any(option.startswith("--max-failures") for option in args.option):
        sys.exit("not one row was decrypted; if that is meant, say --option=--max-failures=100%")


if __name__ == "__main__":
    main()
