#!/usr/bin/env python3
"""Decrypts columns of a DataFrame: all other columns keep their types, and what is null stays null.

    spark-submit --py-files Examples/python/tve.py --files tve,private-key.pem decrypt_dataframe.py \
        --column zip --keys ./private-key.pem --format parquet INPUT OUTPUT

`decrypted` is the part for a job of your own. README.md says how to ship program and key.
"""

import argparse
import collections
import sys

import pyarrow
import tve
from pyspark.sql import SparkSession
from pyspark.sql.types import StringType, StructField, StructType

# Texts stay texts: without `inferSchema`, a postal code keeps its zeros. Quotes are doubled, as RFC 4180 says, or escaped with
# backslashes, as Spark itself does unless it is told otherwise. The names are those of `tve decrypt --quoting`.
CSV = {"header": True, "inferSchema": False}
ESCAPES = {"csv": '"', "backslash": "\\"}


def decrypted(frame, columns, keys, program="./tve", options=()):
    """The frame with texts in the named columns, and a column `_tve` that is "ok" or the code of the failure.

    A row that fails keeps its values. A column is a text; where it is null or empty, it stays so.
    """
    for column in columns:
        if not isinstance(frame.schema[column].dataType, StringType):
            raise TypeError(f"the column {column} is not a text, so it does not hold encrypted values")

    def work(batches):
        # Batches whose rows are on their way through tve: the first of them is answered first.
        waiting = collections.deque()

        def rows():
            for batch in batches:
                if batch.num_rows:
                    waiting.append(batch)
                yield from batch.select(columns).to_pylist()

        answers = []
        # Spark gives one core to each task. Only the named columns are sent; the others stay as they are.
        for answer in tve.decrypt_rows(rows(), keys=keys, optional_fields=columns, program=program,
                                       options=["--jobs", "1", *options]):
            answers.append(answer)
            if len(answers) == waiting[0].num_rows:
                yield with_answers(waiting.popleft(), columns, answers)
                answers = []

    return frame.mapInArrow(work, StructType([*frame.schema.fields, StructField("_tve", StringType(), False)]))


def with_answers(batch, columns, answers):
    arrays = dict(zip(batch.schema.names, batch.columns))
    for column in columns:
        texts = [answer[column] for answer in answers]
        arrays[column] = pyarrow.array(texts, type=batch.schema.field(column).type)
    marks = ["ok" if answer["_tve"]["ok"] else answer["_tve"]["code"] for answer in answers]
    arrays["_tve"] = pyarrow.array(marks, type=pyarrow.string())
    schema = batch.schema.append(pyarrow.field("_tve", pyarrow.string(), nullable=False))
    return pyarrow.RecordBatch.from_arrays(list(arrays.values()), schema=schema)


def arguments():
    parser = argparse.ArgumentParser(description="Decrypt columns of a DataFrame on a Spark cluster.")
    parser.add_argument("input", help="a table to read: a file, a folder or a pattern")
    parser.add_argument("output", help="a folder to write, which must not exist yet")
    parser.add_argument("--column", action="append", required=True, help="a column to decrypt; may be repeated")
    parser.add_argument("--keys", action="append", required=True,
                        help="a key as the workers find it; may be repeated, the newest first")
    parser.add_argument("--tve", default="./tve", help="the program as the workers find it (default: ./tve, which is "
                                                       "where --files puts it)")
    parser.add_argument("--format", choices=["parquet", "orc", "json", "csv"], default="parquet")
    parser.add_argument("--quoting", choices=list(ESCAPES), default="csv",
                        help="how quotes in CSV are escaped: doubled (csv), or with a backslash as Spark does by default")
    parser.add_argument("--option", action="append", default=[],
                        help="another option for tve, such as --option=--max-failures=1%%; may be repeated")
    return parser.parse_args()


def main():
    args = arguments()
    spark = SparkSession.builder.appName("decrypt-dataframe").getOrCreate()
    # A folder such as zip=02134 is a text, too.
    spark.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", False)
    form = CSV | {"escape": ESCAPES[args.quoting]} if args.format == "csv" else {}
    frame = spark.read.format(args.format).options(**form).load(args.input)
    decrypted(frame, args.column, args.keys, args.tve, args.option).write.format(args.format).options(**form).save(
        args.output)

    answers = spark.read.format(args.format).options(**form).load(args.output)
    codes = {row["_tve"]: row["count"] for row in answers.groupBy("_tve").count().collect()}
    count, expected = sum(codes.values()), frame.count()
    print(f"{count} rows, {count - codes.get('ok', 0)} of them not decrypted")
    spark.stop()
    if count != expected:
        sys.exit(f"{expected} rows went in, and {count} came out")


if __name__ == "__main__":
    main()
