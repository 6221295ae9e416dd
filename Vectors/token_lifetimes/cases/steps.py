"""Functions that write sequences: events, questions and answers. They compute only the present instant."""

# 2026-01-15 17:30:00 UTC. All instants are relative to this one; no clock is read.
T = 1_768_498_200_000
SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
HIGHEST, LOWEST = 2**63 - 1, -(2**63)

R, R2 = "REF30", "REF31"
M, M2, M3 = "TestMVPD", "OtherMVPD", "ThirdMVPD"
X, X2 = "TestChannel", "OtherChannel"
PHONE, TABLET = "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c", "ffeeddccbbaa99887766554433221100ffeeddcc"


def reporting(step, reports):
    return step if reports is None else step | {"reports": reports}


# --- Events


def clock(at, back=None):
    """`back`: the distance, if the step back must be reported."""
    step = {"event": "clock", "at": at, "reports": ["clock_jumped_back"] if back else []}
    return step | {"by": back} if back else step


def authn(expires, start=None, r=R, m=M, device=None, reports=None):
    step = {"event": "record_authentication", "requestor": r, "mvpd": m, "notBefore": start, "expires": expires}
    return reporting(step | {"device": device}, reports)


def authz(expires, x=X, start=None, r=R, m=M, device=None, reports=None):
    step = {"event": "record_authorization", "requestor": r, "mvpd": m, "resource": x}
    return reporting(step | {"notBefore": start, "expires": expires, "device": device}, reports)


def refused(step, code="empty_identifier"):
    return step | {"expectedError": code}


def body(kind, text, requestor=None, reports=None):
    return reporting({"event": "record_body", "kind": kind, "body": text, "requestor": requestor}, reports)


def token(text, error=None, keys=("test-only-issuer-2048.spki.pem",)):
    step = {"event": "record_token", "token": text, "keys": list(keys)}
    return step | {"expectedError": error} if error else step


LOGOUT = {"event": "logout", "scope": "all"}
SNAPSHOT = {"event": "snapshot"}


def logout_of(m=M):
    return {"event": "logout", "scope": "mvpd", "mvpd": m}


def cancel(r=R):
    return {"event": "cancel", "requestor": r}


def select(m=M, r=R):
    return {"event": "select_mvpd", "requestor": r, "mvpd": m}


def device_changed(device):
    return {"event": "device_changed", "device": device}


def answered_authn(status, r=R, m=M):
    return {"event": "server_answered", "about": "authentication", "status": status, "requestor": r, "mvpd": m}


def answered_authz(status, x=X, r=R, m=M):
    step = {"event": "server_answered", "about": "authorization", "status": status, "requestor": r, "mvpd": m}
    return step | {"resource": x}


def allow(*issuers, r=R):
    return {"event": "allowed_issuers", "requestor": r, "issuers": list(issuers)}


def allow_all(r=R):
    return {"event": "allowed_issuers", "requestor": r, "issuers": None}


def sweep(*swept):
    return {"event": "sweep", "swept": list(swept)}


# --- Questions


def is_authn(answer, r=R, m=M):
    return {"ask": "authentication", "requestor": r, "mvpd": m, "answer": answer}


def is_authz(answer, x=X, r=R, m=M):
    return {"ask": "authorization", "requestor": r, "mvpd": m, "resource": x, "answer": answer}


def authn_expiry(answer, r=R, m=M):
    return {"ask": "authentication_expiry", "requestor": r, "mvpd": m, "answer": answer}


def authz_expiry(answer, x=X, r=R, m=M):
    return {"ask": "authorization_expiry", "requestor": r, "mvpd": m, "resource": x, "answer": answer}


def is_device(answer):
    return {"ask": "device", "answer": answer}


def is_selected(answer, r=R):
    return {"ask": "selected_mvpd", "requestor": r, "answer": answer}


def next_expiry(answer):
    return {"ask": "next_expiry", "answer": answer}


def are_expired(*entries):
    return {"ask": "expired", "answer": list(entries)}


# --- Answers

UNKNOWN = {"status": "unknown"}
# No date could be read.
EXPIRED_EVER = {"status": "expired"}


def valid(ms, instant):
    return {"status": "valid", "ms": ms, "instant": instant}


def expiring(ms, instant):
    return {"status": "expiring", "ms": ms, "instant": instant}


def expired(ms, instant):
    return {"status": "expired", "ms": ms, "instant": instant}


def expired_before(instant):
    """Expired, though the clock has not come back to the expiry."""
    return {"status": "expired", "instant": instant}


def not_yet(ms, instant):
    return {"status": "not_yet_valid", "ms": ms, "instant": instant}


def an_authn(r=R, m=M):
    return {"kind": "authentication", "requestor": r, "mvpd": m}


def an_authz(x=X, r=R, m=M):
    return {"kind": "authorization", "requestor": r, "mvpd": m, "resource": x}
