/**
 * Verifies media tokens and decrypts user metadata in Node, with the service `tve serve` and the program `tve`.
 *
 *     import { Service, decryptRows, verifyRows } from "./tve.mjs";
 *
 *     const service = new Service("http://127.0.0.1:8080");
 *     const verdict = await service.verify(token, { requestor: "REF30", resource: "REF30", redeem: true });
 *
 *     const trusted = new Service("http://127.0.0.1:8081", { secret });
 *     const text = await trusted.decrypt(value, { attribute: "zip" });
 *
 *     for await (const verdict of verifyRows(rows, { keys: "issuer.pem" })) console.log(verdict.id, verdict.code);
 *     for await (const row of decryptRows(rows, { keys: ["new-key.pem", "old-key.pem"], optionalFields: ["zip"] })) …
 *
 * Copy this file into your project: it needs Node 18, and nothing else; rows also need the program `tve`.
 *
 * Rows may come from any iterable or async iterable of objects. Generators give one answer for each, in the same order,
 * while rows still come. Only a few rows are in memory at a time. `tve help rows` describes rows and answers. The first
 * `next` starts the program. Leaving the loop early, or calling `return`, ends it. If the iterable throws, the rows
 * before are answered, and then the generator throws the same.
 *
 * Tokens and values go to the service in bodies and to the program through a pipe, never in addresses or arguments, and
 * no error's text contains one.
 *
 * @module tve
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";

// Milliseconds in which tve ends after it was told to. After them, it is killed.
const STOP_MILLISECONDS = 5_000;
// Exit codes after SIGINT and SIGTERM.
const INTERRUPTED = [130, 143];
// A connection that was not used for so long is closed: before the service does, after 75 s (limits.idleSeconds).
const IDLE_MILLISECONDS = 30_000;
// A row has at most 16 MiB, and its answer little more.
const LINE_BYTES = 32 * 1024 * 1024;
// How much is kept of what the program says on standard error; the explanation comes just before the summary, which is the
// last line.
const SAID_CHARACTERS = 8_192;
const LINE_END = 0x0a;

/**
 * What this module throws.
 *
 * `code` is one of tve's stable codes, or one of these. Of the service: `unreachable`, `timeout`, `bad_answer` (not an
 * answer of tve, or one that is too long). Of the program: `no_program` (cannot be started), `killed` (by a signal),
 * `interrupted` (asked to end), `failed` (an exit code without an explanation), `bad_answer`, `lost_rows` (fewer or more
 * answers than rows).
 *
 * `status` is the verdict's, such as `TOKEN_EXPIRED`; what cannot be a token has `INVALID_TOKEN_FORMAT`, also if the
 * service gives no verdict on it. Else it is `ERROR_UNKNOWN` without a verdict. Whatever it is, do not start the stream.
 */
export class TveError extends Error {
    /**
     * @param {string} message
     * @param {string} code
     * @param {{status?: string, answered?: number, row?: number, field?: string, exitCode?: number | null,
     *     signal?: string | null, cause?: unknown}} facts
     */
    constructor(message, code, { status = "ERROR_UNKNOWN", cause, ...facts } = {}) {
        super(`${message} [${code}]`, cause === undefined ? undefined : { cause });
        this.name = "TveError";
        this.code = code;
        this.status = status;
        /** The status of the service's answer in HTTP, if it has answered. @type {number | undefined} */
        this.answered = facts.answered;
        /** The number of the row, from 1 on. @type {number | undefined} */
        this.row = facts.row;
        /** The field that could not be decrypted. @type {string | undefined} */
        this.field = facts.field;
        /** The exit code of the program, or null if a signal ended it. @type {number | null | undefined} */
        this.exitCode = facts.exitCode;
        /** The signal that ended the program. @type {string | null | undefined} */
        this.signal = facts.signal;
    }

    /** What to answer to your own client: 401, 403, or 503 if there was no decision. */
    get httpStatus() {
        switch (this.status) {
            case "INVALID_TOKEN_FORMAT": case "INVALID_SIGNATURE": case "TOKEN_EXPIRED": case "TOKEN_NOT_YET_VALID":
                return 401;
            case "INVALID_RESOURCE_ID": case "INVALID_REQUESTOR_ID": case "TOKEN_REPLAYED":
                return 403;
            default:
                return 503;
        }
    }
}

/**
 * A listener of `tve serve`: the public one verifies, and the internal one, or that of `decryption.port`, decrypts.
 *
 * It is for all requests of your server: connections stay open and are used again. `node:http` is used and not `fetch`,
 * because its agent says how many connections there are, and for how long; it follows no redirect, which would send a
 * token elsewhere; and the time and the size of an answer have exact limits.
 */
export class Service {
    #url;
    #headers;
    #timeout;
    #answerBytes;
    #agent;
    #request;

    /**
     * @param {string | URL} url where the listener is, such as `http://127.0.0.1:8080`
     * @param {object} options
     * @param {number} [options.timeout] milliseconds until a call fails, with all that it waits for
     * @param {number} [options.answerBytes] how long an answer may be
     * @param {number} [options.connections] how many there are at most; further calls wait for one, within their time
     * @param {string} [options.secret] that of `decryption.secretFile`
     * @param {https.AgentOptions} [options.tls] for `https`: `ca`, `cert`, `key`
     */
    constructor(url, { timeout = 5_000, answerBytes = 1_048_576, connections = 32, secret, tls } = {}) {
        this.#url = new URL(url);
        if (!["http:", "https:"].includes(this.#url.protocol)) throw new TypeError("a service has an http or https address");
        if (!this.#url.pathname.endsWith("/")) this.#url.pathname += "/";
        if (![timeout, answerBytes, connections].every((limit) => Number.isSafeInteger(limit) && limit > 0)) {
            throw new RangeError("timeout, answerBytes and connections are whole numbers above 0");
        }
        const transport = this.#url.protocol === "https:" ? https : http;
        this.#request = transport.request;
        this.#agent = new transport.Agent({ ...tls, keepAlive: true, maxSockets: connections, timeout: IDLE_MILLISECONDS });
        this.#headers = { "Content-Type": "application/json", Accept: "application/json" };
        if (secret !== undefined) this.#headers["Authorization"] = `Bearer ${secret.trim()}`;
        this.#timeout = timeout;
        this.#answerBytes = answerBytes;
    }

    /**
     * Verifies one token, and returns the verdict with its `claims`; throws a TveError unless the token is valid.
     *
     * `requestor` and `resource` say what it must be for; null leaves it unchecked. With `redeem` it passes once. If the
     * service does not answer such a call, the token may be used up all the same: the client needs a new one.
     *
     * @param {string | null | undefined} token what the client sent; without one it is refused as an empty one is
     * @param {{requestor: string | null, resource: string | null, redeem?: boolean}} expected
     * @returns {Promise<{valid: true, status: string, code: string, detail: string, claims: Record<string, any>, key: string}>}
     */
    async verify(token, { requestor, resource, redeem = false }) {
        // An option whose name is misspelt must not leave something unchecked.
        for (const name of [requestor, resource]) {
            if (name !== null && typeof name !== "string") {
                throw new TypeError("requestor and resource are strings, or null for unchecked");
            }
        }
        if (typeof redeem !== "boolean") throw new TypeError("redeem is true or false");
        // The service would take what a client can send for a fault of this program, and answer without a verdict.
        if (typeof (token ?? "") !== "string" || /\p{Surrogate}/u.test(token ?? "")) {
            throw new TveError("the token is not a text of whole characters", "malformed", { status: "INVALID_TOKEN_FORMAT" });
        }
        const { answered, content } = await this.#ask(
            "v1/media-tokens/verify", { token: token ?? "", requestor, resource, redeem }, !redeem);
        // A proxy before the service may take smaller bodies, and answers with a page of its own.
        if (answered === 413) {
            throw new TveError("the text is too long for a token", "too_large", { status: "INVALID_TOKEN_FORMAT", answered });
        }
        const answer = expectObject(content, answered);
        if (answered === 200 && answer.valid === true && answer.status === "VALID_TOKEN" && answer.claims) return answer;
        throw refusal(answer.valid === false ? answer : answer.error, answered);
    }

    /**
     * Decrypts one value in Base64, and returns its text; throws a TveError.
     *
     * `attribute` is what the value is of, such as "zip": a text counts only if it looks like one.
     *
     * @param {string} value
     * @param {{attribute: string}} what
     * @returns {Promise<string>}
     */
    async decrypt(value, { attribute }) {
        if (typeof attribute !== "string") throw new TypeError("attribute is a string");
        const { answered, content } = await this.#ask("v1/user-metadata/decrypt", { value, attribute }, true);
        const answer = expectObject(content, answered);
        if (answered === 200 && typeof answer.text === "string") return answer.text;
        throw refusal(answer.error, answered);
    }

    /** Closes all connections. Without it, those that are not in use do not keep Node from ending. */
    close() {
        this.#agent.destroy();
    }

    /** The status and the bytes that answer a body. `repeats`: whether asking twice is the same as asking once. */
    #ask(path, body, repeats) {
        return this.#send(path, JSON.stringify(body), performance.now() + this.#timeout, repeats);
    }

    #send(path, body, deadline, repeats) {
        return new Promise((resolve, reject) => {
            const headers = { ...this.#headers, "Content-Length": Buffer.byteLength(body) };
            const request = this.#request(new URL(path, this.#url), { method: "POST", agent: this.#agent, headers });
            let [answered, over] = [false, false];
            const fail = (failure) => {
                if (over) return;
                over = true;
                clearTimeout(timer);
                if (failure instanceof TveError) return reject(failure);
                // The service closes a connection that was not used for long, also while a request is on its way.
                if (repeats && request.reusedSocket && !answered) return resolve(this.#send(path, body, deadline, repeats));
                reject(new TveError(`no answer from ${this.#url.host}`, "unreachable", { cause: failure }));
            };
            const timer = setTimeout(() => {
                fail(new TveError(`no answer within ${this.#timeout} ms`, "timeout"));
                request.destroy();
            }, Math.max(0, deadline - performance.now()));
            request.on("error", fail);
            request.on("response", (response) => {
                answered = true;
                this.#content(response).then((content) => {
                    clearTimeout(timer);
                    resolve({ answered: response.statusCode, content });
                }, fail);
            });
            request.end(body);
        });
    }

    async #content(response) {
        const pieces = [];
        let bytes = 0;
        // To leave this loop is to close the connection.
        for await (const piece of response) {
            bytes += piece.length;
            if (bytes > this.#answerBytes) {
                throw new TveError(`the answer is longer than ${this.#answerBytes} bytes`, "bad_answer",
                    { answered: response.statusCode });
            }
            pieces.push(piece);
        }
        return Buffer.concat(pieces);
    }
}

/**
 * Verifies many tokens: a generator of verdicts.
 *
 * @param {Iterable<object> | AsyncIterable<object>} rows objects with `token`, `requestor`, `resource` (null: unchecked),
 *     and if wanted `id`, `at`, `leeway`
 * @param {object} how
 * @param {string | URL | (string | URL)[]} how.keys certificates or public keys of the issuer: a path, or several
 * @param {"return" | "throw"} [how.failures] "return": a refused token is a verdict with `valid` false; "throw": the
 *     first one is thrown as a TveError with its `row`
 * @param {string[]} [how.options] more options of `tve verify --batch`, such as ["--redeem", "sqlite:used.sqlite"]
 * @param {string} [how.program] the program, if it is not in the PATH
 * @returns {AsyncGenerator<Record<string, any>, void, void>}
 */
export function verifyRows(rows, { keys, failures = "return", options = [], program = "tve" }) {
    const expect = throws(failures) ? expectValid : undefined;
    return answers(program, ["verify", ...each("--keys", keys)], options, rows, expect);
}

/**
 * Decrypts fields of many rows: a generator of the rows with texts in the places of values.
 *
 * @param {Iterable<object> | AsyncIterable<object>} rows objects that JSON can hold
 * @param {object} how
 * @param {string | URL | (string | URL)[]} how.keys your private keys, the newest first: a path, or several
 * @param {string | string[]} [how.fields] names or paths of fields (`user.zip`, `devices.*.zip`) that each row has
 * @param {string | string[]} [how.optionalFields] the same for fields that a row may lack, or hold null or "" in
 * @param {"return" | "throw"} [how.failures] "return": the member `_tve` of each row says whether and why it failed, and
 *     a failed row is otherwise unchanged; "throw": the first one is thrown as a TveError with its `row` and `field`
 * @param {string[]} [how.options] more options of `tve decrypt --batch`, such as ["--max-failures", "1%"], but not
 *     --on-error
 * @param {string} [how.program] the program, if it is not in the PATH
 * @returns {AsyncGenerator<Record<string, any>, void, void>}
 */
export function decryptRows(
    rows, { keys, fields = [], optionalFields = [], failures = "return", options = [], program = "tve" }) {
    const expect = throws(failures) ? expectDecrypted : undefined;
    const named = [...each("--field", fields), ...each("--optional-field", optionalFields)];
    return answers(program, ["decrypt", ...each("--keys", keys), ...named], options, rows, expect);
}

function each(option, values) {
    const list = values === undefined ? [] : Array.isArray(values) ? values : [values];
    return list.map((value) => `${option}=${value instanceof URL ? fileURLToPath(value) : value}`);
}

function throws(failures) {
    if (!["return", "throw"].includes(failures)) throw new TypeError('failures is "return" or "throw"');
    return failures === "throw";
}

function expectObject(content, answered) {
    const answer = parsed(content);
    if (answer) return answer;
    throw new TveError("the service answered with something other than a JSON object; is it tve serve?", "bad_answer",
        { answered });
}

/** What a verdict or a fault of the service says. */
function refusal(said, answered) {
    if (typeof said?.code !== "string" || typeof said.detail !== "string") {
        return new TveError("the service answered with neither a verdict nor a fault; is it tve serve?", "bad_answer",
            { answered });
    }
    const status = typeof said.status === "string" ? said.status : undefined;
    return new TveError(said.detail, said.code, { status, answered });
}

function expectValid(verdict, row) {
    if (verdict.valid !== true) {
        throw new TveError(`row ${row}: ${verdict.detail}`, verdict.code, { status: verdict.status, row });
    }
}

function expectDecrypted(answer, row) {
    const mark = answer._tve;
    if (mark?.ok !== true) {
        // Bodies of a service have a list of failures.
        const failure = mark?.failures?.[0] ?? mark;
        const field = failure?.field ?? failure?.path;
        const place = field === undefined ? `row ${row}` : `row ${row}, field ${field}`;
        throw new TveError(`${place}: not decrypted`, failure?.code, { row, field });
    }
}

/** The object that a JSON text holds, or nothing. The error of JSON.parse holds a piece of the text, so it ends here. */
function parsed(text) {
    try {
        const value = JSON.parse(text.toString());
        return typeof value === "object" && !Array.isArray(value) ? value : null;
    } catch {
        return null;
    }
}

async function* answers(program, command, options, rows, expect) {
    const all = [command[0], "--batch", "--output=json", ...command.slice(1), ...options];
    // The caller gets each failed row, and judges them; unless told, tve judges only whether all failed.
    if (!all.some((option) => option.startsWith("--max-failures"))) all.push("--max-failures=100%");
    const run = new Run(program, all);
    await run.start();
    try {
        run.give(rows);
        let row = 0;
        for await (const line of run.lines()) {
            row += 1;
            const answer = parsed(line);
            if (!answer) {
                throw new TveError("the program answered with something other than a JSON object; is it tve?", "bad_answer");
            }
            expect?.(answer, row);
            yield answer;
        }
        await run.finish(row);
    } finally {
        await run.stop();
    }
}

/** A process of tve. Rows go in and answers come out at the same time, and neither waits for more than room in a pipe. */
class Run {
    #program;
    #options;
    #process;
    /** Fulfilled when the process has ended, and all that it said was read. */
    #ended;
    /** Fulfilled when no more rows are taken. */
    #gave;
    #given = 0;
    #inputFailure;
    #said = "";

    constructor(program, options) {
        this.#program = program;
        this.#options = options;
    }

    async start() {
        try {
            this.#process = spawn(this.#program, this.#options, { stdio: "pipe" });
            await once(this.#process, "spawn");
        } catch (/** @type {any} */ failure) {
            // Without a system call it is a wrong argument of the caller.
            if (failure.syscall === undefined) throw failure;
            throw new TveError(`${this.#program} cannot be started (${failure.code}); name it with program`, "no_program");
        }
        this.#ended = new Promise((resolve) => this.#process.once("close", resolve));
        // A signal could not be sent; or nobody reads any more, and the exit code says why.
        this.#process.on("error", () => {});
        this.#process.stdin.on("error", () => {});
        this.#process.stderr.setEncoding("utf8").on("data", (text) => {
            this.#said = (this.#said + text).slice(-SAID_CHARACTERS);
        });
    }

    give(rows) {
        this.#gave = this.#giveRows(rows).catch((failure) => {
            this.#inputFailure = { failure };
        });
    }

    async #giveRows(rows) {
        const pipe = this.#process.stdin;
        try {
            for await (const row of rows) {
                const line = JSON.stringify(row, expectFinite);
                if (!line?.startsWith("{")) throw new TypeError("a row is an object");
                if (!pipe.writable) return;
                this.#given += 1;
                if (!pipe.write(line + "\n")) await room(pipe);
                // An iterable that never waits must not take the turns of everything else.
                else if (this.#given % 100 === 0) await setImmediate();
            }
        } finally {
            pipe.end();
        }
    }

    /** The lines of standard output. `node:readline` does not do: it ends lines at U+2028, and has no limit. */
    async *lines() {
        let pieces = [];
        let bytes = 0;
        for await (const chunk of this.#process.stdout) {
            let start = 0;
            for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, start)) {
                pieces.push(chunk.subarray(start, end));
                yield pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
                [pieces, bytes, start] = [[], 0, end + 1];
            }
            if (start < chunk.length) {
                pieces.push(chunk.subarray(start));
                bytes += chunk.length - start;
                if (bytes > LINE_BYTES) throw new TveError("the program answered with a line that has no end", "bad_answer");
            }
        }
        // tve was killed in the middle of a line if there is a piece left; its exit code says so.
    }

    /** Waits for the end, and throws what went wrong: in the iterable of rows, or in tve. */
    async finish(answered) {
        await this.#endWithin(STOP_MILLISECONDS);
        // tve has seen the end of the rows. Another program may not have, and the iterable may wait for ever.
        if (this.#process.exitCode === 0) await within(STOP_MILLISECONDS, this.#gave);
        if (this.#inputFailure) throw this.#inputFailure.failure;
        this.#expectNoFailure();
        if (answered !== this.#given) {
            throw new TveError(`${this.#given} rows went in, and ${answered} came out`, "lost_rows", { exitCode: 0 });
        }
    }

    /** Ends tve if it is still running. A row that the iterable is making is the last one that is taken from it. */
    async stop() {
        const { stdin, stdout } = this.#process;
        stdin.destroy();
        // tve must not wait for a reader.
        stdout.destroy();
        this.#process.kill("SIGTERM");
        await this.#endWithin(STOP_MILLISECONDS);
    }

    /** Waits for the end of the process, and brings it about if it does not come. */
    async #endWithin(milliseconds) {
        if (await within(milliseconds, this.#ended)) return;
        this.#process.kill("SIGKILL");
        // A process that this one has started may hold the pipe.
        this.#process.stderr.destroy();
        await this.#ended;
    }

    #expectNoFailure() {
        const { exitCode, signalCode } = this.#process;
        if (exitCode === 0) return;
        let [code, detail] = ["failed", ""];
        if (signalCode !== null) [code, detail] = ["killed", signalCode];
        else if (INTERRUPTED.includes(exitCode)) [code, detail] = ["interrupted", "it was asked to end"];
        else [code, detail] = this.#explanation();
        throw new TveError(`tve ended with exit code ${exitCode}: ${detail}`, code, { exitCode, signal: signalCode });
    }

    #explanation() {
        const lines = this.#said.trimEnd().split("\n");
        for (const line of [...lines].reverse()) {
            const error = parsed(line)?.error;
            if (typeof error?.code === "string" && typeof error.detail === "string") return [error.code, error.detail];
        }
        // Something else spoke, such as the system's loader about a missing library.
        return ["failed", lines[lines.length - 1].slice(0, 300)];
    }
}

/** JSON would have null for such a number, and a resource that is null is not checked. */
function expectFinite(_, value) {
    if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError("a row holds a number that JSON has not");
    return value;
}

/** Waits until a pipe takes more, or nothing any more. */
function room(pipe) {
    return new Promise((resolve) => {
        const done = () => {
            pipe.off("drain", done).off("close", done);
            resolve(undefined);
        };
        if (pipe.destroyed) resolve(undefined);
        else pipe.on("drain", done).on("close", done);
    });
}

/** Whether a promise is fulfilled within a time. */
async function within(milliseconds, promise) {
    let timer;
    const late = new Promise((resolve) => {
        timer = setTimeout(resolve, milliseconds, false);
    });
    try {
        return await Promise.race([promise.then(() => true), late]);
    } finally {
        clearTimeout(timer);
    }
}
