"""Verifies media tokens and decrypts user metadata in Python, with the program `tve`.

    import tve

    for verdict in tve.verify_rows(rows, keys="issuer.pem"):
        print(verdict["id"], verdict["code"])
    for row in tve.decrypt_rows(rows, keys=["new-key.pem", "old-key.pem"], optional_fields=["zip"]):
        print(row["id"], row["zip"], row["_tve"]["ok"])

    verdict = tve.verify(token, keys="issuer.pem", requestor="REF30", resource="REF30")
    text = tve.decrypt(value, keys="private-key.pem", attribute="zip")

Copy this file into your project: it needs Python 3.9 and the program `tve`, and nothing else. Or install the wheel of
`make wheel`, which brings both; then an import fails if the system lacks a library of the program. `program` names
another one than that of the wheel, or than the one in the PATH.

Generators take any iterable of dictionaries, and give one answer for each row, in the same order, while rows still
come. Only a few rows are in memory at a time. `tve help rows` describes rows and answers. The first `next` starts the
program. Closing the generator, or leaving a loop early and dropping the generator, ends it.

A thread takes the rows from the iterable. So an iterable that is bound to its thread, such as a cursor of sqlite3,
needs `check_same_thread=False`. If it raises, the rows before are answered, and then the generator raises the same.

Tokens and values go to `tve` through a pipe, never as arguments, and no exception's text contains one.
"""

import collections
import glob
import json
import os
import re
import subprocess
import sys
import threading

__all__ = ["Error", "NotDecrypted", "TokenRefused", "ToolFailed", "decrypt", "decrypt_rows", "verify", "verify_rows"]

# Seconds in which tve ends after it was told to. After them, it is killed.
STOP_SECONDS = 5
# Exit codes after SIGINT and SIGTERM.
INTERRUPTED = (130, 143)


class Error(Exception):
    """What this module raises. `code` is one of tve's stable codes, or one that the class names."""

    def __init__(self, message, code, *more):
        super().__init__(message, code, *more)  # all of them: pickle calls the class with `args`
        self.code = code

    def __str__(self):
        return f"{self.args[0]} [{self.code}]"


class ToolFailed(Error):
    """tve could not do its work: a bad key, wrong options, too many failures.

    Codes beside its own: `no_program` (cannot be started), `killed` (by a signal), `interrupted` (asked to end),
    `failed` (an exit code without an explanation), `bad_answer` (not an answer of tve), `lost_rows` (fewer or more
    answers than rows).
    `exit_code` is the exit code, negative for a signal as in `subprocess`, or None.
    """

    def __init__(self, message, code, exit_code=None):
        super().__init__(message, code, exit_code)
        self.exit_code = exit_code


class TokenRefused(Error):
    """A token is not valid, or there was no decision (`status` is then `ERROR_UNKNOWN`): do not start the stream.

    `row` is the number of the row, from 1 on. `status` and `code` are those of the verdict.
    """

    def __init__(self, message, code, status, row):
        super().__init__(message, code, status, row)
        self.status, self.row = status, row


class NotDecrypted(Error):
    """A row could not be decrypted. `row` is its number, from 1 on, and `field` the field that failed, or None."""

    def __init__(self, message, code, field, row):
        super().__init__(message, code, field, row)
        self.field, self.row = field, row


def _program():
    """The program of the wheel that this file is from, which may not be in the PATH, or else its name alone."""
    folder = os.path.dirname(os.path.abspath(__file__))
    described = glob.glob(os.path.join(glob.escape(folder), "swift_tve_tokens-*.dist-info", "needs.json"))
    # In the folder of modules itself, as with `pip --target`, or beside `lib/python3.N/site-packages`.
    is_installed = os.path.basename(folder) in ("site-packages", "dist-packages")
    places = [os.path.normpath(os.path.join(folder, above, "bin", "tve")) for above in (".", "../../..")[:2 if is_installed else 1]]
    program = next(filter(os.path.isfile, places), None)
    if not described or not program:
        return "tve"
    with open(described[0], encoding="utf-8") as file:
        lack = _lack(program, **json.load(file))
    if lack:
        raise ImportError(f"tve needs {lack}", name="tve")
    return program


def _lack(program, loader, packages):
    """What the system lacks for the program, and what to do about it, or None.

    The system's loader lists the libraries, and starts nothing of the program. Python may find others: its own.
    """
    try:
        listed = subprocess.run(
            [loader, program], env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False).stdout.decode(errors="replace")
    except FileNotFoundError:
        return f"{loader}, the loader of Debian, RHEL and others with glibc, which this system lacks"
    except OSError:
        return None  # no process can be started now; the first call says so
    missing = re.findall(r"(\S+) => not found", listed)
    if missing:
        commands = [
            " ".join(["sudo", installer, "install", *dict.fromkeys(package_of[one] for one in missing if one in package_of)])
            for installer, package_of in packages.items()]
        return f"{', '.join(missing)}, which this system lacks. Install what has it: {' or '.join(commands)}"
    newer = re.findall(r"([^/\s]+): version `(\S+)' not found", listed)
    if newer:
        versions = ", ".join(f"{version} of {library}" for library, version in newer)
        return f"{versions}, and this system has an older one. Take a wheel that was made on a system as old as this"
    return None


_PROGRAM = _program()


def verify_rows(rows, *, keys, failures="return", options=(), program=_PROGRAM, summary=None):
    """Verifies many tokens: a generator of verdicts.

    rows      dictionaries with `token`, `requestor`, `resource` (None: unchecked), and if wanted `id`, `at`, `leeway`
    keys      certificates or public keys of the issuer: a path, or several
    failures  "return": a refused token is a verdict with `valid` False; "raise": the first one raises TokenRefused
    options   more options of `tve verify --batch`, such as ["--redeem", "sqlite:used.sqlite"]
    summary   called with the batch's summary, a dictionary of counts, when tve has ended by itself
    """
    run = _Run(program, ["verify", *_each("--keys", keys), *options], rows, summary)
    return _answers(run, _expect_valid if _raises(failures) else None)


def decrypt_rows(
        rows, *, keys, fields=(), optional_fields=(), failures="return", options=(), program=_PROGRAM, summary=None):
    """Decrypts fields of many rows: a generator of the rows with texts in the places of values.

    rows             dictionaries that JSON can hold
    keys             your private keys, the newest first: a path, or several
    fields           names or paths of fields (`user.zip`, `devices.*.zip`) that each row has
    optional_fields  the same for fields that a row may lack, or hold None or "" in
    failures         "return": the member `_tve` of each row says whether and why it failed, and a failed row is
                     otherwise unchanged; "raise": the first one raises NotDecrypted
    options          more options of `tve decrypt --batch`, such as ["--max-failures", "1%"], but not --on-error
    summary          called with the batch's summary, a dictionary of counts, when tve has ended by itself
    """
    named = [*_each("--field", fields), *_each("--optional-field", optional_fields)]
    run = _Run(program, ["decrypt", *_each("--keys", keys), *named, *options], rows, summary)
    return _answers(run, _expect_decrypted if _raises(failures) else None)


def verify(token, *, keys, requestor, resource, at=None, leeway=0, options=(), program=_PROGRAM):
    """Verifies one token, and returns the verdict with its `claims`; raises TokenRefused unless it is valid.

    `requestor` and `resource` say what it must be for; None leaves it unchecked. `at` is a time to verify as of, in
    milliseconds since 1970, and `leeway` are milliseconds after expiry. Each call starts a process.
    """
    row = {"token": token, "requestor": requestor, "resource": resource, "leeway": leeway}
    if at is not None:
        row["at"] = at
    [verdict] = verify_rows([row], keys=keys, failures="raise", options=options, program=program)
    return verdict


def decrypt(value, *, keys, attribute, options=(), program=_PROGRAM):
    """Decrypts one value in Base64, and returns its text; raises NotDecrypted. Each call starts a process.

    `attribute` is what the value is of, such as "zip": a text counts only if it looks like one.
    """
    options = ["--attribute", attribute, *options]
    rows = decrypt_rows(
        [{"value": value}], keys=keys, fields="value", failures="raise", options=options, program=program)
    [row] = rows
    return row["value"]


def _each(option, values):
    values = [values] if isinstance(values, (str, os.PathLike)) else values
    return [f"{option}={os.fspath(value)}" for value in values]


def _raises(failures):
    if failures not in ("return", "raise"):
        raise ValueError('failures is "return" or "raise"')
    return failures == "raise"


def _expect_valid(verdict, row):
    if verdict.get("valid") is not True:
        raise TokenRefused(f"row {row}: {verdict.get('detail')}", verdict.get("code"), verdict.get("status"), row)


def _expect_decrypted(answer, row):
    mark = answer.get("_tve", {})
    if mark.get("ok") is not True:
        # Bodies of a service have a list of failures.
        failure = mark.get("failures", [mark])[0]
        field = failure.get("field", failure.get("path"))
        place = f"row {row}, field {field}" if field else f"row {row}"
        raise NotDecrypted(f"{place}: not decrypted", failure.get("code"), field, row)


def _answers(run, expect):
    run.start()
    row = 0
    try:
        for line in run.process.stdout:
            if not line.endswith(b"\n"):
                break  # tve was killed in the middle of a line; its exit code says so
            row += 1
            answer = _parsed(line)
            if expect:
                expect(answer, row)
            yield answer
        run.finish(row)
    except GeneratorExit:
        run.stop()
        # After Ctrl-C, the interrupt itself is the news.
        if run.own_end not in INTERRUPTED:
            run.expect_no_failure()
        raise
    finally:
        run.stop()


def _parsed(line):
    try:
        answer = json.loads(line)
    except ValueError:
        answer = None  # raised below, because the exception at hand holds the line
    if not isinstance(answer, dict):
        raise ToolFailed("the program answered with something other than a JSON object; is it tve?", "bad_answer")
    return answer


class _Run:
    """A process of tve, with a thread that gives it the rows, and one that reads what it says on standard error.

    Without them, both sides would wait for each other as soon as a pipe is full.
    """

    def __init__(self, program, arguments, rows, summary):
        command, *arguments = arguments
        # The caller gets each failed row, and judges them; unless told, tve judges only whether all failed.
        if not any(argument.startswith("--max-failures") for argument in arguments):
            arguments.append("--max-failures=100%")
        self.command = [os.fspath(program), command, "--batch", "--output=json", *arguments]
        self.rows = rows
        self.summary = summary
        self.process = None
        self.given = 0
        self.input_failure = None
        self.said = collections.deque(maxlen=10)
        # The exit code if tve ended before it was told to, or None.
        self.own_end = None

    def start(self):
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        try:
            self.process = subprocess.Popen(self.command, **pipes)
        except OSError as failure:
            reason = f"{self.command[0]} cannot be started ({failure.strerror}); name it with program="
            raise ToolFailed(reason, "no_program") from failure
        self.giver = threading.Thread(target=self.give_rows, daemon=True)
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.giver.start()
        self.listener.start()

    def give_rows(self):
        pipe = self.process.stdin
        try:
            for row in self.rows:
                if not isinstance(row, dict):
                    raise TypeError(f"a row is a dictionary, not a {type(row).__name__}")
                line = json.dumps(row, allow_nan=False).encode() + b"\n"
                self.given += 1
                try:
                    pipe.write(line)
                    # The iterable may wait for the answer before it gives the next row.
                    pipe.flush()
                except BrokenPipeError:
                    return  # the exit code says why
        except BaseException as failure:
            self.input_failure = failure
        finally:
            try:
                pipe.close()
            except BrokenPipeError:
                pass

    def listen(self):
        with self.process.stderr as lines:
            for line in lines:
                self.said.append(line)

    def finish(self, answered):
        """Waits for the end, and raises what went wrong: in the iterable of rows, or in tve."""
        self.own_end = self.process.wait()
        self.process.stdout.close()
        self.listener.join()
        if self.own_end == 0:
            # tve has seen the end of the rows. Another program may not have, and the iterable may wait for ever.
            self.giver.join(STOP_SECONDS)
        if self.input_failure:
            raise self.input_failure
        self.give_summary()
        self.expect_no_failure()
        if answered != self.given:
            raise ToolFailed(f"{self.given} rows went in, and {answered} came out", "lost_rows", self.own_end)

    def stop(self):
        """Ends tve if it is still running."""
        if self.process.returncode is not None:
            return
        self.own_end = self.process.poll()
        self.process.stdout.close()  # tve must not wait for a reader
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        # The other thread ends with its next row, which may not come. When Python itself ends, both have stopped.
        if not sys.is_finalizing():
            self.listener.join()

    def expect_no_failure(self):
        """Raises ToolFailed if tve ended by itself, and with an error."""
        if not self.own_end:
            return
        code, detail = "failed", ""
        if self.own_end in INTERRUPTED:
            code, detail = "interrupted", "it was asked to end"
        elif self.own_end < 0:
            code, detail = "killed", f"signal {-self.own_end}"
        elif self.said:
            code, detail = self.explanation()
        raise ToolFailed(f"tve ended with exit code {self.own_end}: {detail}", code, self.own_end)

    def give_summary(self):
        """Hands on the last line of standard error that is an object with counts of rows."""
        for line in reversed(self.said) if self.summary else ():
            try:
                counts = json.loads(line)
            except ValueError:
                continue
            if isinstance(counts, dict) and "rows" in counts:
                self.summary(counts)
                return

    def explanation(self):
        for line in reversed(self.said):
            try:
                error = json.loads(line)["error"]
                return error["code"], error["detail"]
            except (ValueError, KeyError, TypeError):
                continue
        # Something else spoke, such as the system's loader about a missing library.
        return "failed", self.said[-1].decode(errors="replace").strip()[:300]
