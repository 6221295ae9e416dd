"""Rows, verdicts and single values through the built program."""

import ast
import json
import os
import pathlib
import pickle
import queue
import subprocess
import sys

import pytest

import tve

HERE = pathlib.Path(__file__).resolve().parent
ROWS = int(os.environ.get("TVE_ROWS", 10_000))
LIMIT = 64 * 1024  # KiB resident, of Python and of tve


def test_verdicts_come_in_the_order_of_the_rows(setting, token):
    faulty = setting.issue("--fault", "body-byte-changed")
    kinds = [
        (setting.row(token), "valid"),
        (setting.row(token, resource="REF30"), "valid"),
        (setting.row(token, at=setting.now + 10_000_000), "expired"),
        (setting.row(token, at=setting.now - 10_000_000), "not_yet_valid"),
        (setting.row(token, resource="Other"), "resource_mismatch"),
        (setting.row(token, requestor="Other"), "requestor_mismatch"),
        (setting.row(faulty), "bad_signature"),
        (setting.row("-" + token[:40]), "malformed"),
        (setting.row(17), "bad_row"),
        ({"token": token}, "bad_row"),
        (setting.row("\ud800"), "bad_row"),
    ]
    rows = [(kind | {"id": [number, "é\u2028"]}, code) for number in range(300) for kind, code in kinds]
    verdicts = list(setting.verify_rows(row for row, _ in rows))
    assert [(verdict["code"], verdict["id"]) for verdict in verdicts] == [(code, row["id"]) for row, code in rows]
    assert all(verdict["valid"] == (verdict["code"] == "valid") for verdict in verdicts)
    assert verdicts[0]["claims"]["requestorID"] == "REF30"


def test_each_value_is_decrypted_or_says_why_not(setting, values):
    rows = [{"id": number, "zip": value, "left": [None, 1.5, "é"]} for number, (value, _, _) in enumerate(values * 5)]
    answers = setting.decrypt_rows(iter(rows), fields=["zip"])
    for row, (value, text, code), answer in zip(rows, values * 5, answers):
        mark = answer.pop("_tve")
        assert mark.get("code") == code and mark["ok"] == (code is None)
        assert answer == row | {"zip": value if code else text}
    assert next(answers, "end") == "end"


def test_rows_may_all_fail(setting):
    assert [answer["_tve"]["code"] for answer in setting.decrypt_rows([{"zip": "x"}] * 2, fields="zip")] == ["not_base64"] * 2


def test_optional_fields_keep_what_is_missing(setting, good):
    value, text = good
    rows = [{"zip": None}, {}, {"zip": ""}, {"zip": value}]
    assert [answer for answer in setting.decrypt_rows(rows, optional_fields="zip") if answer.pop("_tve")] == [
        {"zip": None}, {}, {"zip": ""}, {"zip": text}]
    # The same rows without a zip are failures if the field is not optional.
    assert [answer["_tve"]["ok"] for answer in setting.decrypt_rows(rows, fields="zip")] == [False, False, False, True]


def test_fields_are_paths_and_there_may_be_several(setting, good):
    value, text = good
    row = {"user": {"zip": value}, "devices": [{"zip": value}, {"zip": value}], "-zip": value}
    fields = {"fields": ["user.zip", "devices.*.zip"], "optional_fields": ["-zip"]}
    [answer] = setting.decrypt_rows([row], options=["--attribute", "zip"], **fields)
    assert answer.pop("_tve")["ok"]
    assert answer == {"user": {"zip": text}, "devices": [{"zip": text}, {"zip": text}], "-zip": text}


def test_the_summary_is_given_once_and_also_after_too_many_failures(setting, token, good):
    summaries = []
    rows = [{"zip": good[0]}, {"zip": "?"}, {"zip": "?"}]
    list(setting.decrypt_rows(rows, fields="zip", summary=summaries.append))
    assert [(summary["rows"], summary["decrypted"], summary["failed"]) for summary in summaries] == [(3, 1, 2)]
    assert summaries[0]["codes"] == {"decrypted": 1, "not_base64": 2}
    with pytest.raises(tve.ToolFailed) as caught:
        list(setting.decrypt_rows(rows, fields="zip", options=["--max-failures", "1"], summary=summaries.append))
    assert (caught.value.code, summaries[1]["failed"]) == ("too_many_failures", 2)
    list(setting.verify_rows([setting.row(token)], summary=summaries.append))
    assert summaries[2]["rows"] == 1 and len(summaries) == 3
    # Without a run of tve to its end, there is none.
    for _ in setting.decrypt_rows(iter(rows), fields="zip", summary=summaries.append):
        break
    assert len(summaries) == 3


def test_a_refused_token_is_raised_after_the_verdicts_before(setting, token):
    rows = [setting.row(token), setting.row(token), setting.row(token, resource="Other"), setting.row(token)]
    seen = []
    with pytest.raises(tve.TokenRefused) as caught:
        for verdict in setting.verify_rows(rows, failures="raise"):
            seen.append(verdict["code"])
    assert seen == ["valid", "valid"]
    assert (caught.value.row, caught.value.code) == (3, "resource_mismatch")
    assert caught.value.status == "INVALID_RESOURCE_ID"


def test_a_failed_row_is_raised_after_the_rows_before(setting, good):
    seen = []
    with pytest.raises(tve.NotDecrypted) as caught:
        for row in setting.decrypt_rows([{"zip": good[0]}, {"zip": "x"}, {}], fields="zip", failures="raise"):
            seen.append(row["zip"])
    assert seen == [good[1]]
    assert (caught.value.row, caught.value.field, caught.value.code) == (2, "zip", "not_base64")


def test_a_failure_of_a_body_is_raised_with_its_path(setting):
    body = {"attributes": {"zip": {"value": "x", "state": "enc"}}}
    with pytest.raises(tve.NotDecrypted) as caught:
        list(setting.decrypt_rows([body], options=["--input", "profiles"], failures="raise"))
    assert "zip" in caught.value.field and caught.value.code == "not_base64"


def test_failures_takes_two_words(setting):
    with pytest.raises(ValueError):
        setting.verify_rows([], failures="ignore")


@pytest.mark.parametrize("several", [False, True])
def test_no_rows_give_no_answers(setting, several):
    keys = [setting.issuer, str(setting.issuer)] if several else str(setting.issuer)
    assert list(setting.verify_rows([], keys=keys)) == []


def test_large_rows_do_not_block(setting, good):
    # A row is larger than all pipes together, in both directions.
    rows = [{"id": number, "zip": good[0], "ballast": "x" * 1_000_000} for number in range(8)]
    for row, answer in zip(rows, setting.decrypt_rows(iter(rows), fields=["zip"])):
        assert (answer["id"], answer["zip"], len(answer["ballast"])) == (row["id"], good[1], 1_000_000)


def test_a_row_may_wait_for_the_answer_before(setting, token):
    answered = queue.Queue()
    rows = (setting.row(token, id=answered.get(timeout=20)) for _ in range(50))
    answered.put(0)
    for number, verdict in enumerate(setting.verify_rows(rows)):
        assert verdict["id"] == number
        answered.put(number + 1)
    assert number == 49


def test_two_generators_at_once(setting, token, good):
    verdicts = setting.verify_rows(setting.row(token, id=number) for number in range(500))
    rows = setting.decrypt_rows(({"id": number, "zip": good[0]} for number in range(500)), fields=["zip"])
    assert all(verdict["id"] == row["id"] and row["zip"] == good[1] for verdict, row in zip(verdicts, rows))
    assert next(rows, None) is None


def test_one_token(setting, token):
    assert setting.verify(token)["claims"]["resourceID"] == "REF30"
    assert setting.verify(token, requestor=None, resource=None)["valid"]
    assert setting.verify(token, at=setting.now + 420_000, leeway=600_000)["valid"]


@pytest.mark.parametrize("changes, code", [
    ({"resource": "Other"}, "resource_mismatch"),
    ({"requestor": "Other"}, "requestor_mismatch"),
    ({"at": 1_000_000_000_000}, "not_yet_valid"),
    ({"at": 1_700_000_420}, "bad_row"),
    ({"at": None}, "expired"),
    ({"resource": 7}, "bad_row"),
])
def test_one_token_that_is_refused(setting, token, changes, code):
    with pytest.raises(tve.TokenRefused) as caught:
        setting.verify(token, **changes)
    assert caught.value.code == code


@pytest.mark.parametrize("text", ["", "-", "--help", "x", None, 7, "\0"])
def test_no_token(setting, text):
    with pytest.raises(tve.TokenRefused):
        setting.verify(text)


def test_a_token_passes_once_if_asked_for(setting, token, tmp_path):
    options = ["--redeem", f"sqlite:{tmp_path / 'used.sqlite'}"]
    assert setting.verify(token, options=options)["valid"]
    with pytest.raises(tve.TokenRefused) as caught:
        setting.verify(token, options=options)
    assert caught.value.code == "replayed"


def test_one_value(setting, values):
    for value, text, code in values[:12]:
        if text:
            assert setting.decrypt(value) == text
        else:
            with pytest.raises(tve.NotDecrypted) as caught:
                setting.decrypt(value)
            assert caught.value.code == code


@pytest.mark.parametrize("value, code", [("", "wrong_length"), (None, "not_a_string"), (17, "not_a_string")])
def test_no_value(setting, value, code):
    with pytest.raises(tve.NotDecrypted) as caught:
        setting.decrypt(value)
    assert caught.value.code == code


@pytest.mark.parametrize("failure", [
    tve.ToolFailed("tve ended", "killed", -9), tve.TokenRefused("row 3: expired", "expired", "TOKEN_EXPIRED", 3),
    tve.NotDecrypted("row 4: not decrypted", "not_base64", "zip", 4),
])
def test_exceptions_can_be_sent_to_another_process(failure):
    again = pickle.loads(pickle.dumps(failure))
    assert vars(again) == vars(failure) and str(again) == str(failure) and isinstance(again, tve.Error)


def test_rows_wait_outside_of_memory(setting, token):
    given = 0

    def rows():
        nonlocal given
        while True:
            given += 1
            yield setting.row(token, id=given)

    verdicts = setting.verify_rows(rows())
    for answered in range(1, 3_001):
        assert next(verdicts)["id"] == answered
        # What is in between fits into two pipes and the pieces that tve works on.
        assert given - answered < 1_500
    verdicts.close()


def test_memory_is_constant(setting, values):
    """Runs in a process of its own, because pytest needs memory, too. TVE_ROWS=1000000 is the long form."""
    vector = [value for value, text, _ in values if text and text.isdigit()]
    done = subprocess.run([sys.executable, HERE / "memory.py", setting.program, setting.private, str(ROWS)],
                          input=json.dumps(vector), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    print(figures)
    assert figures["rows"] == figures["decrypted"] == ROWS
    assert 0 < figures["python_kib"] < LIMIT and 0 < figures["tve_kib"] < LIMIT


def test_the_oldest_supported_python_reads_the_module():
    ast.parse((HERE / "tve.py").read_text(), feature_version=(3, 9))
