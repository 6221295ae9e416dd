/**
 * Asks the gateway.
 *
 * A web app of the same site has its device in a cookie that no script can read. Other apps, here the TV, keep the text
 * of a device token and send it with each request.
 */

/** What viewers read if the provider has no text for them; `detail` is for those who build the app. */
const TEXTS = {
  retry: "This does not work at the moment.",
  sign_in: "Sign in to go on.",
  choose_provider: "Choose your provider to go on.",
};

/** What the gateway refused: a stable code, what the app should do (`action`), and a text for viewers. */
export class Refusal extends Error {
  constructor(status, body, retryAfter = null) {
    super(body.message ?? TEXTS[body.action] ?? "This cannot be done.");
    this.status = status;
    this.code = body.code ?? "unreadable";
    this.action = body.action ?? "none";
    this.links = (body.links ?? []).filter((link) => link.startsWith("https://"));
    this.retryAfter = retryAfter;
  }
}

/** Codes that mean: this device has no token, or an old one. It registers again, and asks once more. */
const UNREGISTERED = new Set(["no_device_token", "bad_device_token", "device_token_expired", "device_token_revoked"]);

/** A token is renewed when less than this is left of it: a week. */
const RENEWAL = 7 * 24 * 3600 * 1000;

export class Gateway {
  /**
   * @param app the app's id in the gateway's settings
   * @param deviceInfo what the device says of itself; left out, the broker knows the browser's `User-Agent` alone
   * @param inCookie whether the device token is in a cookie that no script can read; otherwise it is in `localStorage`
   * @param onCall is told of each request: method, path, status, and the answer's code and detail
   */
  constructor({ app, deviceInfo, inCookie = false, onCall = () => {} }) {
    this.app = app;
    this.deviceInfo = deviceInfo;
    this.inCookie = inCookie;
    this.onCall = onCall;
  }

  get = (path, signal) => this.#asDevice("GET", path, undefined, signal);
  post = (path, body = {}) => this.#asDevice("POST", path, body);
  remove = (path) => this.#asDevice("DELETE", path);

  /** Forgets this device: signs out at the provider, and erases what the gateway knows of it. */
  async forget() {
    await this.remove("/v1/devices");
    this.#keep(null);
  }

  async #asDevice(method, path, body, signal) {
    await this.#renew();
    try {
      return await this.#ask(method, path, body, signal);
    } catch (refusal) {
      if (!UNREGISTERED.has(refusal.code)) throw refusal;
      // Requests that run at the same time wait for one registration.
      this.registering ??= this.#register().finally(() => { this.registering = null; });
      await this.registering;
      return this.#ask(method, path, body, signal);
    }
  }

  async #register() {
    this.#keep(null);
    const { app, deviceInfo } = this;
    this.#keep(await this.#ask("POST", "/v1/devices", { app, deviceInfo, cookie: this.inCookie }));
  }

  async #renew() {
    const device = this.#device();
    if (!device || device.expires - Date.now() > RENEWAL) return;
    try {
      this.#keep(await this.#ask("POST", "/v1/devices/renew"));
    } catch (refusal) {
      // The request itself will say what is wrong with the token.
      if (!UNREGISTERED.has(refusal.code)) throw refusal;
    }
  }

  /** The end of the token, and unless it is in a cookie, the token. */
  #device() {
    return JSON.parse(localStorage.getItem(`device ${this.app}`));
  }

  #keep(device) {
    if (!device) return localStorage.removeItem(`device ${this.app}`);
    const { deviceToken, expires } = device;
    localStorage.setItem(`device ${this.app}`, JSON.stringify({ deviceToken, expires }));
  }

  async #ask(method, path, body = method === "GET" ? undefined : {}, signal = undefined) {
    const headers = {};
    // Also where no body is needed: a cookie changes nothing unless the request is JSON, which no form can send.
    if (body) headers["Content-Type"] = "application/json";
    const token = this.#device()?.deviceToken;
    if (token) headers.Authorization = `Bearer ${token}`;
    let answer, content;
    try {
      answer = await fetch(path, {
        method, headers, signal,
        body: body && JSON.stringify(body),
        credentials: this.inCookie ? "same-origin" : "omit",
      });
      content = await answer.json();
    } catch (error) {
      if (error.name === "AbortError") throw error;
      this.onCall({ method, path, status: answer?.status ?? 0, code: "no answer" });
      throw new Refusal(answer?.status ?? 0, { code: "no_answer", action: "retry" });
    }
    this.onCall({ method, path, status: answer.status, code: content.code, detail: content.detail });
    if (!answer.ok) throw new Refusal(answer.status, content, Number(answer.headers.get("Retry-After")) || null);
    return content;
  }
}
