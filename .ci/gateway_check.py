#!/usr/bin/env python3
"""Tests the gateway with real servers: three replicas with one Redis after nginx with TLS, and a simulated broker.

    python3 .ci/gateway_check.py PATH-OF-TVE [VIEWERS]

Needs nginx, redis-server, openssl and clang, and what service_check.py needs. Everything listens on loopback.
VIEWERS sign in and play while a replica is killed and another one is drained: 150 unless given; `make gateway` takes
2,000.
TVE_ONLY=load,counts,kills,stores,clocks,broker chooses.
"""

import asyncio
import collections
import os
import pathlib
import signal
import sys
import time

from faults.clock import Clock
from gateway.app import PHONE, TELEVISION, App, Refused
from gateway.bench import CHANNELS, PROVIDER, SEGMENTS, USERS, Bench, open_files
from gateway.wire import Lost
from service_check import Service, ask, check_folder, expect, until

AT_ONCE = 40
PLAYS, DENIALS = 60, 10
# From so many viewers on, it is the long form, in which the broker fails in more ways.
LONG = 1000


def address(number):
    """A client address of its own for each viewer; all of 127/8 is this machine."""
    return f"127.{1 + number // 62_500}.{number // 250 % 250}.{1 + number % 250}"


def new_app(bench, number):
    return App(bench.url, number, bench.authority.context, address(number))


def channel(number):
    """Viewers who share a user have channels of their own, so that no two get the same token in one second."""
    return CHANNELS[number // len(USERS) % len(CHANNELS)]


async def arrive(app):
    """A viewer's way to a first play; every fifth signs in on another screen."""
    user, is_television = USERS[app.number % len(USERS)], app.number % 5 == 4
    await app.register(TELEVISION if is_television else PHONE)
    await (app.sign_in_elsewhere if is_television else app.sign_in)(PROVIDER, user)
    await watch(app)


async def watch(app):
    app.cookie = await app.play(channel(app.number))
    for segment in range(SEGMENTS):
        expect("a segment", await app.segment(channel(app.number), segment, app.cookie), 200)


async def all_of(apps, body, at_once=AT_ONCE):
    """Does something for all viewers, so many at the same time."""
    places = asyncio.Semaphore(at_once)

    async def one(app):
        async with places:
            return await body(app)

    return await asyncio.gather(*(one(app) for app in apps))


# The load.


async def check_load(bench, viewers):
    apps, began, arrived = [new_app(bench, number) for number in range(viewers)], time.monotonic(), []

    async def one(app):
        await arrive(app)
        arrived.append(app)

    async def operate():
        """What the operators do meanwhile: one replica is killed, and one is stopped as it should be."""
        first, second = bench.replicas[:2]
        while len(arrived) < viewers // 4:
            await asyncio.sleep(0.05)
        first.program.stop(signal.SIGKILL)
        await asyncio.sleep(1)
        await asyncio.to_thread(first.start)
        while len(arrived) < viewers // 2:
            await asyncio.sleep(0.05)
        await asyncio.to_thread(second.stop)
        await asyncio.to_thread(second.start)

    async def count():
        while True:
            await asyncio.to_thread(bench.simulator.calls)
            # Often enough for the 1,000 requests that the journal keeps, and seldom enough not to keep the simulator busy.
            await asyncio.sleep(1)

    counting = asyncio.ensure_future(count())
    operating = asyncio.ensure_future(operate())
    await all_of(apps, one)
    await operating
    seconds = time.monotonic() - began
    counting.cancel()
    again = [app.number for app in apps if app.logins != 1]
    assert not again, f"{len(again)} viewers had to log in again: {again[:10]}"
    # Everything that was answered is still so, whichever replica is asked.
    for _ in bench.replicas:
        await all_of(apps, still_watching)
    check_tokens(bench, apps)
    lost, retried = sum(app.lost for app in apps), sum(app.retried for app in apps)
    pages = sum(app.browser.repeated for app in apps)
    print(f"load: {viewers} logins and plays in {seconds:.0f} s, one replica killed and one drained meanwhile; {lost} requests"
          f" without an answer and {retried} with the action retry were repeated, and {pages} pages loaded again;"
          " one login each, no token used twice")
    screens = sorted(app.after_login * 1000 for app in apps if app.after_login is not None)
    print(f"second screens: {len(screens)} televisions knew of the login after {screens[len(screens) // 2]:.0f} ms (median),"
          f" {screens[len(screens) * 99 // 100]:.0f} ms (p99); some were asking a replica that died")
    return apps


async def still_watching(app):
    expect("the user is signed in", (await app.ask("GET", "/v1/authentication"))["code"], "authenticated")
    expect("the session passes", await app.segment(channel(app.number), 0, app.cookie), 200)


def check_tokens(bench, apps):
    """Each session has a token of its own: permitted by the broker, known to Redis as used."""
    sessions = [session for app in apps for session in app.sessions]
    expect("different sessions", len(set(sessions)), len(sessions))
    permits, used = bench.simulator.calls()["authorize", 200], bench.used_tokens()
    assert len(sessions) <= used <= permits, f"{len(sessions)} sessions, {used} used tokens, {permits} permits"
    # A replica that is killed may have got a permit without answering; then app or nginx asks another.
    repeated = sum(app.lost + app.retried for app in apps) + bench.nginx.repeated("POST /v1/plays")
    assert permits - len(sessions) <= repeated, f"{permits} permits for {len(sessions)} sessions, {repeated} requests repeated"


# What is counted.


async def check_counts(bench, apps):
    """Requests to the broker of each flow, and events and counters of all replicas."""
    def snapshot():
        return (bench.simulator.calls(), bench.events(), bench.used_tokens(),
                bench.metric("tve_gateway_providers_total", 'endpoint="plays",outcome="permitted"'),
                bench.metric("tve_sessions_started_total"), bench.metric("tve_broker_calls_total", 'endpoint="authorize"'))

    async def calls(name, wanted, *bodies):
        before = bench.simulator.calls()
        for body in bodies:
            await body
        found = {endpoint: count for (endpoint, _), count in (bench.simulator.calls() - before).items()}
        expect(f"requests to the broker, {name}", found, wanted)
        # The browser's own visit is not the gateway's request.
        return f"{name} {sum(count for endpoint, count in found.items() if endpoint != 'user_agent')}"

    async def settle():
        """Waits until all events have been handed over."""
        last = None
        while last != (last := bench.events()):
            await asyncio.sleep(1)

    # What the logins before have left to do.
    await asyncio.sleep(2)
    watchers = [apps[number % len(apps)] for number in range(PLAYS)]
    await settle()
    before = snapshot()
    for number, app in enumerate(watchers):
        # Never the same channel for a user within a second, so that no token is the same.
        await app.play(CHANNELS[(number + number // len(CHANNELS)) % len(CHANNELS)])
    bench.receiver.failing = True
    for app in watchers[:DENIALS]:
        try:
            await app.play("sim:deny")
            raise AssertionError("a denied play")
        except Refused as refusal:
            expect("denied", (refusal.status, refusal.action), (403, "show_message"))
    until("the receiver refuses events", lambda: bench.receiver.refused > 0)
    bench.receiver.failing = False
    await asyncio.sleep(3)
    await settle()
    after = snapshot()
    expect("decisions of the broker", (after[0] - before[0])["authorize", 200], PLAYS + DENIALS)
    found = after[1] - before[1]
    expect("events of permits", found["permitted"], PLAYS)
    expect("events of denials", found["token_request_failed"], DENIALS)
    for name, one, other, wanted in zip(
            ("used tokens in Redis", "counted permits", "counted sessions", "counted calls"), after[2:], before[2:],
            (PLAYS, PLAYS, PLAYS, PLAYS + DENIALS)):
        expect(name, one - other, wanted)
    expect("events that were dropped", bench.metric("tve_gateway_events_total", 'fate="dropped"'), 0)
    print(f"counts: {PLAYS} plays and {DENIALS} denials are as many events ({len(bench.file_events())} of all in the file,"
          f" {bench.receiver.repeated} came twice), used tokens, sessions and calls of the broker")

    app = new_app(bench, 50_000)
    sign_in = {"register": 1, "token": 1, "start_session": 1, "user_agent": 1, "profile_by_code": 1}
    told = [
        await calls("first sign-in", sign_in, app.register(), app.sign_in(PROVIDER, USERS[0])),
        await calls("play with a known profile", {"authorize": 1}, app.play("Channel1")),
        await calls("refreshed profile", {"profile": 1}, app.ask("GET", "/v1/profile?refresh=1")),
        await calls("preauthorization of 5", {"preauthorize": 1},
                    app.ask("POST", "/v1/preauthorizations", {"resources": CHANNELS[:5]})),
        await calls("status, profile and a segment", {}, app.ask("GET", "/v1/authentication"),
                    app.ask("GET", "/v1/profile"), apps[0].segment(channel(0), 0, apps[0].cookie)),
    ]
    # All replicas forget what is in their memory.
    for step in (Service.stop, Service.start):
        await asyncio.gather(*(asyncio.to_thread(step, service) for service in bench.replicas))
    told.append(await calls("returning subscriber's first play", {"authorize": 1}, app.play("Channel2")))
    told.append(await calls("logout", {"logout": 1}, app.ask("POST", "/v1/logout", {})))
    print("requests to the broker: " + "; ".join(told))
    app.close()


# Replicas that are killed at the worst moment.


async def check_kills(bench, apps):
    await kill_between_use_and_answer(bench, apps[0])
    await kill_during_return(bench)
    await repeat_lost_proof(bench)


async def kill_between_use_and_answer(bench, app):
    """The replica has used up the token, and dies before it answers: the play is repeated, and there is one session."""
    victim, before, used = bench.replicas[-1], bench.simulator.calls(), bench.used_tokens()
    direct = App(f"http://127.0.0.1:{victim.port}", 0, headers={"X-Forwarded-For": address(0), "X-Client-Port": "4711"})
    direct.token = app.token
    bench.gate.open.clear()
    asking = asyncio.ensure_future(direct.send("POST", "/v1/plays", {"resource": "Channel30"}))
    while bench.used_tokens() == used:
        await asyncio.sleep(0.01)
    victim.program.stop(signal.SIGKILL)
    try:
        await asking
        raise AssertionError("there was an answer")
    except Lost:
        pass
    bench.gate.open.set()
    sessions, retried = len(app.sessions), app.retried
    cookie = await app.play("Channel30")
    expect("the repeated play's segment", await app.segment("Channel30", 0, cookie), 200)
    expect("sessions", len(app.sessions), sessions + 1)
    expect("used tokens", bench.used_tokens(), used + 2)
    # Within the same second the broker answers with the same token, which is used up, and the app has to ask once more.
    expect("permits", (bench.simulator.calls() - before)["authorize", 200], 2 + app.retried - retried)
    await asyncio.to_thread(victim.start)
    print("kills: a play that was killed between use of its token and answer has no session, and the next one has one")


async def kill_during_return(bench):
    """The replica that takes the browser back dies: the proxy asks the next one, and no viewer has to log in again."""
    app = new_app(bench, 50_010)
    await app.register()
    bench.simulator.scenario("network:delay:1500", ["profile_by_code"], 1)
    signing = asyncio.ensure_future(app.sign_in(PROVIDER, USERS[1]))
    def busy():
        # The page of the metrics itself is in flight, too.
        return [service for service in bench.replicas if bench.metric("tve_requests_in_flight", services=[service]) > 1]

    while not app.logins:
        await asyncio.sleep(0.01)
    # The request of the sign-in is over by then, and the one of the return is held back by the broker.
    await asyncio.sleep(0.5)
    [victim] = busy()
    victim.program.stop(signal.SIGKILL)
    await signing
    expect("logins", app.logins, 1)
    await asyncio.to_thread(victim.start)
    print("kills: a replica died while the browser came back; the next one took it, without a second login")
    app.close()


async def repeat_lost_proof(bench):
    """The answer to the proof of the return was lost, so the app sends it again."""
    app = new_app(bench, 50_011)
    await app.register()
    step = await app.ask("POST", "/v1/authentication", {"mvpd": PROVIDER, "returnTo": "exampletv://done"})
    _, end = await app.browser.log_in(step["url"], USERS[2])
    for _ in range(2):
        await app.ask("PUT", "/v1/authentication", {"returned": end.split("returned=")[1]})
    assert await app.wait(), "not signed in"
    print("kills: the proof of a return may be repeated")
    app.close()


# Stores, clocks and brokers that fail.


class Watched:
    """What the replicas hold before and after something, and that players were answered meanwhile."""

    def __init__(self, bench, app, name):
        self.bench, self.app, self.name = bench, app, name

    def held(self):
        return [(open_files(service), service.resident) for service in self.bench.replicas]

    async def __aenter__(self):
        self.before, self.delays = self.held(), []
        self.watching = asyncio.ensure_future(self.watch())
        return self

    async def watch(self):
        while True:
            began = time.monotonic()
            expect(f"a segment, {self.name}", await self.app.segment(channel(self.app.number), 0, self.app.cookie), 200)
            self.delays.append(time.monotonic() - began)
            await asyncio.sleep(0.05)

    async def __aexit__(self, kind, *_):
        has_failed = self.watching.done()
        self.watching.cancel()
        [end] = await asyncio.gather(self.watching, return_exceptions=True)
        if kind:
            return
        assert not has_failed, end
        await asyncio.sleep(1)
        # The metrics are asked for by a request that is in flight itself.
        until(f"nothing is in flight, {self.name}",
              lambda: self.bench.metric("tve_requests_in_flight") <= len(self.bench.replicas))
        self.after = self.held()
        for (files, memory), (files_after, memory_after) in zip(self.before, self.after):
            # Connections to the broker and of nginx come and go; 64 to a broker may be open.
            assert files_after <= files + 80, f"{self.name}: {files} open files before, {files_after} after"
            assert memory_after <= memory * 1.3 + 16_384, f"{self.name}: {memory} KiB before, {memory_after} after"
        self.delays.sort()
        self.slowest = self.delays[-1]

    def __str__(self):
        files, memory = (
            max(after[which] - before[which] for before, after in zip(self.before, self.after)) for which in (0, 1))
        return (f"{len(self.delays)} segments meanwhile, the slowest in {self.slowest * 1000:.0f} ms;"
                f" at most {files:+} open files and {memory:+} KiB in a replica")


async def plays(apps, resource, times=1):
    """How often each answer comes to plays of all apps at once: status, code and action. None is repeated."""
    async def one(app):
        answers = []
        for _ in range(times):
            try:
                status, answer = await app.send("POST", "/v1/plays", {"resource": resource})
                answers.append((status, answer["code"], answer.get("action")) if answer else status)
            except Lost:
                answers.append("lost")
        return answers

    return collections.Counter(sum(await all_of(apps, one, len(apps)), []))


def all_have(what, found, action):
    """Each answer tells the app what to do; none is the proxy's own."""
    assert found and all(isinstance(one, tuple) and one[2] == action for one in found), f"{what}: {found}"
    return ", ".join(f"{count} × {status} {code}" for (status, code, _), count in sorted(found.items()))


async def check_stores(bench, apps):
    """Redis is killed, and then it is paused: nothing passes that needs it, and all is well again without a restart."""
    players, app = apps[:19], apps[0]
    for name, away, back in (
        ("killed", lambda: bench.redis.program.stop(signal.SIGKILL), bench.redis.start),
        ("paused", lambda: bench.redis.program.process.send_signal(signal.SIGSTOP),
         lambda: bench.redis.program.process.send_signal(signal.SIGCONT)),
    ):
        used, files = bench.used_tokens(), [open_files(service) for service in bench.replicas]
        away()
        began = time.monotonic()
        found = await plays(players, "Channel3", 2)
        told = all_have(f"plays, Redis {name}", found, "retry")
        longest = time.monotonic() - began
        status = (await app.wire.ask("POST", "/v1/devices", {"Content-Type": "application/json"}, b'{"app":"phone"}')).status
        expect("a registration", status, 503)
        status = await app.segment(channel(app.number), 0, app.cookie)
        expect("a segment whose revocation cannot be looked up", status, 503)
        for service in bench.replicas:
            expect("ready during a stall", ask(service.internal, "/readyz")[0], 200)
        back()
        began = time.monotonic()
        until("the stores are back", lambda: bench.redis_command(("PING",)) == "PONG")
        for player in players:
            player.cookie = await player.play(channel(player.number))
            expect("a segment again", await player.segment(channel(player.number), 0, player.cookie), 200)
        after = bench.used_tokens()
        assert after >= used + len(players), f"{used} used tokens before, {after} after"
        growth = max(open_files(service) - count for service, count in zip(bench.replicas, files))
        assert growth < 80, f"{growth} more open files after Redis was {name}"
        print(f"stores: Redis {name}: {told} within {longest:.1f} s, segments 503; {len(players)} plays"
              f" {time.monotonic() - began:.1f} s after its return; {growth:+} open files")


async def check_broker(bench, apps):
    """A broker that throttles, is slow, fails, answers nonsense, hangs, and is away."""
    players = apps[:19]
    troubles = (
        # The short form takes three.
        ("asks for patience", "throttled:60"), ("fails", "status:503"), ("breaks connections", "network:drop-answer"),
        ("throttles", "throttled"), ("answers nonsense", "malformed:truncated"),
        ("hangs", "network:delay:60000"), ("is slow", "network:delay:3000"),
    )
    for name, scenario in troubles if bench.is_long else troubles[:3]:
        async with Watched(bench, apps[-1], f"the broker {name}") as watched:
            bench.simulator.scenario(scenario, ["authorize"])
            began = time.monotonic()
            found = await plays(players, "Channel5")
            seconds = time.monotonic() - began
            bench.simulator.clear()
            if name == "is slow":
                # Slower than usual, but within the limit of a call.
                assert all(one[0] == 200 or one[2] == "retry" for one in found), found
                told = ", ".join(f"{count} × {one[0]} {one[1]}" for one, count in found.items())
            else:
                told = all_have(f"plays, the broker {name}", found, "retry")
        print(f"broker {name}: {told} in {seconds:.1f} s; {watched}")
        await asyncio.sleep(1)
        # Alone, and with the next request: nothing has to be started again.
        await apps[1].play("Channel6")
    if bench.is_long:
        await check_silent_broker(bench, apps, players)
    await check_absent_broker(bench, apps, players)


async def check_silent_broker(bench, apps, players):
    """The broker takes connections and says nothing."""
    process = bench.simulator.program
    async with Watched(bench, apps[-1], "the broker is silent") as watched:
        process.process.send_signal(signal.SIGSTOP)
        try:
            found = await plays(players, "Channel7")
        finally:
            process.process.send_signal(signal.SIGCONT)
        told = all_have("plays, the broker is silent", found, "retry")
    print(f"broker is silent: {told}; {watched}")


async def check_absent_broker(bench, apps, players):
    """Nothing listens at the broker's address."""
    async with Watched(bench, apps[-1], "the broker is down") as watched:
        bench.simulator.calls()
        bench.simulator.program.stop()
        found = await plays(players, "Channel8", 10 if bench.is_long else 2)
        told = all_have("plays, the broker is down", found, "retry")
        for service in bench.replicas:
            expect("ready without the broker", ask(service.internal, "/readyz")[0], 200)
        bench.simulator.start()
    print(f"broker is down: {told}; {watched}")
    for player in players:
        await player.play("Channel9")
    print(f"broker is back: {len(players)} plays, no login")


async def check_clocks(bench, apps):
    """The clocks of the broker and of a replica are set forward and back."""
    app = apps[2]
    for name, change, wanted in (
        ("the broker's is an hour ahead", {"offset": 3_600_000}, "token_not_yet_valid"),
        ("the broker's is right again", {"offset": 0}, "playing"),
        ("the one that signs tokens is two hours late", {"issueTimeOffset": -7_200_000}, "token_expired"),
        ("all are right", {"issueTimeOffset": 0}, "playing"),
    ):
        bench.simulator.control("POST", "/sim/clock", change)
        status, answer = await app.send("POST", "/v1/plays", {"resource": "Channel11"})
        expect(f"a play, {name}", answer["code"], wanted)
        expect(f"the action, {name}", answer.get("action"), None if status == 200 else "retry")
        # The next token has to be another one.
        await asyncio.sleep(1.1)
    expect("the user is signed in", (await app.ask("GET", "/v1/authentication"))["code"], "authenticated")
    print("clocks: while the broker's is an hour ahead, or tokens are two hours late, no play starts, and apps ask again")
    await step_gateway_clock(bench, app)


async def step_gateway_clock(bench, app):
    """A replica whose clock is set while it runs, forward and back; the other replicas and the broker keep the time."""
    victim, clock = bench.replicas[0], Clock(bench.folder)
    await asyncio.to_thread(victim.stop)
    victim.wrapper = clock.wrapper
    await asyncio.to_thread(victim.start)
    direct = App(f"http://127.0.0.1:{victim.port}", app.number, name="phone",
                 headers={"X-Forwarded-For": address(app.number), "X-Client-Port": "4711"})
    direct.token = app.token
    session = {"Cookie": app.cookie, "X-Original-URI": f"/live/{channel(app.number)}/0.ts"}
    told = []
    for name, step, wanted in (("right", 0, ("playing", 200)), ("two hours ahead", 7200, ("token_expired", 200)),
                               ("two hours late", -7200, ("token_not_yet_valid", 401)), ("right again", 0, ("playing", 200))):
        clock.step(step)
        _, answer = await direct.send("POST", "/v1/plays", {"resource": "Channel12"})
        passed = (await direct.wire.ask("GET", "/v1/authz", session)).status
        expect(f"play and segment, a replica's clock is {name}", (answer["code"], passed), wanted)
        known = (await direct.send("GET", "/v1/authentication"))[1]["code"]
        expect(f"the user, a replica's clock is {name}", known, "authenticated")
        told.append(f"{name}: {answer['code']}, segment {passed}")
        await asyncio.sleep(1.1)
    print(f"clocks: a replica's is set: {'; '.join(told)}")
    await asyncio.to_thread(victim.stop)
    victim.wrapper = ()
    await asyncio.to_thread(victim.start)


def main():
    tve = str(pathlib.Path(sys.argv[1]).resolve())
    viewers = int(sys.argv[2]) if len(sys.argv) > 2 else 150
    only = os.environ.get("TVE_ONLY", "load,counts,kills,stores,clocks,broker").split(",")
    with check_folder("gateway") as folder:
        asyncio.run(check(tve, folder, viewers, only))


async def check(tve, folder, viewers, only):
    # The simulator writes its state again and again, which takes too long with thousands of viewers.
    is_long = viewers >= LONG
    bench = Bench(tve, folder, state="-" if is_long else folder / "simulator")
    bench.is_long = is_long
    apps = await check_load(bench, viewers if "load" in only else 20)
    checks = {"counts": check_counts, "kills": check_kills, "stores": check_stores, "clocks": check_clocks,
              "broker": check_broker}
    for name, body in checks.items():
        if name not in only:
            continue
        if name == "broker" and is_long:
            (folder / "small").mkdir()
            bench = Bench(tve, folder / "small", state=folder / "small" / "simulator")
            bench.is_long, apps = True, [new_app(bench, number) for number in range(20)]
            await all_of(apps, arrive)
        await body(bench, apps)


if __name__ == "__main__":
    main()
