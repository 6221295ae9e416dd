"""Knows the tests that are never tried again: those that guard what must not happen even once.

    python3 .ci/never_again.py           how many there are for each promise; an entry that finds no test is a failure
    python3 .ci/never_again.py --list    each of them, with its promise

`run_tests` asks it. An entry with a slash is a folder of Tests or the beginning of a file there; any other is found in the
name or the description of a test, without regard to capitals, spaces and punctuation.
"""

import collections
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent / "Tests"
PROMISES = {
    "a token passes once, and one of many wins": [
        "RedisStoresTests/", "SQLiteStoresTests/SQLiteReplayStore", "TVEServiceTests/AuthzTests", "TVEServiceTests/RedisTests",
        "TVEServiceTests/Gateway/Plays/RedisPlay", "TVEServiceTests/Gateway/Plays/SingleUse",
        "TVEServiceTests/Observation/StoreWatch", "TVEServiceTests/TokenEndpoint", "TokenRedemptionTests/",
        "replay", "redeem", "redempt", "winner", "wins", "twice", "passes once", "only one", "never pass",
    ],
    "nothing is lost, also after a kill": [
        "DeviceRecordsTests/Merging", "EntitlementFlowsTests/Devices/Replica", "SQLiteStoresTests/",
        "TVEServiceTests/Gateway/SignIns/LostAnswer", "RowBatchesTests/SeparatedQuoting", "tveTests/DecryptQuoting",
        "kill", "lose no", "is lost", "survive",
    ],
    "no secret shows, and no datum of a viewer": [
        "BrokerClientTests/Calls/Secrets", "EntitlementFlowsTests/Devices/ErasedDevice", "TVEServiceTests/Observation/Log",
        "redact", "secret", "password", "shows nothing", "show nothing", "show no", "never shown", "wiped", "no token",
    ],
    "no bad signature, seal or key passes": [
        "EntitlementKeysTests/", "MediaTokensTests/", "MetadataDecryptionTests/", "OpenSSLBridgeTests/", "PlaybackSessionsTests/",
        "RequestorSigningTests/", "SealedRecordsTests/", "TVEServiceTests/DecryptionListener", "TVEServiceTests/KeyTrust",
        "TVEServiceTests/Session", "TVEServiceTests/Withdrawal", "tveTests/Session", "tveTests/Verify",
        "signature", "forge", "seal", "altered", "trusted", "same reload",
    ],
    "no attack succeeds": [
        "BrokerClientTests/Transport/HostileAnswer", "BrokerClientTests/Transport/TLS", "TVEServiceTests/Attacks/",
        "TVEServiceTests/Gateway/Activation/", "TVEServiceTests/Gateway/Devices/", "TVEServiceTests/Gateway/Limits/RateCounter",
        "TVEServiceTests/Gateway/SignIns/DeviceSignIns", "TVEServiceTests/Gateway/SignIns/ForwardedLogin",
        "TVEServiceTests/Gateway/SignIns/SignIn",
        "attack", "hostile", "guess", "stranger", "another origin", "proves nothing",
    ],
}


def plain(text):
    return re.sub(r"[^a-z0-9]", "", text.lower())


def promises(path, name):
    """The promises and entries by which a test is never tried again; `path` is that of its file, from its module on."""
    words = plain(path) + " " + plain(name)
    return [(promise, entry) for promise, entries in PROMISES.items() for entry in entries
            if (path.startswith(entry) if "/" in entry else plain(entry) in words)]


def below_floor(file):
    """The path of a file of tests from its module on: `Tests/Core/MediaTokensTests/X.swift` is `MediaTokensTests/X.swift`."""
    return str(pathlib.Path(*file.relative_to(TESTS).parts[1:]))


def guarded(test, description=""):
    """The promise that a test guards, by its id (`Module.Suite/test()/File.swift:1:2`), or `None` if it may be tried again."""
    module = test.partition(".")[0]
    name, _, place = test.rpartition("/")
    file = place.partition(":")[0]
    path = next((below_floor(path) for path in TESTS.glob(f"*/{module}/**/{file or '?'}")), f"{module}/{file}")
    return next((promise for promise, _ in promises(path, f"{name} {description}")), None)


def all_tests():
    """Path, name and description of each test, as the sources have them."""
    function = re.compile(r'@Test\b(?:\(\s*"((?:[^"\\]|\\.)*)")?.*?\bfunc\s+(`[^`]+`|\w+)', re.DOTALL)
    for file in sorted(TESTS.glob("*/*Tests/**/*.swift")):
        for description, name in function.findall(file.read_text(encoding="utf-8")):
            yield below_floor(file), name, description


def main():
    first, all_found, count = collections.Counter(), set(), 0
    for path, name, description in all_tests():
        count += 1
        found = promises(path, f"{name} {description}")
        if found:
            first[found[0][0]] += 1
            all_found |= {entry for _, entry in found}
            if "--list" in sys.argv:
                print(f"{found[0][0]}: {path} {description or name}")
    for promise in PROMISES:
        print(f"{first[promise]:5} tests: {promise}")
    print(f"{first.total():5} of {count} tests are never tried again")
    faults = [f"{entry!r} finds no test" for entries in PROMISES.values() for entry in entries if entry not in all_found]
    print(*(f".ci/never_again.py: {fault}" for fault in faults), sep="\n", end="\n" if faults else "")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
