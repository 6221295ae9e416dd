"""Makes openapi.json of each openapi.yaml, and checks that generators of clients can take them.

    python3 .ci/contracts.py             compares what is there
    python3 .ci/contracts.py --write     writes openapi.json anew

People write and read the YAML, and programs take the JSON, which the service and the simulator serve beside it. There is one
source: no program of ours reads YAML, so the JSON is made here, with PyYAML, and lies beside it. Each path and each component
is a line, so that a change of one is a change of one line.
"""

import json
import pathlib
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONTRACTS = [ROOT / "Sources" / folder / "openapi.yaml" for folder in ("Service/TVEService", "Broker/BrokerSimulation")]


def written(content):
    """The JSON of a contract: objects of the first levels have a line for each member."""
    def text(value, depth):
        if not depth or not isinstance(value, dict) or not value:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return "{\n" + ",\n".join(f"{json.dumps(name)}:{text(member, depth - 1)}" for name, member in value.items()) + "\n}"

    parts = {name: text(value, {"paths": 1, "components": 2}.get(name, 0)) for name, value in content.items()}
    return "{\n" + ",\n".join(f"{json.dumps(name)}:{part}" for name, part in parts.items()) + "\n}\n"


def aliases(text):
    """The lines with aliases: SnakeYAML refuses more than 50 of them, and other readers lose them."""
    return [event.start_mark.line + 1 for event in yaml.parse(text, yaml.SafeLoader) if isinstance(event, yaml.AliasEvent)]


def schema_faults(value, place):
    """What generators read wrongly, or not at all, in a schema and the schemas in it."""
    kinds = value.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    faults = []
    if "const" in value:
        faults.append("const: write an enum of one")
    if "enum" in value and not kinds:
        faults.append("an enum without a type")
    if "integer" in kinds and value.get("format") not in ("int32", "int64"):
        faults.append("an integer without the format int32 or int64")
    if "array" in kinds and "items" not in value:
        faults.append("an array without items")
    if "allOf" in value and "properties" in value:
        faults.append("properties beside an allOf, which generators lose")
    return [f"{place}: {fault}" for fault in faults]


def walk(value, place=""):
    """The faults of all schemas in a part of a contract."""
    if isinstance(value, list):
        return [fault for number, part in enumerate(value) for fault in walk(part, f"{place}/{number}")]
    if not isinstance(value, dict):
        return []
    return schema_faults(value, place) + [fault for name, part in value.items() for fault in walk(part, f"{place}/{name}")]


def references(value):
    """All places in the contract that a part of it names."""
    if isinstance(value, list):
        return {name for part in value for name in references(part)}
    if not isinstance(value, dict):
        return set()
    own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
    return own.union(*(references(part) for part in value.values()))


def reference_faults(content):
    """References to nothing, and components that nothing names."""
    there = {f"#/components/{kind}/{name}" for kind, parts in content["components"].items() if kind != "securitySchemes"
             for name in parts}
    named = references(content)
    return [f"{name}: {'is named by nothing' if name in there else 'is not there'}" for name in sorted(there ^ named)]


def faults(path):
    text = path.read_text()
    content = yaml.safe_load(text)
    found = [f"line {line}: an alias" for line in aliases(text)] + walk(content) + reference_faults(content)
    made = path.with_suffix(".json")
    if not made.exists() or made.read_text() != written(content):
        found.append(f"{made.name} is not what this makes of it: python3 .ci/contracts.py --write")
    return [f"{path.relative_to(ROOT)}: {fault}" for fault in found]


def main():
    if sys.argv[1:] == ["--write"]:
        for path in CONTRACTS:
            path.with_suffix(".json").write_text(written(yaml.safe_load(path.read_text())))
    found = [fault for path in CONTRACTS for fault in faults(path)]
    print("\n".join(found) if found else "the contracts are right, and openapi.json is openapi.yaml")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
