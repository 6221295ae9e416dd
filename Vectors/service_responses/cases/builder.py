"""Bodies, encrypted values and tokens."""

from .neighbours import metadata_builder, token_builder
from .suite import KEYS, compact

NOW = token_builder.NOW
ISSUED, EXPIRES = token_builder.ISSUED, token_builder.EXPIRES
START, END = ISSUED - 86_400_000, ISSUED + 30 * 86_400_000


def encrypted(text, key="issuer-2048"):
    return metadata_builder.standard(metadata_builder.pkcs1(text, key, number="service response"))


def token(key="issuer-2048", **fields):
    """A media token as REST carries it: Base64 of the plain text."""
    return token_builder.standard(token_builder.token(token_builder.body(**fields), key)).decode()


TOKEN = token()


def changed_token(old, new):
    """A token whose text was changed after it was signed."""
    text = token_builder.token(token_builder.body()).decode()
    assert old in text
    return token_builder.standard(text.replace(old, new).encode()).decode()


def other(**members):
    """Unknown members, each as its JSON text."""
    return {name: compact(value) for name, value in members.items()}


def plain(name, value, kind, typed=None, raw=None):
    """What must be made of a plain attribute. `raw` is the text of a string, and the JSON text of everything else."""
    raw = raw if raw is not None else value if isinstance(value, str) else compact(value)
    attribute = {"name": name, "state": "plain", "kind": kind, "raw": raw}
    return attribute if typed is None else attribute | {"value": typed}


def secret(name, raw, text=None, kind=None, typed=None, key=KEYS[0], code=None):
    """What must be made of an encrypted attribute, and of its text; or the code of the refusal."""
    attribute = {"name": name, "state": "encrypted", "kind": "text", "raw": raw}
    if code:
        return attribute | {"decryption": {"code": code}}
    return attribute | {"decryption": {"text": text, "key": key, "kind": kind, "value": typed}}
