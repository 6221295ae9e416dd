"""Programs that are missing, wrong or killed; keys that are bad; generators that are left; secrets in texts."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import traceback

import pytest

import tve

HERE = pathlib.Path(__file__).resolve().parent


def child():
    """The process that the module has started."""
    return int(pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()[0])


def endless(row):
    while True:
        yield row


def failure_of(rows):
    with pytest.raises(tve.ToolFailed) as caught:
        list(rows)
    return caught.value


def test_a_missing_program(setting, tmp_path):
    for program in (tmp_path / "tve", "no-such-program", tmp_path):
        failure = failure_of(setting.verify_rows([], program=program))
        assert failure.code == "no_program" and str(program) in str(failure) and failure.exit_code is None


def test_a_file_that_is_not_a_program(setting, tmp_path):
    (tmp_path / "tve").write_text("text")
    assert failure_of(setting.verify_rows([], program=tmp_path / "tve")).code == "no_program"


@pytest.mark.parametrize("text, code, exit_code", [
    ("cat >/dev/null", "lost_rows", 0),
    ("exit 0", "lost_rows", 0),
    ("cat >/dev/null; echo '[1]'", "bad_answer", None),
    ("sed 's/^/x/'", "bad_answer", None),
    ("cat >/dev/null; echo '{}'; echo '{}'; echo '{}'", "lost_rows", 0),
    ("echo 'error while loading shared libraries' >&2; exit 127", "failed", 127),
    ("exit 3", "failed", 3),
    ("""read -r row; echo '{"error": "text"}' >&2; exit 69""", "failed", 69),
    ("""read -r row; printf '{"valid": tr'; kill -9 $$""", "killed", -9),
    ("""read -r row; echo '{}'; kill -15 $$""", "killed", -15),
])
def test_another_program(setting, script, text, code, exit_code):
    failure = failure_of(setting.verify_rows([{"token": "SECRET"}] * 2, program=script(text)))
    assert (failure.code, failure.exit_code) == (code, exit_code)
    assert "SECRET" not in written(failure)


def test_the_loader_is_quoted(setting, script):
    program = script("echo 'libcrypto.so.3: cannot open shared object file' >&2; exit 127")
    assert "libcrypto.so.3" in str(failure_of(setting.verify_rows([], program=program)))


def test_much_on_standard_error_does_not_block(setting, script):
    program = script(f"yes warning | head -c 1000000 >&2; exec {setting.program} \"$@\"")
    assert list(setting.decrypt_rows([{}], optional_fields="zip", program=program)) == [{"_tve": {"ok": True}}]


@pytest.mark.parametrize(
    "name, code, exit_code", [("no-such-key.pem", "no_such_file", 66), ("README.md", "unreadable_key", 78)])
def test_bad_keys(setting, name, code, exit_code):
    # More rows than a pipe holds: tve ends without reading them.
    rows = setting.decrypt_rows([{"zip": "x"}] * 100_000, fields="zip", keys=setting.private.parent / name)
    failure = failure_of(rows)
    assert (failure.code, failure.exit_code) == (code, exit_code) and name in str(failure)


@pytest.mark.parametrize("changes", [{"fields": []}, {"options": ["--typo"]}, {"keys": []}, {"fields": "a..b"}])
def test_wrong_options(setting, changes):
    failure = failure_of(setting.decrypt_rows([{}], **{"fields": "zip", **changes}))
    assert failure.exit_code == 64


def test_too_many_failures(setting, good):
    rows = [{"zip": good[0]}, {"zip": "x"}, {"zip": "x"}]
    failure = failure_of(setting.decrypt_rows(rows, fields="zip", options=["--max-failures", "1"]))
    assert (failure.code, failure.exit_code) == ("too_many_failures", 2)
    assert len(list(setting.decrypt_rows(rows, fields="zip", options=["--max-failures", "2"]))) == 3


def test_rows_that_tve_leaves_out_are_noticed(setting):
    rows = setting.decrypt_rows([{"zip": "x"}, {"zip": ""}], optional_fields="zip", options=["--on-error=skip"])
    assert failure_of(rows).code == "lost_rows"


@pytest.mark.parametrize("number, codes", [(signal.SIGKILL, {-9}), (signal.SIGTERM, {143}), (signal.SIGINT, {130})])
def test_a_killed_program_is_an_exception(setting, number, codes):
    rows, seen = setting.decrypt_rows(endless({}), optional_fields="zip"), 0
    with pytest.raises(tve.ToolFailed) as caught:
        for _ in rows:
            seen += 1
            if seen == 100:
                os.kill(child(), number)
    assert caught.value.exit_code in codes and seen >= 100
    assert caught.value.code == ("killed" if number == signal.SIGKILL else "interrupted")
    assert next(rows, "end") == "end"


def test_a_program_that_dies_while_the_rows_wait(setting):
    release = threading.Event()

    def rows():
        yield {}
        release.wait(30)

    answers = setting.decrypt_rows(rows(), optional_fields="zip")
    next(answers)
    os.kill(child(), signal.SIGKILL)
    start = time.monotonic()
    assert failure_of(answers).code == "killed"
    assert time.monotonic() - start < 3
    release.set()


@pytest.mark.parametrize("leave", ["close", "break", "raise", "drop"])
def test_a_generator_that_is_left_ends_the_program(setting, leave):
    rows = setting.decrypt_rows(endless({"ballast": "x" * 1000}), optional_fields="zip")
    next(rows)
    process = child()
    if leave == "close":
        rows.close()
    elif leave == "raise":
        with pytest.raises(ZeroDivisionError):
            rows.throw(ZeroDivisionError())
    elif leave == "break":
        for _ in rows:
            break
        del rows
    else:
        del rows
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_a_generator_that_is_not_started_starts_nothing(setting):
    rows = setting.decrypt_rows(endless({}), optional_fields="zip", program="no-such-program")
    rows.close()


def test_closing_does_not_wait_for_the_next_row(setting):
    release = threading.Event()

    def rows():
        yield {}
        release.wait(30)

    answers = setting.decrypt_rows(rows(), optional_fields="zip")
    next(answers)
    start = time.monotonic()
    answers.close()
    assert time.monotonic() - start < 3
    release.set()


def test_closing_after_the_program_died_says_so(setting):
    rows = setting.decrypt_rows(endless({}), optional_fields="zip")
    next(rows)
    os.kill(child(), signal.SIGKILL)
    time.sleep(0.5)
    with pytest.raises(tve.ToolFailed) as caught:
        rows.close()
    assert caught.value.exit_code == -9


def test_a_program_that_does_not_end_is_killed(setting, script, monkeypatch):
    monkeypatch.setattr(tve, "STOP_SECONDS", 0.3)
    program = script("trap '' TERM PIPE; echo '{}'; while :; do sleep 0.1; done 2>/dev/null >&2")
    rows = setting.verify_rows(endless({}), program=program)
    next(rows)
    start = time.monotonic()
    rows.close()
    assert 0.2 < time.monotonic() - start < 3


def test_the_rows_before_a_failing_iterable_are_answered(setting):
    def rows():
        yield from [{"id": 1}, {"id": 2}]
        raise BrokenPipeError("of the caller's own")

    seen = []
    with pytest.raises(BrokenPipeError, match="of the caller's own"):
        for row in setting.decrypt_rows(rows(), optional_fields="zip"):
            seen.append(row["id"])
    assert seen == [1, 2]


@pytest.mark.parametrize("row, failure", [
    (["token"], TypeError), ("token", TypeError), (None, TypeError), ({"a": {1}}, TypeError),
    ({"a": float("nan")}, ValueError), ({("a",): 1}, TypeError)])
def test_rows_that_json_cannot_hold(setting, row, failure):
    answers = setting.decrypt_rows([{"id": 1}, row], optional_fields="zip")
    assert next(answers)["id"] == 1
    with pytest.raises(failure):
        next(answers)


def test_rows_that_are_not_iterable(setting):
    with pytest.raises(TypeError):
        list(setting.verify_rows(7))


def written(failure):
    """All that a log would hold of an exception."""
    return "".join(traceback.format_exception(type(failure), failure, failure.__traceback__)) + repr(failure.args)


def test_no_secret_in_a_text_or_among_the_arguments(setting, token, values, script, tmp_path):
    record = tmp_path / "arguments"
    program = script(f'printf "%s\\n" "$0" "$@" >> {record}; env >> {record}; exec {setting.program} "$@"')
    failures = []
    secret = next(value for value, _, code in values if code == "undecryptable")
    calls = [
        lambda: setting.verify(token, resource="Other", program=program),
        lambda: setting.verify("x" + token, program=program),
        lambda: setting.verify(token, keys="no-such-key.pem", program=program),
        lambda: setting.verify(token, options=["--typo"], program=program),
        lambda: setting.decrypt(secret, program=program),
        lambda: setting.decrypt(secret + "!", program=program),
        lambda: list(setting.verify_rows([setting.row(token), [token]], program=program)),
        lambda: list(setting.verify_rows([setting.row(token)], program=script(f"printf '%s' '{token}x'; echo"))),
    ]
    for call in calls:
        with pytest.raises((tve.Error, TypeError)) as caught:
            call()
        failures.append(written(caught.value))
    assert len(set(failures)) == len(calls)
    for text in [*failures, record.read_text()]:
        for part in (token, secret):
            assert part not in text and part[20:60] not in text
    assert record.read_text().count("--batch") == len(calls) - 1


SCRIPT = """
import sys, tve
program, key, way = sys.argv[1:]
rows = tve.decrypt_rows(iter(dict, None), keys=key, optional_fields="zip", program=program)
next(rows)
print("started", flush=True)
if way == "interrupt":
    for row in rows:
        pass
"""


@pytest.mark.parametrize("way", ["exit", "interrupt", "kill"])
def test_the_program_ends_with_python(setting, way):
    command = [sys.executable, "-c", SCRIPT, setting.program, setting.private, "interrupt" if way == "kill" else way]
    python = subprocess.Popen(command, cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    assert python.stdout.readline() == b"started\n"
    if way == "interrupt":
        os.killpg(python.pid, signal.SIGINT)
    elif way == "kill":
        python.kill()
    errors = python.communicate(timeout=20)[1].decode()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.killpg(python.pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.05)
    else:
        os.killpg(python.pid, signal.SIGKILL)
        pytest.fail("tve is still running")
    if way == "exit":
        assert (python.returncode, errors) == (0, "")
    elif way == "interrupt":
        assert python.returncode != 0 and errors.strip().endswith("KeyboardInterrupt")
        assert "Exception ignored" not in errors
