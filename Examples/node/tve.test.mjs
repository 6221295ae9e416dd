/**
 * Tests of tve.mjs with the built program, its service, and servers and programs that stand in for them.
 *
 *     TVE=.build/release/tve node --test Examples/node/tve.test.mjs
 *
 * TVE names a program that was built with the trait Service; without it, `tve` is looked for in the PATH. TVE_ROWS is how
 * many rows the test of memory takes.
 */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inspect } from "node:util";

import { Service, TveError, decryptRows, verifyRows } from "./tve.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const ROWS = Number(process.env.TVE_ROWS ?? 100_000);
// For everything that has to happen some time, also on a busy machine.
const PATIENCE = 120_000;
const program = fs.realpathSync(process.env.TVE ?? execFileSync("which", ["tve"], { encoding: "utf8" }).trim());
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tve-node-"));
const inFolder = (name) => path.join(folder, name);
const expected = { requestor: "REF30", resource: "REF30" };
const started = new Set();
let cert, key, secret, zip;
// Each process begins at another one.
let nextPort = process.pid * 37;

function run(...command) {
    return execFileSync(command[0], command.slice(1), { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

const issue = (...options) =>
    run(program, "issue", "media-token", "--key", key, "--requestor", "REF30", "--resource", "REF30", ...options);

/** Waits for a condition, since a pause is too short on some machine. */
async function until(what, condition) {
    const end = Date.now() + PATIENCE;
    while (Date.now() < end) {
        if (await condition()) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.fail(`not in time: ${what}`);
}

/** Starts `tve serve` on free ports; gives its addresses. */
async function serve(settings) {
    const file = inFolder(`serve-${started.size}.json`);
    fs.writeFileSync(file, JSON.stringify({
        public: { port: 0 }, internal: { port: 0 }, keys: { paths: [cert] }, store: { address: "memory:" },
        authz: { requestors: ["REF30"], resources: ["/{resource} {resource}"] },
        decryption: { paths: [key], secretFile: inFolder("secret") }, ...settings,
    }));
    const process = spawn(program, ["serve", "--config", file], { stdio: ["ignore", "ignore", "pipe"] });
    started.add(process);
    let said = "";
    process.stderr.setEncoding("utf8").on("data", (text) => (said += text));
    await until("tve serve listens", () => {
        assert.equal(process.exitCode, null, said);
        return said.includes('"message":"serving"');
    });
    const serving = JSON.parse(said.split("\n").find((line) => line.includes('"message":"serving"')));
    return { public: `http://${serving.public}`, internal: `http://${serving.internal}` };
}

/** A server that stands in for the service, and its address; it ends with the test. */
async function standIn(t, answer, server = http.createServer()) {
    server.connections = 0;
    server.asked = [];
    server.on("connection", () => (server.connections += 1));
    server.on("request", async (request, response) => {
        let body = "";
        for await (const piece of request) body += piece;
        server.asked.push({ request, body });
        answer(request, response, body);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => {
        server.closeAllConnections();
        server.close();
    });
    server.url = `http://127.0.0.1:${server.address().port}`;
    return server;
}

/** A port for a program that cannot tell which it has. The system gives out those from 32768 on, so these are ours. */
async function freePort() {
    for (;;) {
        const server = net.createServer().listen(12_000 + (nextPort++ % 20_000), "127.0.0.1");
        try {
            await once(server, "listening");
            return String(server.address().port);
        } catch (failure) {
            assert.equal(failure.code, "EADDRINUSE");
        } finally {
            server.close();
        }
    }
}

/** A program that stands in for tve. */
function script(name, text) {
    const file = inFolder(name);
    fs.writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return file;
}

/** Runs tve, and writes its process number into a file first. */
const numbered = (name) => script(name, `echo $$ > ${inFolder(name)}.pid; exec ${program} "$@"`);
const numberOf = (name) => Number(fs.readFileSync(`${inFolder(name)}.pid`, "utf8"));

/** One that has ended and that nobody has waited for does not count. */
function isRunning(number) {
    try {
        return !run("ps", "-o", "stat=", "-p", String(number)).startsWith("Z");
    } catch (failure) {
        assert.equal(failure.status, 1);
        return false;
    }
}

/** What a call throws, which has to be an error of the module. */
async function failure(promise) {
    try {
        await promise;
    } catch (thrown) {
        assert.ok(thrown instanceof TveError, inspect(thrown));
        return thrown;
    }
    assert.fail("nothing was thrown");
}

async function all(rows) {
    const found = [];
    for await (const row of rows) found.push(row);
    return found;
}

const verifyAll = (rows, how) => all(verifyRows(rows, { keys: cert, program, ...how }));
const decryptAll = (rows, how) => all(decryptRows(rows, { keys: key, program, fields: "zip", ...how }));

function* endless(row) {
    for (;;) yield row;
}

before(() => {
    [cert, key, secret] = [inFolder("cert.pem"), inFolder("key.pem"), "s".repeat(40)];
    run(program, "keys", "generate", "--out", key, "--unencrypted", "--certificate", cert, "--common-name", "test");
    fs.writeFileSync(inFolder("secret"), secret, { mode: 0o600 });
    const publicKey = inFolder("public.pem");
    run("openssl", "x509", "-in", cert, "-pubkey", "-noout", "-out", publicKey);
    zip = execFileSync("openssl", ["pkeyutl", "-encrypt", "-pubin", "-inkey", publicKey], { input: "02134" }).toString("base64");
});

after(async () => {
    for (const process of started) {
        if (process.exitCode !== null) continue;
        process.kill();
        await once(process, "exit");
    }
    fs.rmSync(folder, { recursive: true });
});

describe("the service", { timeout: 2 * PATIENCE }, () => {
    let addresses, service, decryption;

    before(async () => {
        addresses = await serve();
        service = new Service(addresses.public, { timeout: PATIENCE });
        decryption = new Service(addresses.internal, { timeout: PATIENCE, secret: `${secret}\n` });
    });

    after(() => {
        service.close();
        decryption.close();
    });

    test("a good token has a verdict with claims, and passes again", async () => {
        const token = issue();
        for (const names of [expected, { requestor: null, resource: null }]) {
            const verdict = await service.verify(token, names);
            assert.deepEqual([verdict.valid, verdict.status, verdict.code], [true, "VALID_TOKEN", "valid"]);
            assert.equal(verdict.claims.resourceID, "REF30");
        }
    });

    test("a token is redeemed once", async () => {
        const token = issue();
        assert.equal((await service.verify(token, { ...expected, redeem: true })).valid, true);
        const refused = await failure(service.verify(token, { ...expected, redeem: true }));
        assert.deepEqual([refused.code, refused.status, refused.answered, refused.httpStatus],
            ["replayed", "TOKEN_REPLAYED", 200, 403]);
        // Without redeem it is not asked whether it was used.
        assert.equal((await service.verify(token, expected)).valid, true);
    });

    test("a refusal has the status and code of the verdict", async () => {
        const token = issue();
        const cases = [
            [token, { ...expected, resource: "Other" }, "resource_mismatch", "INVALID_RESOURCE_ID"],
            [token, { ...expected, requestor: "Other" }, "requestor_mismatch", "INVALID_REQUESTOR_ID"],
            [issue("--issued-at", String(Date.now() - 86_400_000)), expected, "expired", "TOKEN_EXPIRED"],
            [issue("--fault", "body-byte-changed"), expected, "bad_signature", "INVALID_SIGNATURE"],
            ["x", expected, "malformed", "INVALID_TOKEN_FORMAT"],
            [undefined, expected, "malformed", "INVALID_TOKEN_FORMAT"],
            [7, expected, "malformed", "INVALID_TOKEN_FORMAT"],
            ["\ud800", expected, "malformed", "INVALID_TOKEN_FORMAT"],
            ["x".repeat(2_097_152), expected, "too_large", "INVALID_TOKEN_FORMAT"],
            [token, { ...expected, requestor: "" }, "bad_request", "ERROR_UNKNOWN"],
        ];
        for (const [text, names, code, status] of cases) {
            const refused = await failure(service.verify(text, names));
            assert.deepEqual([refused.code, refused.status], [code, status]);
            assert.ok(refused.message.endsWith(`[${code}]`));
        }
    });

    test("nothing is unchecked or redeemed by mistake", async () => {
        for (const names of [undefined, {}, { requestor: "REF30" }, { requestor: "REF30", ressource: "REF30" },
            { ...expected, resource: 7 }, { ...expected, redeem: "no" }]) {
            await assert.rejects(service.verify("x", names), TypeError);
        }
    });

    test("a value is decrypted, or it is said why not", async () => {
        assert.equal(await decryption.decrypt(zip, { attribute: "zip" }), "02134");
        for (const [value, code] of [["!", "not_base64"], ["", "wrong_length"], ["AAAA", "wrong_length"]]) {
            const failed = await failure(decryption.decrypt(value, { attribute: "zip" }));
            assert.deepEqual([failed.code, failed.status, failed.answered], [code, "ERROR_UNKNOWN", 422]);
        }
        assert.equal((await failure(decryption.decrypt(undefined, { attribute: "zip" }))).code, "bad_request");
        await assert.rejects(decryption.decrypt(zip, {}), TypeError);
    });

    test("the secret and the listener must be right", async () => {
        const stranger = new Service(addresses.internal, { timeout: PATIENCE });
        assert.equal((await failure(stranger.decrypt(zip, { attribute: "zip" }))).code, "unauthorized");
        assert.equal((await failure(service.decrypt(zip, { attribute: "zip" }))).code, "not_found");
        assert.equal((await failure(decryption.verify("x", expected))).code, "not_found");
        stranger.close();
        assert.ok(!inspect(decryption, { depth: 9, showHidden: true }).includes(secret));
    });

    test("connections are used again, and there are no more than allowed", async (t) => {
        // What counts them passes everything on to the service.
        let connections = 0;
        const counter = net.createServer((client) => {
            connections += 1;
            const { hostname, port } = new URL(addresses.public);
            const there = net.connect(Number(port), hostname);
            client.pipe(there).pipe(client);
            for (const [one, other] of [[client, there], [there, client]]) one.on("error", () => {}).on("close", () => other.destroy());
        }).listen(0, "127.0.0.1");
        await once(counter, "listening");
        const counted = new Service(`http://127.0.0.1:${counter.address().port}`, { timeout: PATIENCE, connections: 4 });
        t.after(() => {
            counted.close();
            counter.close();
        });
        const token = issue();
        for (let call = 0; call < 20; call += 1) await counted.verify(token, expected);
        // A refusal keeps its connection, too.
        for (let call = 0; call < 5; call += 1) await failure(counted.verify(7, expected));
        assert.equal(connections, 1);
        await Promise.all(Array.from({ length: 40 }, () => counted.verify(token, expected)));
        assert.equal(connections, 4);
    });

    test("a service without its store cannot decide", async () => {
        const nowhere = net.createServer().listen(0, "127.0.0.1");
        await once(nowhere, "listening");
        const { port } = nowhere.address();
        nowhere.close();
        const { public: address } = await serve({ store: { address: `redis://127.0.0.1:${port}/0` } });
        const undecided = new Service(address, { timeout: PATIENCE });
        const failed = await failure(undecided.verify(issue(), { ...expected, redeem: true }));
        assert.deepEqual([failed.code, failed.status, failed.answered], ["store_unavailable", "ERROR_UNKNOWN", 503]);
        undecided.close();
    });
});

describe("a service that fails", { timeout: 2 * PATIENCE }, () => {
    const good = JSON.stringify({ valid: true, status: "VALID_TOKEN", code: "valid", detail: "", claims: {} });

    /** What verify throws if the service answers so. */
    async function failureOf(t, answer, options) {
        const server = await standIn(t, answer);
        const service = new Service(server.url, { timeout: PATIENCE, ...options });
        const failed = await failure(service.verify("SECRET-TOKEN", { ...expected, redeem: true }));
        service.close();
        assert.equal(failed.status, "ERROR_UNKNOWN");
        assert.ok(!inspect(failed, { depth: 9, showHidden: true }).includes("SECRET"));
        assert.equal(server.asked.length, 1);
        return failed;
    }

    test("nobody listens", async (t) => {
        const server = await standIn(t, () => {});
        server.close();
        const failed = await failure(new Service(server.url).verify("x", expected));
        assert.deepEqual([failed.code, failed.cause.code], ["unreachable", "ECONNREFUSED"]);
        const nameless = await failure(new Service("http://no-such-host.invalid").verify("x", expected));
        assert.ok(["unreachable", "timeout"].includes(nameless.code));
    });

    test("the connection ends before the answer, or within it", async (t) => {
        assert.equal((await failureOf(t, (request) => request.socket.destroy())).code, "unreachable");
        const cut = await failureOf(t, (request, response) => {
            response.writeHead(200, { "Content-Length": good.length + 1 });
            response.write(good, () => request.socket.destroy());
        });
        assert.equal(cut.code, "unreachable");
    });

    test("503 without a verdict", async (t) => {
        const busy = await failureOf(t, (request, response) => {
            response.writeHead(503).end('{"error":{"code":"busy","detail":"all places are taken"}}');
        });
        assert.deepEqual([busy.code, busy.answered], ["busy", 503]);
        const proxy = await failureOf(t, (request, response) => response.writeHead(503).end("<html>SECRET-TOKEN"));
        assert.deepEqual([proxy.code, proxy.answered], ["bad_answer", 503]);
    });

    test("a proxy that takes no body of this size", async (t) => {
        for (const page of ["<html>SECRET-TOKEN", "", '{"error":{"code":"too_large","detail":"the body is too large"}}']) {
            const server = await standIn(t, (request, response) => response.writeHead(413).end(page));
            const service = new Service(server.url, { timeout: PATIENCE });
            const refused = await failure(service.verify("SECRET-TOKEN", expected));
            assert.deepEqual([refused.code, refused.status, refused.answered], ["too_large", "INVALID_TOKEN_FORMAT", 413]);
            assert.ok(!inspect(refused, { depth: 9, showHidden: true }).includes("SECRET"));
            service.close();
        }
    });

    test("what is no verdict does not pass", async (t) => {
        const answers = ["", "SECRET-TOKEN", "null", "[]", "7", "{}", '{"valid":"true"}', '{"valid":1,"code":"valid"}',
            '{"valid":false}', '{"valid":false,"code":7,"detail":""}', '{"error":"SECRET-TOKEN"}', good.slice(0, -1)];
        for (const text of answers) {
            assert.equal((await failureOf(t, (request, response) => response.end(text))).code, "bad_answer");
        }
        for (const httpStatus of [201, 204, 302, 500]) {
            const failed = await failureOf(t, (request, response) => {
                response.writeHead(httpStatus, { Location: "http://127.0.0.1:1/" }).end(httpStatus === 204 ? undefined : good);
            });
            assert.deepEqual([failed.code, failed.answered], ["bad_answer", httpStatus]);
        }
    });

    test("an answer that is too long is not read", async (t) => {
        const closed = [];
        const failed = await failureOf(t, (request, response) => {
            closed.push(once(response, "close"));
            const more = () => !response.destroyed && response.write("x".repeat(1_000), more);
            more();
        }, { answerBytes: 10_000 });
        assert.equal(failed.code, "bad_answer");
        await Promise.all(closed);
    });

    test("an answer that does not come, or not to its end, is a timeout", async (t) => {
        for (const answer of [
            () => {},
            (request, response) => response.writeHead(200).write(" "),
            (request, response) => {
                const timer = setInterval(() => response.write(" "), 10);
                response.on("close", () => clearInterval(timer));
            },
        ]) {
            assert.equal((await failureOf(t, answer, { timeout: 200 })).code, "timeout");
        }
    });

    test("a call that waits for a connection has no more time than others", async (t) => {
        const server = await standIn(t, () => {});
        const service = new Service(server.url, { timeout: 200, connections: 1 });
        const failures = await Promise.all([1, 2, 3].map(() => failure(service.verify("x", expected))));
        assert.deepEqual(failures.map(({ code }) => code), ["timeout", "timeout", "timeout"]);
        service.close();
    });

    test("a call is repeated on a new connection if the old one has ended, but never a redemption", async (t) => {
        const seen = new Map();
        const server = await standIn(t, (request, response) => {
            const { socket } = request;
            seen.set(socket, (seen.get(socket) ?? 0) + 1);
            // The second request of each connection finds it closed.
            if (seen.get(socket) === 2) return socket.destroy();
            response.end(good);
        });
        const service = new Service(server.url, { timeout: PATIENCE });
        for (let call = 0; call < 3; call += 1) assert.equal((await service.verify("x", expected)).valid, true);
        assert.deepEqual([server.connections, server.asked.length], [3, 5]);
        assert.equal((await failure(service.verify("x", { ...expected, redeem: true }))).code, "unreachable");
        assert.deepEqual([server.connections, server.asked.length], [3, 6]);
        service.close();
    });

    test("the token is in the body alone", async (t) => {
        const server = await standIn(t, (request, response) => response.end(good));
        const service = new Service(`${server.url}/behind/a/proxy`, { timeout: PATIENCE });
        await service.verify("SECRET-TOKEN", { ...expected, redeem: true });
        service.close();
        const [{ request, body }] = server.asked;
        assert.equal(request.url, "/behind/a/proxy/v1/media-tokens/verify");
        assert.ok(!request.rawHeaders.join().includes("SECRET"));
        assert.deepEqual(JSON.parse(body), { token: "SECRET-TOKEN", ...expected, redeem: true });
    });

    test("https trusts nobody by itself", async (t) => {
        const [tlsKey, tlsCert] = [inFolder("tls-key.pem"), inFolder("tls-cert.pem")];
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", tlsKey, "-out", tlsCert, "-subj", "/CN=test",
            "-days", "2", "-addext", "subjectAltName=IP:127.0.0.1");
        const ca = fs.readFileSync(tlsCert);
        const server = await standIn(
            t, (request, response) => response.end(good), https.createServer({ key: fs.readFileSync(tlsKey), cert: ca }));
        const address = server.url.replace("http:", "https:");
        const service = new Service(address, { timeout: PATIENCE, tls: { ca } });
        assert.equal((await service.verify("x", expected)).valid, true);
        service.close();
        const failed = await failure(new Service(address, { timeout: PATIENCE }).verify("x", expected));
        assert.deepEqual([failed.code, failed.cause.code], ["unreachable", "DEPTH_ZERO_SELF_SIGNED_CERT"]);
        assert.equal(server.asked.length, 1);
    });

    test("wrong settings are refused", () => {
        for (const address of ["127.0.0.1:8080", "ftp://127.0.0.1", "", undefined]) {
            assert.throws(() => new Service(address), TypeError);
        }
        for (const timeout of [0, -1, NaN, Infinity, "5"]) assert.throws(() => new Service("http://x", { timeout }), RangeError);
        assert.throws(() => new Service("http://x", { answerBytes: 0 }), RangeError);
    });
});

describe("rows", { timeout: 10 * PATIENCE }, () => {
    test("verdicts come in the order of the rows", async () => {
        const [token, faulty] = [issue(), issue("--fault", "body-byte-changed")];
        const kinds = [
            [{ token, ...expected }, "valid"],
            [{ token, ...expected, resource: null }, "valid"],
            [{ token, ...expected, at: Date.now() + 86_400_000 }, "expired"],
            [{ token, ...expected, resource: "Other" }, "resource_mismatch"],
            [{ token: faulty, ...expected }, "bad_signature"],
            [{ token: `-${token.slice(0, 40)}`, ...expected }, "malformed"],
            [{ token: 17, ...expected }, "bad_row"],
            [{ token }, "bad_row"],
            [{ token: "\ud800", ...expected }, "bad_row"],
        ];
        const rows = Array.from({ length: 30 }, (_, number) =>
            kinds.map(([row, code]) => [{ ...row, id: [number, "é\u2028"] }, code])).flat();
        const verdicts = await verifyAll(rows.map(([row]) => row));
        assert.deepEqual(verdicts.map(({ code, id }) => [code, id]), rows.map(([row, code]) => [code, row.id]));
        assert.ok(verdicts.every(({ valid, code }) => valid === (code === "valid")));
        assert.equal(verdicts[0].claims.requestorID, "REF30");
    });

    test("rows may come from anywhere", async () => {
        async function* later() {
            for (const id of [1, 2]) yield { id };
        }
        for (const rows of [[{ id: 1 }, { id: 2 }], new Set([{ id: 1 }, { id: 2 }]), later()]) {
            const found = await decryptAll(rows, { fields: [], optionalFields: ["zip"], keys: [pathToFileURL(key), key] });
            assert.deepEqual(found.map(({ id, _tve }) => [id, _tve.ok]), [[1, true], [2, true]]);
        }
        assert.deepEqual(await verifyAll([]), []);
    });

    test("fields are decrypted, or it is said why not", async () => {
        const rows = [{ zip, left: [null, 1.5, "é"] }, { zip: "x" }, {}, { zip: "" }];
        const found = await decryptAll(rows);
        assert.deepEqual(found.map(({ _tve }) => _tve.code), [undefined, "not_base64", "missing_field", "wrong_length"]);
        assert.deepEqual([found[0].zip, found[0].left], ["02134", rows[0].left]);
        const missing = await decryptAll(rows.slice(2), { fields: [], optionalFields: "zip" });
        assert.deepEqual(missing.map(({ _tve }) => _tve.ok), [true, true]);
        const [nested] = await decryptAll([{ user: { zip }, devices: [{ zip }] }],
            { fields: ["user.zip", "devices.*.zip"], options: ["--attribute", "zip"] });
        assert.deepEqual([nested.user, nested.devices], [{ zip: "02134" }, [{ zip: "02134" }]]);
    });

    test("the first failure is thrown after the answers before, if asked for", async () => {
        const token = issue();
        const seen = [];
        const verifying = async () => {
            const rows = [{ token, ...expected }, { token, ...expected, resource: "Other" }, { token, ...expected }];
            for await (const verdict of verifyRows(rows, { keys: cert, program, failures: "throw" })) seen.push(verdict.code);
        };
        const refused = await failure(verifying());
        assert.deepEqual([seen, refused.row, refused.code, refused.status], [["valid"], 2, "resource_mismatch", "INVALID_RESOURCE_ID"]);
        const failed = await failure(decryptAll([{ zip }, { zip: "x" }], { failures: "throw" }));
        assert.deepEqual([failed.row, failed.field, failed.code, failed.status], [2, "zip", "not_base64", "ERROR_UNKNOWN"]);
        const body = { attributes: { zip: { value: "x", state: "enc" } } };
        const inBody = await failure(decryptAll([body], { fields: [], options: ["--input", "profiles"], failures: "throw" }));
        assert.ok(inBody.code === "not_base64" && inBody.field.includes("zip"));
        assert.throws(() => verifyRows([], { keys: cert, failures: "ignore" }), TypeError);
    });

    test("a token passes once if asked for", async () => {
        const token = issue();
        const rows = [{ token, ...expected }, { token, ...expected }];
        const verdicts = await verifyAll(rows, { options: ["--redeem", `sqlite:${inFolder("used.sqlite")}`] });
        assert.deepEqual(verdicts.map(({ code }) => code), ["valid", "replayed"]);
    });

    test("rows that JSON cannot hold are thrown after the answers before", async () => {
        const loop = {};
        loop.loop = loop;
        for (const row of [["x"], "x", null, undefined, 7, { a: NaN }, { a: [1 / 0] }, { a: 1n }, loop]) {
            const rows = decryptRows([{ id: 1 }, row], { keys: key, program, optionalFields: "zip" });
            assert.equal((await rows.next()).value.id, 1);
            await assert.rejects(rows.next(), TypeError);
            assert.equal((await rows.next()).done, true);
        }
        for (const rows of [7, undefined, {}]) await assert.rejects(verifyAll(rows), TypeError);
    });

    test("what the iterable throws comes after the answers before", async () => {
        async function* rows() {
            yield { id: 1 };
            yield { id: 2 };
            throw new RangeError("of the caller's own");
        }
        const seen = [];
        await assert.rejects(async () => {
            for await (const row of decryptRows(rows(), { keys: key, program, optionalFields: "zip" })) seen.push(row.id);
        }, /of the caller's own/);
        assert.deepEqual(seen, [1, 2]);
    });

    test("rows that are larger than all pipes do not block", async () => {
        const ballast = "x".repeat(1_000_000);
        const found = await decryptAll([1, 2, 3].map((id) => ({ id, zip, ballast })));
        assert.deepEqual(found.map((row) => [row.id, row.zip, row.ballast]), [1, 2, 3].map((id) => [id, "02134", ballast]));
    });

    test("a row may wait for the answer before", async () => {
        let answered = () => {};
        async function* rows() {
            for (let id = 0; id < 20; id += 1) {
                const answer = new Promise((resolve) => (answered = resolve));
                yield { id };
                await answer;
            }
        }
        let seen = 0;
        for await (const { id } of decryptRows(rows(), { keys: key, program, optionalFields: "zip" })) {
            assert.equal(id, seen++);
            answered();
        }
        assert.equal(seen, 20);
    });

    test("rows wait outside of memory", async () => {
        let given = 0;
        function* rows() {
            for (;;) yield { id: (given += 1), ballast: "x".repeat(500) };
        }
        let answered = 0;
        for await (const { id } of decryptRows(rows(), { keys: key, program, optionalFields: "zip" })) {
            assert.equal(id, (answered += 1));
            // What is in between fits into pipes, their buffers, and the pieces that tve works on.
            assert.ok(given - answered < 2_000, `${given - answered} rows`);
            if (answered === 3_000) break;
        }
    });

    test("many rows do not need more memory", async () => {
        // All rows and answers take a multiple of these 64 MB.
        const text = `
            import { decryptRows } from ${JSON.stringify(pathToFileURL(path.join(HERE, "tve.mjs")).href)};
            const [program, keys, zip, count] = process.argv.slice(1);
            async function* rows() {
                for (let id = 0; id < Number(count); id += 1) yield { id, zip, left: [id, "é\\u2028".repeat(20)] };
            }
            let answered = 0;
            for await (const row of decryptRows(rows(), { keys, program, fields: "zip" })) {
                if (row.id !== answered || row.zip !== "02134") throw new Error("row " + answered);
                answered += 1;
            }
            console.log(answered, process.resourceUsage().maxRSS);`;
        const node = [process.execPath, "--max-old-space-size=64", "--input-type=module", "-e", text];
        const said = run(...node, program, key, zip, String(ROWS));
        const [answered, kibibytes] = said.split(" ").map(Number);
        assert.equal(answered, ROWS);
        console.log(`measured: ${ROWS} rows, and at most ${Math.round(kibibytes / 1024)} MiB in Node`);
    });
});

describe("a program that fails", { timeout: 5 * PATIENCE }, () => {
    test("it is missing, or no program", async () => {
        fs.writeFileSync(inFolder("text"), "text");
        for (const name of [inFolder("nothing"), "no-such-program", folder, inFolder("text")]) {
            const failed = await failure(verifyAll([], { program: name }));
            assert.deepEqual([failed.code, failed.status], ["no_program", "ERROR_UNKNOWN"]);
            assert.ok(failed.message.includes(name));
        }
    });

    test("another program", async () => {
        const cases = [
            ["cat >/dev/null", "lost_rows", 0],
            ["exit 0", "lost_rows", 0],
            ["cat >/dev/null; echo '[1]'", "bad_answer", undefined],
            ["sed 's/^/x/'", "bad_answer", undefined],
            ["tr '\\n' ' '; yes | tr -d '\\n'", "bad_answer", undefined],
            ["cat >/dev/null; echo '{}'; echo '{}'; echo '{}'", "lost_rows", 0],
            ["echo 'error while loading shared libraries' >&2; exit 127", "failed", 127],
            ["exit 3", "failed", 3],
            [`read -r row; echo '{"error": "text"}' >&2; exit 69`, "failed", 69],
            [`read -r row; printf '{"valid": tr'; kill -9 $$`, "killed", null],
            ["read -r row; kill -15 $$", "killed", null],
            ["read -r row; exit 143", "interrupted", 143],
        ];
        for (const [index, [text, code, exitCode]] of cases.entries()) {
            const rows = [{ token: "SECRET" }, { token: "SECRET" }];
            const failed = await failure(verifyAll(rows, { program: script(`another-${index}`, text) }));
            assert.deepEqual([failed.code, failed.exitCode], [code, exitCode], text);
            assert.ok(!inspect(failed, { depth: 9, showHidden: true }).includes("SECRET"));
        }
    });

    test("tve ends with an error, and says which", async () => {
        // More rows than a pipe holds: tve ends without reading them.
        const rows = () => Array.from({ length: 20_000 }, () => ({ zip: "x" }));
        const missing = await failure(decryptAll(rows(), { keys: inFolder("no-such-key.pem") }));
        assert.deepEqual([missing.code, missing.exitCode], ["no_such_file", 66]);
        assert.ok(missing.message.includes("no-such-key.pem"));
        const unreadable = await failure(decryptAll(rows(), { keys: inFolder("secret") }));
        assert.deepEqual([unreadable.code, unreadable.exitCode], ["unreadable_key", 78]);
        for (const wrong of [{ fields: [] }, { options: ["--typo"] }, { keys: [] }, { fields: "a..b" }]) {
            assert.equal((await failure(decryptAll([{}], wrong))).exitCode, 64);
        }
        assert.equal((await decryptAll([{ zip: "x" }]))[0]._tve.code, "not_base64");
        const many = await failure(decryptAll([{ zip }, { zip: "x" }, { zip: "x" }], { options: ["--max-failures", "1"] }));
        assert.deepEqual([many.code, many.exitCode], ["too_many_failures", 2]);
        assert.equal((await failure(decryptAll([{ zip: "x" }], { options: ["--on-error=skip"] }))).code, "lost_rows");
    });

    test("much on standard error does not block", async () => {
        const loud = script("loud", `yes warning | head -c 1000000 >&2; exec ${program} "$@"`);
        assert.deepEqual(await decryptAll([{}], { fields: [], optionalFields: "zip", program: loud }), [{ _tve: { ok: true } }]);
    });

    test("it dies while the rows wait", async () => {
        async function* rows() {
            yield {};
            await new Promise(() => {});
        }
        const answers = decryptRows(rows(), { keys: key, program: numbered("dies"), optionalFields: "zip" });
        await answers.next();
        process.kill(numberOf("dies"), "SIGKILL");
        const failed = await failure(answers.next());
        assert.deepEqual([failed.code, failed.exitCode, failed.signal], ["killed", null, "SIGKILL"]);
        assert.equal((await answers.next()).done, true);
    });

    test("a consumer that stops early leaves no process", async () => {
        const ways = {
            break: async (rows) => {
                for await (const _ of rows) break;
            },
            throw: (rows) => assert.rejects(async () => {
                for await (const _ of rows) throw new RangeError("of the consumer's own");
            }, /consumer's own/),
            return: async (rows) => {
                await rows.next();
                await rows.return();
            },
        };
        for (const [way, leave] of Object.entries(ways)) {
            let isClosed = false;
            function* rows() {
                try {
                    yield* endless({ ballast: "x".repeat(1_000) });
                } finally {
                    isClosed = true;
                }
            }
            await leave(decryptRows(rows(), { keys: key, program: numbered(way), optionalFields: "zip" }));
            assert.equal(isRunning(numberOf(way)), false);
            await until("the iterable is closed", () => isClosed);
        }
        // One that was not started starts nothing.
        await decryptRows(endless({}), { keys: key, program: "no-such-program" }).return();
    });

    test("the consumer does not wait for a row that does not come", async () => {
        async function* rows() {
            yield {};
            await new Promise(() => {});
        }
        for await (const _ of decryptRows(rows(), { keys: key, program: numbered("waits"), optionalFields: "zip" })) break;
        assert.equal(isRunning(numberOf("waits")), false);
    });

    test("a program that does not end is killed", async () => {
        const stubborn = script("stubborn", `echo $$ > ${inFolder("stubborn")}.pid; trap '' TERM PIPE; echo '{}'
            while :; do sleep 0.1; done 2>/dev/null`);
        for await (const _ of verifyRows(endless({}), { keys: cert, program: stubborn })) break;
        assert.equal(isRunning(numberOf("stubborn")), false);
    });

    test("tve ends with Node", async () => {
        const text = `
            import { decryptRows } from ${JSON.stringify(pathToFileURL(path.join(HERE, "tve.mjs")).href)};
            const [program, keys] = process.argv.slice(1);
            function* rows() { for (;;) yield {}; }
            for await (const row of decryptRows(rows(), { keys, program, optionalFields: "zip" })) process.kill(process.pid, "SIGKILL");`;
        const node = spawn(process.execPath, ["--input-type=module", "-e", text, numbered("orphan"), key], { stdio: "ignore" });
        await once(node, "exit");
        await until("tve has ended", () => !isRunning(numberOf("orphan")));
    });

    test("no secret in a text or among the arguments", async () => {
        const record = inFolder("record");
        const recording = script("recording", `printf '%s\\n' "$@" >> ${record}; env >> ${record}; exec ${program} "$@"`);
        const token = issue();
        const calls = [
            () => verifyAll([{ token, ...expected, resource: "Other" }], { program: recording, failures: "throw" }),
            () => verifyAll([{ token: `x${token}`, ...expected }], { program: recording, failures: "throw" }),
            () => verifyAll([{ token, ...expected }], { program: recording, options: ["--typo"] }),
            () => decryptAll([{ zip: `${zip}!` }], { program: recording, failures: "throw" }),
            () => verifyAll([[token]], { program: recording }),
            () => verifyAll([{ token }], { program: script("echoing", `printf '%s' '${token}x'; echo`) }),
        ];
        const texts = [];
        for (const call of calls) {
            await assert.rejects(call(), (thrown) => {
                texts.push(inspect(thrown, { depth: 9, showHidden: true }));
                return true;
            });
        }
        texts.push(fs.readFileSync(record, "utf8"));
        assert.equal(texts.at(-1).split("--batch").length - 1, calls.length - 1);
        for (const text of texts) {
            for (const part of [token.slice(20, 60), zip.slice(20, 60)]) assert.ok(!text.includes(part), text);
        }
    });
});

describe("the README", { timeout: 2 * PATIENCE }, () => {
    test("its commands do what it says", async () => {
        const place = inFolder("readme");
        fs.mkdirSync(path.join(place, "bin"), { recursive: true });
        fs.symlinkSync(program, path.join(place, "bin", "tve"));
        fs.copyFileSync(path.join(HERE, "tve.mjs"), path.join(place, "tve.mjs"));
        // The ports of the page may be taken, here.
        let text = fs.readFileSync(path.join(HERE, "README.md"), "utf8");
        for (const port of ["8080", "8081", "3000"]) text = text.replaceAll(new RegExp(`\\b${port}\\b`, "g"), await freePort());
        for (const [, content, name] of text.matchAll(/^```js\n(\/\/ (\w+\.mjs)\n[^]*?)^```$/gm)) {
            fs.writeFileSync(path.join(place, name), content);
        }
        const [, commands] = text.match(/tve\.test\.mjs runs it -->\n```sh\n([^]*?)^```$/m);
        const shell = spawn("bash", ["-ec", commands], {
            cwd: place, stdio: ["ignore", "pipe", "ignore"], detached: true,
            env: { ...process.env, PATH: `${path.join(place, "bin")}:${path.dirname(process.execPath)}:${process.env.PATH}` },
        });
        // A command that fails leaves those behind that it has started.
        shell.once("exit", (code) => code && process.kill(-shell.pid));
        let said = "";
        shell.stdout.setEncoding("utf8").on("data", (piece) => (said += piece));
        const [exitCode] = await once(shell, "close");
        assert.equal(exitCode, 0, said);
        const promised = [...commands.matchAll(/^(?:node|curl) .*# (.*)$/gm)].map(([, line]) => line);
        assert.equal(promised.length, 5);
        // The last answers of the server end without a line end.
        const found = said.slice(said.indexOf("valid ")).replaceAll("}", "}\n").trim().split("\n");
        assert.deepEqual(found, promised);
    });
});
