#!/usr/bin/env python3
"""Makes clients of both contracts with the generators that people use, and asks a service, a gateway and a simulator with them.

    python3 .ci/clients_check.py PATH-OF-TVE [java] [python] [models]

Java's is made by openapi-generator, and compiled with what its program brings and two libraries of Debian; Python's by
openapi-python-client; and the models of datamodel-code-generator are loaded. The clients are made of the openapi.json that is
served, verify and redeem tokens, play, decrypt user metadata, go from a new device to a play, and make each request of the
simulator's contract. Needs a JDK, and the pinned packages of .ci/requirements/checks.txt beside this Python.
"""

import base64
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.parse

import httpx
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import padding

import simulate_client
from service_check import KEYS, ROOT, Service, Tokens, ask, check_folder, free_port, start_gateway

CALLS = ROOT / ".ci" / "clients"
CONTRACTS = {"service": "Service/TVEService", "broker": "Broker/BrokerSimulation"}
# What the generated Java imports beside the JDK and Jackson, which the generator's own program has.
LIBRARIES = ["/usr/share/java/httpmime.jar", "/usr/share/java/geronimo-annotation-1.3-spec.jar"]


def run(*command, folder):
    found = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=900)
    assert found.returncode == 0, f"{command[:4]}\n{found.stdout[-8000:]}\n{found.stderr[-8000:]}"
    return found.stdout + found.stderr


def beside(name):
    return str(pathlib.Path(sys.executable).parent / name)


def installed(package):
    """The folder of a package that is not imported."""
    return pathlib.Path(importlib.util.find_spec(package).submodule_search_locations[0])


def make_java(folder, documents):
    """The class path with the compiled clients and calls."""
    generator = installed("openapi_generator_cli") / "openapi-generator.jar"
    for name, document in documents.items():
        run("java", "-jar", str(generator), "generate", "-g", "java", "--library", "native", "-i", document, "-o", name,
            "--global-property", "apis,models,supportingFiles,apiDocs=false,modelDocs=false,apiTests=false,modelTests=false",
            "-p", f"openApiNullable=false,invokerPackage=tve.{name},apiPackage=tve.{name}.api,modelPackage=tve.{name}.model",
            folder=folder)
    path = ":".join([str(folder / "classes"), str(generator), *LIBRARIES])
    sources = [str(file) for name in documents for file in sorted((folder / name / "src" / "main").rglob("*.java"))]
    run("javac", "-nowarn", "-d", "classes", "-cp", path, *sources, *map(str, sorted(CALLS.glob("*.java"))), folder=folder)
    print(f"java: {len(sources)} files compiled")
    return path


def make_python(folder, documents):
    for name, document in documents.items():
        simulate_client.generate(document, folder, f"{name}_client")


def load_models(folder, documents):
    """Pydantic's models, and the requests that they take and refuse."""
    models = {}
    for name, document in documents.items():
        run(beside("datamodel-codegen"), "--input", document, "--input-file-type", "openapi", "--output", f"{name}_models.py",
            "--output-model-type", "pydantic_v2.BaseModel", "--formatters", "builtin", folder=folder)
        models[name] = importlib.import_module(f"{name}_models")
    service, broker = models["service"], models["broker"]
    question = {"token": "x", "requestor": "REF30", "resource": None, "redeem": True}
    assert service.VerifyRequest.model_validate(question).redeem is True
    assert service.Session.model_validate({"sessionId": "x", "sessionExpires": 1 << 40, "sessionCeiling": 1 << 40})
    world = broker.World.model_validate({"users": [{"name": "ok", "guid": "x", "behavior": "slow"}]})
    assert world.users[0].behavior.value == "slow", world
    for wrong in (question | {"redeemed": True}, {"token": "x"}):
        try:
            service.VerifyRequest.model_validate(wrong)
        except ValueError:
            continue
        raise AssertionError(f"the model takes {wrong}")
    print("models:", ", ".join(f"{name} {sum(isinstance(one, type) for one in vars(module).values())}"
                               for name, module in models.items()), "classes")


def browse(url, gateway=None):
    """Follows an address as a browser does, to the first one that is not on this machine; one without a port is the gateway's."""
    for _ in range(10):
        place = urllib.parse.urlsplit(url)
        if place.hostname != "127.0.0.1":
            break
        if not place.port:
            url = gateway + place.path + (f"?{place.query}" if place.query else "")
        answer = httpx.get(url, headers={"X-Client-Address": "192.0.2.8"}, trust_env=False)
        if "Location" not in answer.headers:
            break
        url = urllib.parse.urljoin(url, answer.headers["Location"])
    return url


def operations(document):
    """Each request of a contract as a pattern: method and path."""
    for path, item in json.loads(pathlib.Path(document).read_text())["paths"].items():
        for method in item.keys() & {"get", "put", "post", "patch", "delete"}:
            yield f"{method.upper()} {path}", re.compile(f"{method.upper()} {re.sub('{[^}]*}', '[^/]+', path)}")


def expect_all(language, document, made):
    """Every request of the simulator's contract was made."""
    made = [line.partition(" ")[2] for line in made if line.startswith("broker ")]
    missing = [name for name, pattern in operations(document) if not any(map(pattern.fullmatch, made))]
    assert not missing, f"{language}: never asked: {missing}"
    print(f"{language}: {len(list(operations(document)))} requests of the simulator's contract")


def main():
    tve, wanted = sys.argv[1], sys.argv[2:] or ["models", "python", "java"]
    with check_folder("clients") as folder:
        sys.path[:0] = [str(folder), str(CALLS)]
        (folder / "session.key").write_bytes(os.urandom(32))
        (folder / "session.key").chmod(0o600)
        decryption, sessions, secret = free_port(), {"parameter": "playback_session"}, base64.b64encode(os.urandom(24)).decode()
        (folder / "decryption.secret").write_text(secret)
        (folder / "decryption.secret").chmod(0o600)
        service = Service(
            tve, folder, "service", "memory:", sessions=sessions | {"store": "memory:"},
            decryption={"port": decryption, "secretFile": str(folder / "decryption.secret"),
                        "paths": [str(KEYS / "test-only-other-2048.pkcs8.pem")]})
        simulator, gateway = start_gateway(tve, folder, "gateway", sessions=sessions)
        broker = json.loads(gateway.file.read_text())["broker"]["origin"]
        key = serialization.load_pem_private_key((KEYS / "test-only-other-2048.pkcs8.pem").read_bytes(), None).public_key()
        value = base64.b64encode(key.encrypt(b"77754", padding.PKCS1v15())).decode()
        addresses = {name: f"http://127.0.0.1:{port}" for name, port in (
            ("public", service.port), ("internal", service.internal), ("decryption", decryption), ("gateway", gateway.port))}
        addresses["broker"] = broker
        documents = {name: str(folder / f"{name}-contract.json") for name in CONTRACTS}
        served = {"service": ask(service.internal, "/openapi.json")[2],
                  "broker": ask(urllib.parse.urlsplit(broker).port, "/sim/openapi.json")[2]}
        for name, place in CONTRACTS.items():
            committed = (ROOT / "Sources" / place / "openapi.json").read_bytes()
            assert served[name] == committed, f"{name}: the contract that is served is another one"
            pathlib.Path(documents[name]).write_bytes(committed)
        statement, tokens = (folder / "tv.statement").read_text(), Tokens(tve)
        for language in wanted:
            began = time.monotonic()
            given = {"addresses": addresses, "tokens": [tokens.issue() for _ in range(4)], "value": value, "secret": secret,
                     "statement": statement}
            if language == "models":
                load_models(folder, documents)
            elif language == "python":
                make_python(folder, documents)
                import calls
                expect_all(language, documents["broker"], calls.make(**given, browse=browse))
            elif language == "java":
                path = make_java(folder, documents)
                (folder / "given.json").write_text(json.dumps(given))
                expect_all(language, documents["broker"], run("java", "-cp", path, "Calls", "given.json", folder=folder).splitlines())
            else:
                sys.exit(__doc__)
            print(f"{language}: {time.monotonic() - began:.0f} s")
        gateway.stop()
        simulator.stop()
        service.stop()


if __name__ == "__main__":
    main()
