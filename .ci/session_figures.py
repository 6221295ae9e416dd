#!/usr/bin/env python3
"""Measures what a segment costs at the service: one with a playback session, beside a request without anything.

    python3 .ci/session_figures.py PATH-OF-TVE PATH-OF-BareRoute [OTHER-TVE ITS-SERVE.JSON]

Prints microseconds of processor time for each request, medians of interleaved rounds; another version can be measured in the
same run, with its example of settings. Needs wrk, and what service_check.py needs.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from service_check import Program, Service, Tokens, ask, expect, free_port, processor_time, until

ROUNDS, SECONDS = 7, 3
URI = "/live/demo/1.ts"


def cost(program, port, headers, path="/v1/authz", script=None):
    """Microseconds of processor time of a server for each request of 32 connections."""
    fields = [part for name, value in headers.items() for part in ("--header", f"{name}: {value}")]
    fields += ["--script", script] if script else []
    before = processor_time(program)
    run = subprocess.run(
        ["wrk", "--threads", "1", "--connections", "32", "--duration", f"{SECONDS}s", *fields,
         f"http://127.0.0.1:{port}{path}"], check=True, capture_output=True, text=True, timeout=SECONDS + 60)
    spent = processor_time(program) - before
    count = int(next(line for line in run.stdout.splitlines() if "requests in" in line).split()[0])
    return spent / count * 1e6


def kinds_of(name, tve, folder, tokens, examples):
    """The servers and header fields to measure."""
    service = Service(tve, folder, name, "memory:", examples=examples, log={"level": "error"})
    question = {"token": tokens.issue("--ttl", "3600"), "requestor": "REF30", "resource": None}
    _, fields, _ = ask(service.port, "/v1/playback-sessions", method="POST", body=json.dumps(question))
    session = {"X-Original-URI": URI, "Cookie": fields["Set-Cookie"].split(";")[0]}
    expect(f"a segment with a session, {name}", ask(service.port, "/v1/authz", session)[0], 200)
    expect(f"a segment without, {name}", ask(service.port, "/v1/authz", {"X-Original-URI": URI})[0], 401)
    kinds = {f"{name}: with a session": (service.program, service.port, session),
             f"{name}: without token and session": (service.program, service.port, {"X-Original-URI": URI})}
    if examples is None:
        text = json.dumps({"session": session["Cookie"].split("=", 1)[1]})
        path = "/v1/playback-sessions/renew"
        expect("a renewal", ask(service.port, path, method="POST", body=text)[0], 200)
        script = folder / "renew.lua"
        script.write_text(f"wrk.method = \"POST\"\nwrk.body = '{text}'\n")
        kinds[f"{name}: a renewal"] = (service.program, service.port, {}, path, script)
    return kinds


def bare_kind(bare_route, folder, *how):
    """A server that answers every request at once."""
    port = free_port()
    program = Program("bare", bare_route, port, *how, folder=folder)
    until("the bare route listens", lambda: ask(port, "/v1/authz")[0] == 200)
    return program, port, {"X-Original-URI": URI}


def main():
    tve, bare_route, *other = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="tve-sessions-") as name:
        folder = pathlib.Path(name)
        (folder / "session.key").write_bytes(bytes(range(32)))
        try:
            kinds = kinds_of("this version", tve, folder, Tokens(tve), None)
            if other:
                kinds |= kinds_of("the other version", other[0], folder, Tokens(tve), pathlib.Path(other[1]))
            kinds["a bare Hummingbird route"] = bare_kind(bare_route, folder)
            kinds["a bare NIO handler"] = bare_kind(bare_route, folder, "nio")
            found = {name: [] for name in kinds}
            for _ in range(ROUNDS + 1):
                for name, kind in kinds.items():
                    found[name].append(cost(*kind))
        finally:
            for program in list(Program.running):
                program.stop()
    # The first round warms up.
    found = {name: statistics.median(values[1:]) for name, values in found.items()}
    for name, value in found.items():
        print(f"{name}: {value:.1f} µs")
    with_session, without = (found[f"this version: {kind}"] for kind in ("with a session", "without token and session"))
    print(f"with a session ÷ without: {with_session / without:.2f}")
    if other:
        print(f"without, this version ÷ the other one: {without / found['the other version: without token and session']:.2f}")


if __name__ == "__main__":
    main()
