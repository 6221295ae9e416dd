#!/usr/bin/env python3
"""Checks Examples/service/monitoring: the rules with promtool, and with a Prometheus that scrapes a running service.

    python3 .ci/monitoring_check.py PATH-OF-TVE

Needs prometheus and promtool (Debian: prometheus) and redis-server. Everything listens on loopback.
"""

import json
import pathlib
import re
import signal
import subprocess
import sys
import urllib.parse

from service_check import (
    EXAMPLES, KEYS, Program, Redis, Service, Tokens, ask, certificate, check_folder, expect, free_port, start_gateway, until)

FOLDER = EXAMPLES / "monitoring"


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=FOLDER)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def check_rules():
    found = run("promtool", "check", "rules", "recording.yml", "alerts.yml")
    run("promtool", "test", "rules", "rules_test.yml")
    run("promtool", "check", "config", "prometheus.yml")
    # An alert that no test fires may have an expression that is never true.
    alerts = set(re.findall(r"alert: (\w+)", (FOLDER / "alerts.yml").read_text()))
    tests = (FOLDER / "rules_test.yml").read_text()
    fired = {name for name, rest in re.findall(r"alertname: (\w+)\n( +exp_alerts:\n +- )", tests)}
    expect("alerts that no test fires", sorted(alerts - fired), [])
    print("promtool:", " and ".join(re.findall(r"\d+ rules found", found)), "and tested")


class Prometheus:
    """A Prometheus with the configuration of the example, which scrapes and evaluates every second."""

    def __init__(self, folder, targets):
        text = (FOLDER / "prometheus.yml").read_text().replace("15s", "1s").replace(
            '["127.0.0.1:8081"]', json.dumps([f"127.0.0.1:{target}" for target in targets]))
        text = re.sub(r"- (\w+\.yml)", lambda found: f"- {FOLDER / found.group(1)}", text)
        file, self.port = folder / "prometheus.yml", free_port()
        file.write_text(text)
        self.program = Program(
            "prometheus", "prometheus", f"--config.file={file}", f"--storage.tsdb.path={folder / 'tsdb'}",
            f"--web.listen-address=127.0.0.1:{self.port}", "--log.level=warn", folder=folder)
        until("prometheus is ready", lambda: ask(self.port, "/-/ready")[0] == 200, 60)

    def ask(self, path, **parameters):
        status, _, content = ask(self.port, f"/api/v1/{path}?{urllib.parse.urlencode(parameters)}")
        answer = json.loads(content)
        assert status == 200 and answer["status"] == "success", f"{path} {parameters}: {answer}"
        return answer["data"]

    def query(self, text):
        return self.ask("query", query=text)["result"]


def check_dashboard(prometheus, job, metrics):
    """Runs each query, which has to find something if all its metrics are there, as selected by their own labels."""
    dashboard = json.loads((FOLDER / "dashboard.json").read_text())
    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    found, empty = 0, []
    for panel in panels:
        for target in panel["targets"]:
            query = target["expr"].replace("$job", job)
            assert "$" not in query, f"{panel['title']}: an unknown variable in {query}"
            selectors = re.findall(r"(\w+\{[^}]*\})", query)
            assert selectors, query
            expected = all(prometheus.query(selector) for selector in selectors)
            # A series that has just begun has no rate before it was seen twice.
            until(f"{panel['title']} {'shows' if expected else 'lacks'} {query}",
                  lambda: bool(prometheus.query(query)) == expected)
            result = prometheus.query(query)
            found += bool(result)
            empty += [] if result else [panel["title"]]
            for selector in selectors:
                name = selector.split("{")[0]
                assert f"# TYPE {re.sub('_(bucket|count|sum)$', '', name)} " in metrics or "_gateway_" in name, name
    # No app has played anything here, and the broker had no reason to hold requests back.
    known = {"Plays by outcome", "Plays denied or failed, by provider"}
    expect("panels that show nothing", sorted(set(empty) - known), [])
    return len(panels), found


def check_running(tve, folder):
    (folder / "session.key").write_bytes(bytes(range(32)))
    tokens = Tokens(tve)
    redis = Redis(folder)
    simulator, gateway = start_gateway(tve, folder, "watched")
    service = Service(
        tve, folder, "verifier", redis.address,
        keys={"paths": [str(KEYS / "test-only-issuer-2048.spki.pem"), certificate(folder, 10)]},
        store={"address": redis.address}, log={"level": "info"}, reload={"intervalSeconds": 1})
    prometheus = Prometheus(folder, [service.internal, gateway.internal])
    # A count that has grown before it was first seen has no rate.
    until("both are scraped", lambda: prometheus.query("count(tve_build_info) == 2"), 60)
    for token in (tokens.issue(), "nonsense"):
        service.authorize(token)
    ask(gateway.port, "/v1/authz")
    sender = {"Content-Type": "application/json", "X-Client-Address": "192.0.2.1"}
    device = json.loads(ask(gateway.port, "/v1/devices", sender, "POST", '{"app": "tv"}')[2])["deviceToken"]
    sender["Authorization"] = f"Bearer {device}"
    for path in ("/v1/authentication", "/v1/plays"):
        ask(gateway.port, path, sender, "POST", "{}")
    service.program.process.send_signal(signal.SIGHUP)
    until("a reload is seen", lambda: prometheus.query("tve_reload_success == 1"), 60)
    until("rates are known", lambda: prometheus.query('rate(tve_verdicts_total{code="valid"}[5m]) > 0'), 60)
    until("the broker was called", lambda: prometheus.query("sum(rate(tve_broker_calls_total[5m])) > 0"), 60)
    until("rules are evaluated", lambda: prometheus.query("tve:requests:rate5m > 0"), 60)
    metrics = "".join(ask(one.internal, "/metrics")[2].decode() for one in (service, gateway))
    families, helped = set(re.findall(r"# TYPE (\S+)", metrics)), set(re.findall(r"# HELP (\S+) \S", metrics))
    expect("families without HELP", sorted(families - helped), [])
    checked = subprocess.run(
        ["promtool", "check", "metrics"], input=ask(service.internal, "/metrics")[2], capture_output=True, timeout=60)
    expect(f"promtool check metrics: {checked.stdout}{checked.stderr}", checked.returncode, 0)
    panels, found = check_dashboard(prometheus, "tve", metrics)
    rules = [rule for group in prometheus.ask("rules")["groups"] for rule in group["rules"]]
    expect("rules that cannot be evaluated", [rule["name"] for rule in rules if rule["health"] == "err"], [])
    pending = lambda name: prometheus.query(f'ALERTS{{alertname="{name}"}}')
    until("the alert of the certificate is pending", lambda: pending("TVEKeyExpires"), 30)
    # An outage is seen without any traffic.
    redis.program.stop(signal.SIGKILL)
    until("the alert of the store is pending", lambda: pending("TVEStoreDown"), 60)
    redis.start()
    until("the store is up again", lambda: not prometheus.query("tve_store_up == 0"), 60)
    log = [json.loads(line) for line in service.program.log.read_text().splitlines() if line.startswith("{")]
    lines = [line for line in log if line["message"] in ("a store fails", "a store answers again")]
    expect("lines about the outage", [line["message"] for line in lines], ["a store fails", "a store answers again"])
    assert "redis://" in lines[0]["cause"] and int(lines[1]["seconds"]) >= 1, lines
    for program in (prometheus.program, service.program, gateway.program, simulator, redis.program):
        program.stop()
    expect("the last line", json.loads(service.program.log.read_text().splitlines()[-1])["message"], "stopped")
    print(f"prometheus: {len(families)} families with HELP, {len(rules)} rules evaluated, {panels} panels, {found} queries "
          "found something; an outage of the store seen, and its end")


def main():
    tve = str(pathlib.Path(sys.argv[1]).resolve())
    check_rules()
    with check_folder("monitoring") as folder:
        check_running(tve, folder)


if __name__ == "__main__":
    main()
