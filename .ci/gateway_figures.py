#!/usr/bin/env python3
"""Measures what the gateway costs, with a real Redis and a simulated broker on this machine.

    python3 .ci/gateway_figures.py PATH-OF-TVE [PATH-OF-BareRoute]

TVE_ONLY=costs,plays,latency,polls,day,household chooses, and TVE_COUNT says how many requests are measured. Needs
redis-server and openssl, and what service_check.py needs. Clients, broker, Redis and gateway share the machine, so times by the
clock depend on all of them; processor time is the gateway's alone, in its own code and in the kernel. Load averages stand
beside the figures.
"""

import asyncio
import os
import pathlib
import statistics
import subprocess
import sys
import time
import urllib.parse

from gateway.app import RETURN_TO, App
from gateway.bench import CHANNELS, PROVIDER, USERS, Bench
from gateway.wire import Connection
from gateway_check import address, all_of
from service_check import Program, ask, check_folder, free_port, processor_time, until

COUNT = int(os.environ.get("TVE_COUNT", "1000"))
ROUNDS = 5
LOGINS_PER_SECOND = 100
# A release day: subscribers in each second, for so many seconds; and a wave that comes at once.
DAY_RATE, DAY_SECONDS, WAVE = int(os.environ.get("TVE_DAY_RATE", "25")), 60, 500
HOUSEHOLD = 8


def loads():
    return "load average " + "/".join(f"{load:.1f}" for load in os.getloadavg())


def in_an_hour(seconds):
    """How often two cores do in an hour what takes so many seconds of processor time, in thousands."""
    return f"{2 * 3600 / seconds // 1000 * 1000:,.0f}"


def parts(values):
    """Median, p99 and maximum."""
    values = sorted(values)
    return values[len(values) // 2], values[int(len(values) * 0.99)], values[-1]


class Direct(App):
    """An app that asks a replica directly, and says in the trusted header where it is."""

    def __init__(self, bench, number, shared=None):
        super().__init__(f"http://127.0.0.1:{bench.replicas[0].port}", number,
                         headers={"X-Forwarded-For": shared or address(number), "X-Client-Port": "4711"})
        # One for each, so that no two tokens are the same.
        self.bench, self.channel = bench, f"Channel{number}"

    async def begin(self):
        step = await self.ask("POST", "/v1/authentication", {"mvpd": PROVIDER, "returnTo": RETURN_TO})
        assert step["code"] == "open", step
        self.login = step["url"]

    async def log_in(self):
        """Logs in at the provider; keeps the path of the gateway that the browser comes back to."""
        self.logins += 1
        broker = Connection(self.bench.simulator.url)
        form = urllib.parse.urlencode({"code": self.login.rsplit("/", 1)[1], "user": USERS[self.number % len(USERS)]})
        answer = await broker.ask(
            "POST", "/sim/login", {"Content-Type": "application/x-www-form-urlencoded"}, form.encode())
        assert answer.status in (302, 303), answer.status
        self.back = urllib.parse.urlsplit(answer.field("location")).path
        # Otherwise the broker has a connection open for each device.
        broker.close()

    async def come_back(self):
        """The browser comes back, and the app proves it."""
        answer = await self.wire.ask("GET", self.back, self.headers)
        assert answer.status == 303, answer.status
        code = answer.field("location").split("returned=")[1]
        return await self.ask("PUT", "/v1/authentication", {"returned": code})

    async def arrive(self):
        """Everything that a new subscriber does up to the first play."""
        await self.register()
        await self.begin()
        await self.log_in()
        await self.come_back()
        assert await self.wait(), "not signed in"
        await self.play(self.channel)


async def spent(program, apps, body, at_once=8):
    """Microseconds of processor time of a program for each request."""
    before = processor_time(program)
    await all_of(apps, body, at_once)
    return (processor_time(program) - before) / len(apps) * 1e6


async def cost(bench, name, apps, body):
    """Microseconds of processor time of the gateway for each request, which are printed."""
    await body(apps[0])
    found = await spent(bench.replicas[0].program, apps[1:], body)
    print(f"  {name}: {found:.0f} µs")
    return found


async def check_costs(bench, bare_route):
    print(f"processor time of the gateway for each request, {COUNT} requests, 8 at the same time; {loads()}")
    apps = [Direct(bench, number) for number in range(COUNT)]

    def request(method, path, body=None):
        async def one(app):
            await app.ask(method, path, body)
        return one

    async def segment(app):
        headers = {"Cookie": app.cookie, "X-Original-URI": f"/live/{app.channel}/0.ts"}
        status = (await app.wire.ask("GET", "/v1/authz", headers)).status
        assert status == 200, status

    async def play(app):
        app.cookie = await app.play(app.channel)

    if bare_route:
        port = free_port()
        bare = Program("bare", bare_route, port, folder=bench.folder)
        until("the bare route listens", lambda: ask(port, "/v1/authz")[0] == 200)
        # Each of 8 connections asks for its part.
        connections = [Connection(f"http://127.0.0.1:{port}") for _ in range(8)]

        async def ask_bare(connection):
            for _ in range(COUNT):
                await connection.ask("GET", "/v1/authz", {"X-Original-URI": "/live/Channel0/0.ts"})

        await all_of(connections, ask_bare)
        before = processor_time(bare)
        await all_of(connections, ask_bare)
        print(f"  a bare Hummingbird route: {(processor_time(bare) - before) / (COUNT * 8) * 1e6:.0f} µs")
        bare.stop()
    total = await cost(bench, "POST /v1/devices", apps, App.register)
    total += await cost(bench, "POST /v1/authentication, a new device (3 calls of the broker)", apps, Direct.begin)
    await all_of(apps, Direct.log_in, 8)
    total += await cost(
        bench, "GET /v1/return and PUT /v1/authentication, to the end of the sign-in (1 call)", apps, Direct.come_back)
    await cost(bench, "GET /v1/authentication", apps, request("GET", "/v1/authentication"))
    await cost(bench, "GET /v1/profile", apps, request("GET", "/v1/profile"))
    await cost(bench, "GET /v1/profile?refresh=1 (1 call)", apps, request("GET", "/v1/profile?refresh=1"))
    await cost(bench, "POST /v1/preauthorizations, 5 resources (1 call)", apps,
               request("POST", "/v1/preauthorizations", {"resources": CHANNELS[:5]}))
    total += await cost(bench, "POST /v1/plays (1 call)", apps, play)
    await cost(bench, "GET /v1/authz with the session", apps, segment)
    await cost(bench, "POST /v1/devices/renew", apps, request("POST", "/v1/devices/renew", {}))
    await cost(bench, "POST /v1/logout (1 call)", apps, request("POST", "/v1/logout", {}))
    print(f"  a sign-in with its first play: {total / 1000:.2f} ms, so two cores bear {in_an_hour(total / 1e6)} in an hour"
          f" by processor time; {loads()}")
    for app in apps:
        app.close()


async def check_plays(bench, bare_route):
    """What a play costs beside the broker's call and the verification, with stores in memory: medians of rounds."""
    folder = bench.folder / "memory"
    folder.mkdir()
    bench = Bench(bench.tve, folder, replicas=1, nginx=False, in_memory=True)
    apps = [Direct(bench, number) for number in range(COUNT)]
    for step in (App.register, Direct.begin, Direct.log_in, Direct.come_back):
        await all_of(apps, step, 8)
    kinds = {"POST /v1/plays": (bench.replicas[0].program, lambda app: app.play(app.channel))}
    if bare_route:
        kinds |= bare_kinds(bench, bare_route, apps)
    found = {name: [] for name in kinds}
    for _ in range(ROUNDS + 1):
        for name, (program, body) in kinds.items():
            found[name].append(await spent(program, apps, body))
    # The first round opens the connections.
    found = {name: statistics.median(values[1:]) for name, values in found.items()}
    print(f"with stores in memory, sessions that are not counted, medians of {ROUNDS} rounds; {loads()}")
    for name, value in found.items():
        print(f"  {name}: {value:.0f} µs")
    if bare_route:
        play, least, bare = found.values()
        print(f"  (a play − authorize − verify) ÷ a bare route: {(play - least + bare) / bare:.2f}")


def bare_kinds(bench, bare_route, apps):
    """Servers that a play is compared with; each app keeps a connection to each."""
    key = bench.folder / "media.pem"
    key.write_text(ask(bench.simulator.port, "/sim/keys/media.pem")[2].decode())
    ports = free_port(), free_port()
    least = Program("plays", bare_route, ports[0], "plays", bench.simulator.url, key, folder=bench.folder,
                    input=subprocess.PIPE, output=subprocess.PIPE)
    least.process.stdin.write(bench.simulator.banner["softwareStatement"].encode() + b"\n")
    least.process.stdin.flush()
    code = least.process.stdout.readline().decode().strip()
    form = urllib.parse.urlencode({"code": code, "user": USERS[0]})
    status = ask(bench.simulator.port, "/sim/login", {"Content-Type": "application/x-www-form-urlencoded"}, "POST", form)[0]
    assert status in (302, 303), status
    bare = Program("bare", bare_route, ports[1], folder=bench.folder)
    until("the bare route listens", lambda: ask(ports[1], "/v1/authz")[0] == 200)

    def kind(program, port, method, path):
        connections = {app: Connection(f"http://127.0.0.1:{port}") for app in apps}

        async def one(app):
            answer = await connections[app].ask(method, path, app.headers, None if method == "GET" else app.channel.encode())
            assert answer.status == 200, answer.status
        return program, one

    return {"the broker's decision and a verified token": kind(least, ports[0], "POST", "/v1/plays"),
            "a bare Hummingbird route": kind(bare, ports[1], "GET", "/v1/authz")}


async def check_latency(bench, _):
    """From the browser's return to the end of the app's long poll, at a fixed rate."""
    apps = [Direct(bench, 100_000 + number) for number in range(COUNT)]
    await all_of(apps, App.register, 8)
    await all_of(apps, Direct.begin, 8)
    await all_of(apps, Direct.log_in, 8)
    waits = []

    async def one(app, start):
        poll = Direct(bench, app.number)
        poll.token = app.token
        polling = asyncio.ensure_future(poll.wait())
        await asyncio.sleep(max(0, start - time.monotonic()))
        began = time.monotonic()
        await app.come_back()
        assert await polling, "not signed in"
        waits.append(time.monotonic() - began)
        app.close()
        poll.close()

    program, before = bench.replicas[0].program, processor_time(bench.replicas[0].program)
    start = time.monotonic() + 1
    await asyncio.gather(*(one(app, start + number / LOGINS_PER_SECOND) for number, app in enumerate(apps)))
    seconds = time.monotonic() - start
    median, high, longest = (1000 * value for value in parts(waits))
    print(f"latency: {COUNT} logins at {LOGINS_PER_SECOND} a second (it took {seconds:.1f} s): from /v1/return to the end of the long"
          f" poll median {median:.0f} ms, p99 {high:.0f} ms, longest {longest:.0f} ms;"
          f" {(processor_time(program) - before) / seconds:.2f} cores for the gateway; {loads()}")


async def check_polls(bench, _):
    """What requests cost that wait."""
    count = min(COUNT, 1000)
    apps = [Direct(bench, 200_000 + number) for number in range(count)]
    await all_of(apps, App.register, 8)
    await all_of(apps, Direct.begin, 8)
    replica = bench.replicas[0]
    # A new process, whose memory is not left over from other requests.
    await asyncio.to_thread(replica.stop)
    await asyncio.to_thread(replica.start)
    # All devices have a connection, and have asked once.
    await all_of(apps, lambda app: app.ask("GET", "/v1/authentication"), 8)
    await asyncio.sleep(2)
    before = replica.resident
    polls = [asyncio.ensure_future(app.send("GET", "/v1/authentication?wait=25")) for app in apps]
    await asyncio.sleep(4)
    spent, memory = processor_time(replica.program), replica.resident
    await asyncio.sleep(10)
    spent = (processor_time(replica.program) - spent) / 10
    codes = {answer["code"] for _, answer in await asyncio.gather(*polls)}
    assert codes == {"pending"}, codes
    print(f"polls: {(memory - before) / count:.1f} KiB for each of {count} that wait, and {spent / count * 1e6:.0f} µs of processor"
          f" time each second; {loads()}")
    for app in apps:
        app.close()


async def check_day(bench, _):
    """A slice of a release day: so many sign in anew each second, with everything that belongs to it; and a wave.

    No time is scaled: a minute is run at the rate of the hour. The broker's limit counts real seconds of each address.
    """
    bench.simulator.control("PUT", "/sim/throttle", {"mode": "documented"})
    await arrivals(bench, 300_000, DAY_RATE * DAY_SECONDS, DAY_RATE,
                   f"release day, {DAY_RATE} subscribers a second for {DAY_SECONDS} s, as {DAY_RATE * 3600:,} in an hour")
    await arrivals(bench, 350_000, WAVE, None, f"release day, {WAVE} subscribers at once")
    bench.simulator.control("PUT", "/sim/throttle", {"mode": "off"})


async def arrivals(bench, first, count, rate, name):
    program, before, waits, start = bench.replicas[0].program, None, [], time.monotonic() + 1
    before = processor_time(program)

    async def one(number):
        app = Direct(bench, first + number)
        due = start + (number / rate if rate else 0)
        await asyncio.sleep(max(0, due - time.monotonic()))
        await app.arrive()
        # From when the subscriber was due, so that a late client counts as waiting, too.
        waits.append((time.monotonic() - due, app.retried))
        app.close()

    throttled = bench.metric("tve_broker_throttled_total")
    await asyncio.gather(*(one(number) for number in range(count)))
    seconds, spent = time.monotonic() - start, processor_time(program) - before
    throttled = bench.metric("tve_broker_throttled_total") - throttled
    median, high, longest = parts([wait for wait, _ in waits])
    retried = sum(times for _, times in waits)
    print(f"{name}: signed in and playing after median {median * 1000:.0f} ms, p99 {high * 1000:.0f} ms, the last one"
          f" {longest * 1000:.0f} ms (it took {seconds:.1f} s); {throttled:.0f} answers 429 of the broker, {retried} requests"
          f" repeated by apps; {spent / count * 1000:.2f} ms of processor time for each, so two cores bear"
          f" {in_an_hour(spent / count)} in an hour; {loads()}")


async def check_household(bench, _):
    """Devices that share an address, and so the broker's limit for it."""
    bench.simulator.control("PUT", "/sim/throttle", {"mode": "documented"})
    began, waits, throttled = time.monotonic(), [], bench.metric("tve_broker_throttled_total")

    async def one(number):
        app = Direct(bench, 400_000 + number, shared="192.0.2.77")
        await app.arrive()
        waits.append((time.monotonic() - began, app.retried))

    await asyncio.gather(*(one(number) for number in range(HOUSEHOLD)))
    bench.simulator.control("PUT", "/sim/throttle", {"mode": "off"})
    waits.sort()
    throttled = bench.metric("tve_broker_throttled_total") - throttled
    print(f"household: {HOUSEHOLD} devices of one address sign in and play at the same time: the first one after {waits[0][0]:.1f} s,"
          f" the last one after {waits[-1][0]:.1f} s, {sum(times for _, times in waits)} requests repeated by apps;"
          f" {throttled:.0f} answers 429 of the broker")


async def measure(tve, folder, bare_route, only):
    bench = Bench(tve, folder, replicas=1, nginx=False)
    checks = {"costs": check_costs, "plays": check_plays, "latency": check_latency, "polls": check_polls, "day": check_day, "household": check_household}
    for name, body in checks.items():
        if name in only:
            await body(bench, bare_route)


def main():
    tve = str(pathlib.Path(sys.argv[1]).resolve())
    bare_route = sys.argv[2] if len(sys.argv) > 2 else None
    only = os.environ.get("TVE_ONLY", "costs,plays,latency,polls,day,household").split(",")
    with check_folder("figures") as folder:
        asyncio.run(measure(tve, folder, bare_route, only))


if __name__ == "__main__":
    main()
