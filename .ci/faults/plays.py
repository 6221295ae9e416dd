"""Many players at once, and what became of each token."""

import asyncio
import collections
import contextlib
import random
import threading
import time

from gateway.wire import Away, Connection, Lost

from .supply import REFUSALS

# No fault may keep a client waiting for longer.
PATIENCE = 10
# What is not a decision about the token.
UNDECIDED = (503, "lost", "away", "silent")
Answer = collections.namedtuple("Answer", "begun ended replica kind number status")


class Plays:
    """Players that offer each token to two replicas at once, and now and then once more, with bad ones in between."""

    # How many tokens have to pass, or a fault has shown nothing.
    fewest = 20

    def __init__(self, supply, replicas, cookie=None, players=5, pause=0.04, kinds=tuple(REFUSALS), key=None):
        self.supply, self.replicas, self.cookie, self.pause, self.kinds = supply, list(replicas), cookie, pause, kinds
        self.players, self.key = players, key
        self.offered, self.answers, self.chance = {}, [], random.Random(7)
        # Replicas to which a balancer sends nothing.
        self.left, self.ending, self.failure = set(), threading.Event(), None
        self.documented = frozenset()
        # When keys were away, and what could not be decided then: kinds, begin, end.
        self.keyless = []

    # Playing.

    def __enter__(self):
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, failure, *_):
        # A slow machine may not have come far.
        end = time.monotonic() + 20
        while failure is None and len(self.used) < self.fewest and time.monotonic() < end and not self.failure:
            time.sleep(0.1)
        self.stop()

    def stop(self):
        self.ending.set()
        self.thread.join()
        if self.failure:
            raise self.failure

    def _run(self):
        async def all_players():
            await asyncio.gather(*(self._play() for _ in range(self.players)))

        try:
            asyncio.run(all_players())
        except Exception as error:
            self.failure = error

    async def _play(self):
        ways = Ways(self)
        while not self.ending.is_set():
            there = [one for one in range(len(self.replicas)) if one not in self.left]
            if there:
                await self._turn(ways, there)
            await asyncio.sleep(self.pause)
        ways.close()

    async def _turn(self, ways, there):
        chance = self.chance.random()
        one = self.chance.choice(there)
        if chance < 0.2 and self.cookie:
            is_altered = chance < 0.05
            cookie = self.cookie + "A" if is_altered else self.cookie
            await ways.ask(one, "altered session" if is_altered else "session", 0, {"Cookie": cookie})
        elif chance < 0.35 and self.kinds:
            kind = self.chance.choice(self.kinds)
            number, token = self.supply.token(kind)
            await ways.ask(one, kind, number, {"X-Media-Token": token})
        elif chance < 0.4 and self.offered:
            number = self.chance.choice(list(self.offered))
            await ways.ask(one, "good", number, {"X-Media-Token": self.offered[number]})
        else:
            number, token = self.supply.token(key=self.key)
            self.offered[number] = token
            both = self.chance.sample(there, 2) if len(there) > 1 else [one, one]
            await asyncio.gather(*(
                ways.ask(replica, "good", number, {"X-Media-Token": token}, copy) for copy, replica in enumerate(both)))

    def again(self, replicas=None, numbers=None):
        """Offers tokens that were offered before once more; the statuses by their numbers."""
        waiting, found = list(self.offered if numbers is None else numbers), {}

        async def some_again():
            ways = Ways(self)
            while waiting:
                number = waiting.pop()
                one = self.chance.choice(range(len(self.replicas)) if replicas is None else replicas)
                found[number] = await ways.ask(one, "good", number, {"X-Media-Token": self.offered[number]})
            ways.close()

        async def all_again():
            await asyncio.gather(*(some_again() for _ in range(self.players)))

        asyncio.run(all_again())
        return found

    @contextlib.contextmanager
    def lacks_keys(self, *kinds):
        """While a key's file may be torn or away, what needs the key may be answered 503; at no other time."""
        began = time.monotonic()
        # Until it has ended, in case the players fail before.
        self.keyless.append((kinds, began, float("inf")))
        yield
        self.keyless[-1] = kinds, began, time.monotonic()

    # What was seen.

    def is_keyless(self, answer):
        """Whether it may say that there is no key, and says so."""
        return answer.status == 503 and any(
            answer.kind in kinds and answer.begun <= end and began <= answer.ended for kinds, began, end in self.keyless)

    def some(self, kind="good", since=0, until=float("inf"), replica=None):
        """The answers to what was asked for within a time."""
        return [one for one in list(self.answers) if one.kind == kind and since <= one.begun and one.ended <= until
                and replica in (None, one.replica)]

    def statuses(self, *arguments, **more):
        return collections.Counter(one.status for one in self.some(*arguments, **more))

    @property
    def used(self):
        """The tokens that have passed, and when each did so first."""
        first = {}
        for one in self.some():
            if one.status == 200:
                first.setdefault(one.number, one.ended)
        return first

    @property
    def passes(self):
        return collections.Counter(one.number for one in self.some() if one.status == 200)

    @property
    def twice(self):
        return {number for number, times in self.passes.items() if times > 1}

    @property
    def bad_passed(self):
        return [one.kind for one in list(self.answers) if one.status == 200 and one.kind in (*REFUSALS, "altered session")]

    @property
    def lost(self):
        return [one for one in list(self.answers) if one.status in ("lost", "silent")]

    def until_well(self, since, within, patience=PATIENCE, replicas=None):
        """Waits until each replica decides again; how long after an instant it did so."""
        wanted = range(len(self.replicas)) if replicas is None else replicas
        while True:
            moments = [self._well(replica, since) for replica in wanted]
            if None not in moments:
                took = max(moments) - since
                assert took <= within, f"well again after {took:.1f} s, {within} s promised"
                return max(took, 0)
            now = time.monotonic()
            # The last answers may have to be waited for.
            if now - since > within + patience:
                last = {self.replicas[one].name: self.statuses(since=now - 2, replica=one) for one in wanted}
                raise AssertionError(f"not well after {now - since:.1f} s: {last}")
            time.sleep(0.05)

    def _well(self, replica, since):
        """When the first of the last five decisions was asked for; `None` if there are fewer."""
        decided = []
        for one in self.some(since=since, replica=replica):
            decided = [] if one.status in UNDECIDED else [*decided, one]
        return decided[0].ended if len(decided) >= 5 else None

    def expect_only(self, what, allowed, **when):
        found = collections.Counter(one.status for one in self.some(**when) if not self.is_keyless(one))
        assert found and set(found) <= set(allowed), f"{what}: {dict(found)}, expected only {allowed}"
        return found

    def expect_forgotten(self, used):
        """Exactly these tokens have passed once more, and none a third time."""
        self.documented = used
        for _ in range(2):
            self.again()
        missing = len(used - self.twice)
        assert not missing, f"{missing} of {len(used)} tokens did not pass once more, although the documents say so"
        most = max(self.passes.values())
        assert most == 2, f"a token passed {most} times"

    @property
    def surplus(self):
        """The tokens that passed twice, although no document says so."""
        return self.twice - self.documented

    def check(self):
        """What has to be true whatever went wrong."""
        assert not self.bad_passed, f"bad tokens passed: {dict(collections.Counter(self.bad_passed))}"
        assert not self.surplus, f"{len(self.surplus)} tokens passed twice"
        assert len(self.used) >= self.fewest, f"only {len(self.used)} of {len(self.offered)} tokens passed"
        for kind, status in (*REFUSALS.items(), ("altered session", 401)):
            answers = (one for one in self.some(kind) if not self.is_keyless(one))
            others = {one.status for one in answers} - {status, "lost", "away"}
            assert not others, f"{kind}: refused with {others}, not with {status} only"


class Ways:
    """The connections of one player."""

    def __init__(self, plays):
        self.plays, self.open = plays, {}

    async def ask(self, replica, kind, number, headers, copy=0):
        port = self.plays.replicas[replica].port
        wire = self.open.get((replica, copy))
        if wire is None:
            wire = self.open[replica, copy] = Connection(f"http://127.0.0.1:{port}")
        begun = time.monotonic()
        try:
            answer = await asyncio.wait_for(
                wire.ask("GET", "/v1/authz", {"X-Original-URI": "/live/demo/1.ts"} | headers), PATIENCE)
            status = answer.status
        except Away:
            status = "away"
        except Lost:
            status = "lost"
        except asyncio.TimeoutError:
            status = "silent"
        self.plays.answers.append(Answer(begun, time.monotonic(), replica, kind, number, status))
        return status

    def close(self):
        for wire in self.open.values():
            wire.close()
