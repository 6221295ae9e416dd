"""Modules of the other folders, loaded by path because each folder has a package called `cases`."""

import importlib.util
import pathlib
import sys

VECTORS = pathlib.Path(__file__).resolve().parents[2]


def load(path):
    """Adds the module to `sys.modules`, because data classes look up their own module there."""
    name = path.replace("/", "_")
    specification = importlib.util.spec_from_file_location(name, VECTORS / f"{path}.py")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


token_builder = load("media_tokens/cases/builder")
token_verifier = load("media_tokens/reference_verifier")
metadata_builder = load("metadata_decryption/cases/builder")
metadata_decrypter = load("metadata_decryption/reference_decrypter")
