#!/usr/bin/env python3
"""Decrypts fields of many rows on a Spark cluster: each partition goes through `tve decrypt --batch`.

    spark-submit --files tve,private-key.pem decrypt_metadata.py \
        --field zip --keys ./private-key.pem INPUT OUTPUT

INPUT and OUTPUT are NDJSON text in a place that all workers can reach. README.md says how to ship program and key.
"""

import argparse
import shlex
import sys

from pyspark.sql import SparkSession


def arguments():
    parser = argparse.ArgumentParser(description="Decrypt fields of many rows on a Spark cluster.")
    parser.add_argument("input", help="rows to read: a file, a folder or a pattern")
    parser.add_argument("output", help="a folder to write, which must not exist yet")
    parser.add_argument("--field", action="append", default=[],
                        help="a field to decrypt; may be repeated; none with --option=--input --option=profiles")
    parser.add_argument("--optional-field", action="append", default=[],
                        help="the same for a field that a row may lack, or hold null or nothing in; may be repeated")
    parser.add_argument("--keys", action="append", required=True,
                        help="a key as the workers find it; may be repeated, the newest first")
    parser.add_argument("--tve", default="./tve", help="the program as the workers find it (default: ./tve, which is "
                                                       "where --files puts it)")
    parser.add_argument("--option", action="append", default=[],
                        help="another option for tve, such as --option=--parse; may be repeated")
    parser.add_argument("--partitions", type=int, help="split the input into at least this many parts")
    return parser.parse_args()


def main():
    args = arguments()
    spark = SparkSession.builder.appName("decrypt-metadata").getOrCreate()
    context = spark.sparkContext

    # Spark gives one core to each task, so each tve uses one. A partition without a good row is no failure of the job.
    command = [args.tve, "decrypt", "--batch", "--jobs", "1", *args.option]
    judges = any(option.startswith("--max-failures") for option in args.option)
    if not judges:
        command.append("--max-failures=100%")
    if args.field:
        command += ["--field", *args.field]
    if args.optional_field:
        command += ["--optional-field", *args.optional_field]
    command += ["--keys", *args.keys]
    rows = context.textFile(args.input, args.partitions)
    # Without checkCode, a program that ends with an error (no such key, say) would leave its partition empty, and the
    # job would succeed.
    rows.pipe(shlex.join(command), checkCode=True).saveAsTextFile(args.output)

    answers = context.textFile(args.output)
    failed = answers.filter(lambda answer: '"_tve":{"ok":false' in answer).count()
    count, expected = answers.count(), rows.count()
    print(f"{count} rows, {failed} of them not decrypted")
    spark.stop()
    # One row in, one row out. With --on-error skip (or --on-error=skip) fewer come out, so there is nothing to compare.
    skips = "--on-error skip" in " ".join(args.option).replace("=", " ")
    if count != expected and not skips:
        sys.exit(f"{expected} rows went in, and {count} came out")
    # A body of a service may be decrypted in part, and is then no failure.
    if (args.field or args.optional_field) and not judges and expected and failed == count:
        sys.exit("not one row was decrypted; if that is meant, say --option=--max-failures=100%")


if __name__ == "__main__":
    main()
