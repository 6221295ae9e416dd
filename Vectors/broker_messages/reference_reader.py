"""A plain reader of the broker's bodies, which must agree with every case. Use it for tests only."""

import base64
import binascii
import json

FIRST_PLAUSIBLE = 100_000_000_000  # 1973-03-03, in milliseconds
LAST_PLAUSIBLE = 253_402_300_799_999
MAXIMUM_DEPTH, MAXIMUM_MEMBERS, MAXIMUM_VALUES = 64, 10_000, 50_000
MAXIMUM_ELEMENTS, MAXIMUM_PROVIDERS = 1000, 3000
SECOND = 1000
LONGEST_LIFE = 31 * 86_400  # of an access token, in seconds


class Refusal(Exception):
    def __init__(self, code, *path):
        super().__init__(code, path)
        self.code = code
        self.path = "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def read(kind, data):
    """The content and the faults of a body; raises `Refusal`."""
    faults = []
    value = parse(data)
    if kind != "error" and isinstance(value, dict) and (error := error_instead(kind, value)):
        raise Refusal("service_error")
    return READERS[kind](Object(value, (), faults)), faults


# --- JSON -----------------------------------------------------------------------------------------------------


class Raw(str):
    """A number as it is spelled."""


class Members(list):
    """The pairs of an object."""


def parse(data):
    def constant(name):
        raise ValueError(name)

    try:
        text = data.decode()
        if "\x00" in text:
            raise ValueError("NUL")
        value = json.loads(
            text, object_pairs_hook=Members, parse_constant=constant, parse_int=Raw, parse_float=Raw)
        json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise Refusal("too_deep") from None
    except ValueError:
        raise Refusal("not_json") from None
    if count_of(value) > MAXIMUM_VALUES:
        raise Refusal("too_many")
    return checked(value, (), 0)


def count_of(value):
    """How many values are inside a value, at all levels."""
    if not isinstance(value, list):
        return 0
    inside = [member for _, member in value] if isinstance(value, Members) else value
    return len(inside) + sum(map(count_of, inside))


def checked(value, path, depth):
    """The value with dictionaries for objects; refuses what is too deep, too many, or there twice."""
    if not isinstance(value, list):
        return value
    if depth == MAXIMUM_DEPTH:
        raise Refusal("too_deep")
    if isinstance(value, Members):
        result = {}
        for name, member in value:
            if name in result:
                raise Refusal("duplicate_member", *path)
            result[name] = checked(member, (*path, name), depth + 1)
        return result
    return [checked(element, (*path, index), depth + 1) for index, element in enumerate(value)]


def text_of(value):
    """The JSON text of a value, with the digits that numbers had; bodies of cases are compact."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{text_of(name)}:{text_of(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(text_of, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


class Object:
    """Reads members by name; what was not asked for is unknown."""

    def __init__(self, value, path, faults):
        if not isinstance(value, dict):
            raise Refusal("wrong_type", *path)
        self.value, self.path, self.faults, self.taken = value, path, faults, set()

    def take(self, name):
        self.taken.add(name)
        return self.value.get(name)

    def require(self, name, value):
        if value is None:
            raise Refusal("missing_member", *self.path, name)
        return value

    def text(self, name):
        value = self.take(name)
        if value is not None and (not isinstance(value, str) or isinstance(value, Raw)):
            raise Refusal("wrong_type", *self.path, name)
        return value

    def identifier(self, name):
        if (text := self.text(name)) == "":
            raise Refusal("wrong_type", *self.path, name)
        return text

    def boolean(self, name):
        value = self.take(name)
        if value is not None and not isinstance(value, bool):
            raise Refusal("wrong_type", *self.path, name)
        return value

    def number(self, name, fault="wrong_type"):
        value = self.take(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise Refusal("wrong_type", *self.path, name)
        try:
            number = json.loads(value, parse_constant=lambda _: None)
        except ValueError:
            number = None
        if type(number) is not int or value.strip() != value or not -(2**63) <= number < 2**63:
            raise Refusal(fault, *self.path, name)
        return number

    def time(self, name):
        return self.number(name, "bad_timestamp")

    def instant(self, name, scale=1):
        if (number := self.time(name)) is not None:
            number *= scale
            if not FIRST_PLAUSIBLE <= number <= LAST_PLAUSIBLE:
                self.faults.append(Refusal("bad_timestamp", *self.path, name))
        return number

    def object(self, name):
        value = self.take(name)
        return None if value is None else Object(value, (*self.path, name), self.faults)

    def elements(self, name, read, limit=MAXIMUM_ELEMENTS):
        """The elements that `read` can read; the others are faults. `None` if the member is absent."""
        value = self.take(name)
        if value is None:
            return None
        if not isinstance(value, list):
            raise Refusal("wrong_type", *self.path, name)
        if len(value) > limit:
            raise Refusal("too_many", *self.path, name)
        result = []
        for index, element in enumerate(value):
            try:
                result.append(read(element, (*self.path, name, index)))
            except Refusal as refusal:
                self.faults.append(refusal)
        return result

    def texts(self, name):
        def text(value, path):
            if not isinstance(value, str) or isinstance(value, Raw):
                raise Refusal("wrong_type", *path)
            return value

        return self.elements(name, text)

    def content(self, members):
        """The members that are there, and the unknown ones as their JSON text."""
        content = {name: value for name, value in members.items() if value is not None}
        other = {name: text_of(value) for name, value in self.value.items() if name not in self.taken}
        return content | ({"other": other} if other else {})


# --- Bodies ---------------------------------------------------------------------------------------------------


def configuration(body):
    requestor = body.object("requestor") or Object(body.require("requestor", None), (), [])
    identifier = requestor.require("id", requestor.identifier("id"))
    name = requestor.text("name")
    domains = requestor.elements("domains", lambda value, path: domain(Object(value, path, body.faults))) or []

    def mvpds(parent):
        return parent.elements("mvpds", lambda value, path: mvpd(Object(value, path, body.faults)), MAXIMUM_PROVIDERS)

    providers = mvpds(requestor)
    if providers is None:
        providers = mvpds(body)
    members = {"id": identifier, "name": name, "domains": domains, "mvpds": requestor.require("mvpds", providers)}
    return body.content({"requestor": requestor.content(members)})


def domain(object):
    name = object.require("name", object.identifier("name"))
    return object.content({"name": name, "mvpdInitiated": object.boolean("mvpdInitiated")})


FLAGS = [
    "isTempPass", "isProxy", "enablePlatformServices", "displayInPlatformPicker", "enforcePlatformPermissions",
    "authPerAggregator", "passiveAuthnEnabled", "authPerBrowserSession",
]


def mvpd(object):
    members = {"id": object.require("id", object.identifier("id"))}
    members |= {name: object.text(name) for name in ("displayName", "logoUrl", "boardingStatus", "platformMappingId")}
    return object.content(members | {name: object.boolean(name) for name in FLAGS})


def missing_parameters(body):
    names = body.texts("missingParameters")
    return (body.texts("missing") or []) if names is None else names


def session(body):
    action = body.require("actionName", body.identifier("actionName"))
    members = {
        "actionName": action,
        "actionType": body.require("actionType", body.identifier("actionType")),
        "reasonType": body.text("reasonType") or "none",
        "sessionId": body.require("sessionId", body.identifier("sessionId")),
        "serviceProvider": body.require("serviceProvider", body.identifier("serviceProvider")),
        "url": body.text("url"),
        "code": body.identifier("code"),
        "mvpd": body.identifier("mvpd"),
        "missingParameters": missing_parameters(body),
    }
    # Warnings about instants come after the faults of the lists.
    parts, body.faults = body.faults, []
    members |= {"notBefore": body.instant("notBefore"), "notAfter": body.instant("notAfter")}
    warnings, body.faults = body.faults, parts
    if request := body.object("authenticationRequest"):
        members["authenticationRequest"] = authentication_request(request)
    body.faults += warnings
    return body.content(members)


def authentication_request(object):
    members = {name: object.require(name, object.identifier(name)) for name in ("type", "request")}
    try:
        members["xml"] = base64.b64decode(members["request"], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        pass
    return object.content(members | {"attributesNames": object.texts("attributesNames") or []})


def session_status(body):
    existing = body.object("existingParameters") or body.object("existing")
    if existing is None:
        raise Refusal("missing_member", "existingParameters")
    provider = existing.require("serviceProvider", existing.identifier("serviceProvider"))
    parameters = {"serviceProvider": provider, "mvpd": existing.identifier("mvpd"), "domain": existing.text("domain")}
    if parameters["domain"] is None:
        parameters["domain"] = existing.text("domainName")
    parameters["redirectUrl"] = existing.text("redirectUrl")
    members = {"existingParameters": existing.content(parameters), "missingParameters": missing_parameters(body)}
    parts, body.faults = body.faults, []
    members |= {"notBefore": body.instant("notBefore"), "notAfter": body.instant("notAfter")}
    warnings, body.faults = body.faults, parts
    try:
        if found := body.object("device"):
            members["device"] = device(found)
    except Refusal as refusal:
        body.faults.append(refusal)
    body.faults += warnings
    return body.content(members)


def device(object):
    members = {name: object.text(name) for name in ("type", "model", "applicationId")}
    members["version"] = version(object)
    for name in ("hardware", "operatingSystem", "browser", "display"):
        if part := object.object(name):
            texts = {text: part.text(text) for text in ("name", "family", "vendor", "manufacturer")}
            members[name] = part.content(texts | {"version": version(part)})
    if connection := object.object("connection"):
        texts = {name: connection.text(name) for name in ("ipAddress", "type")}
        members["connection"] = connection.content(
            texts | {"port": connection.number("port"), "secure": connection.boolean("secure")})
    return object.content(members)


def version(object):
    if found := object.object("version"):
        numbers = {name: found.number(name) for name in ("major", "minor", "patch")}
        return found.content(numbers | {"profile": found.text("profile")})
    return None


def logout(body):
    steps = body.require("logouts", body.take("logouts"))
    if not isinstance(steps, dict):
        raise Refusal("wrong_type", "logouts")
    if len(steps) > MAXIMUM_ELEMENTS:
        raise Refusal("too_many", "logouts")
    found = []
    for key, step in steps.items():
        try:
            found.append(logout_step(key, Object(step, ("logouts", key), body.faults)))
        except Refusal as refusal:
            body.faults.append(refusal)
    return body.content({"logouts": found})


def logout_step(key, step):
    members = {
        "key": key,
        "mvpd": step.identifier("mvpd"),
        "actionName": step.require("actionName", step.identifier("actionName")),
        "actionType": step.require("actionType", step.identifier("actionType")),
        "url": step.text("url"),
    }
    return step.content(members)


# --- Errors ---------------------------------------------------------------------------------------------------

ERROR_TEXTS = ["action", "code", "message", "details", "helpUrl", "trace"]
MAIN_MEMBERS = {
    "configuration": ["requestor"], "session": ["actionName"], "session-status": ["existingParameters", "existing"],
    "logout": ["logouts"], "profiles": ["profiles"], "decisions": ["decisions"],
}


def error_instead(kind, value):
    """Whether a body has an error object instead of its main member."""
    if kind not in MAIN_MEMBERS or any(value.get(name) is not None for name in MAIN_MEMBERS[kind]):
        return False
    try:
        found = error(Object(value, (), []))
    except Refusal:
        return False
    return "status" in found or isinstance(value.get("error"), dict)


def error(body):
    inner = body.value.get("error")
    if body.value.get("status") is not None or body.value.get("code") is not None or not isinstance(inner, dict):
        return error_object(body)
    content = error_object(Object(inner, ("error",), body.faults))
    known = [*ERROR_TEXTS, "status", "error", *inner]
    beside = {name: text_of(value) for name, value in body.value.items() if name not in known}
    other = content.pop("other", {}) | beside
    return content | ({"other": other} if other else {})


def error_object(body):
    status = body.take("status")
    if status is not None and not (isinstance(status, str) and len(status) == 3 and status.isdigit()):
        raise Refusal("wrong_type", *body.path, "status")
    texts = {name: body.text(name) for name in ERROR_TEXTS}
    if status is None and texts["code"] is None:
        raise Refusal("missing_member", *body.path, "code")
    return body.content(texts | {"status": int(status) if status else None})


def profiles(body):
    """As much of profiles as the cases here need; see ../service_responses for the rest."""
    found = []
    for key, value in body.require("profiles", body.take("profiles")).items():
        profile = Object(value, ("profiles", key), body.faults)
        members = {"mvpd": key, "notBefore": profile.instant("notBefore"), "notAfter": profile.instant("notAfter")}
        members |= {"issuer": profile.text("issuer"), "type": profile.text("type")}
        members["attributes"] = [attribute(name, part) for name, part in (profile.take("attributes") or {}).items()]
        found.append(profile.content(members))
    return body.content({"profiles": found})


def attribute(name, part):
    value, code = part.get("value"), part.get("error")
    other = {key: text_of(text) for key, text in part.items() if key not in ("value", "state")}
    members = {"name": name}
    if value is None and isinstance(code, str) and not isinstance(code, Raw):
        members["error"] = code
        del other["error"]
    elif "value" not in part:
        members["fault"] = "bad_attribute"
    elif part.get("state") != "plain":
        members["fault"] = "unknown_state"
    if "value" in part:
        members["value"] = text_of(value)
    return members | ({"other": other} if other else {})


def decisions(body):
    """As much of decisions as the cases here need; see ../service_responses for the rest."""
    found = []
    for index, value in enumerate(body.require("decisions", body.take("decisions"))):
        decision = Object(value, ("decisions", index), body.faults)
        members = {name: decision.require(name, decision.identifier(name)) for name in DECISION_NAMES}
        members |= {"authorized": decision.boolean("authorized"), "source": decision.text("source")}
        if failure := decision.object("error"):
            members["error"] = error_object(failure)
        found.append(decision.content(members))
    return body.content({"decisions": found})


DECISION_NAMES = ["resource", "serviceProvider", "mvpd"]


# --- Registration ---------------------------------------------------------------------------------------------


def credentials(body):
    members = {name: body.require(name, body.identifier(name)) for name in ("client_id", "client_secret")}
    members["client_id_issued_at"] = body.instant("client_id_issued_at", SECOND)
    members |= {name: body.texts(name) or [] for name in ("redirect_uris", "grant_types")}
    members["scopes"] = scopes(body)
    return body.content(members)


def scopes(body):
    """An array of texts in which none may be broken, or one text."""
    given = body.take("scopes")
    if isinstance(given, str) and not isinstance(given, Raw):
        return given.replace(",", " ").split()
    if given is None:
        return []
    if not isinstance(given, list) or any(not isinstance(name, str) or isinstance(name, Raw) for name in given):
        raise Refusal("wrong_type", *body.path, "scopes")
    return given


def access_token(body):
    members = {
        "access_token": body.require("access_token", body.identifier("access_token")),
        "id": body.text("id"),
        "created_at": body.require("created_at", body.instant("created_at")),
        "expires_in": body.require("expires_in", body.time("expires_in")),
        "token_type": body.text("token_type"),
    }
    if members["expires_in"] < 0 or members["expires_in"] * SECOND >= 2**63:
        raise Refusal("bad_timestamp", "expires_in")
    if members["expires_in"] > LONGEST_LIFE:
        body.faults.append(Refusal("bad_timestamp", "expires_in"))
    return body.content(members | {"expires": members["created_at"] + members["expires_in"] * SECOND})


def registration_error(body):
    members = {"error": body.require("error", body.identifier("error"))}
    return body.content(members | {name: body.text(name) for name in ("error_description", "error_uri")})


def registration_request(body):
    members = {"software_statement": body.require("software_statement", body.identifier("software_statement"))}
    return body.content(members | {"redirect_uri": body.text("redirect_uri")})


READERS = {
    "configuration": configuration, "session": session, "session-status": session_status, "logout": logout,
    "error": error, "profiles": profiles, "decisions": decisions, "credentials": credentials,
    "access-token": access_token, "registration-error": registration_error,
    "registration-request": registration_request,
}
