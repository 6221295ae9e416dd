/**
 * The calls and callbacks of the operator's library for JavaScript (AccessEnabler 4), over a gateway: `tve serve` with
 * a section `broker`. It needs nothing else, and holds no secret. README.md says how to use it, and what is different.
 */
(() => {
  const NOT_SIGNED_IN = "User Not Authenticated Error", GENERIC = "Generic Authentication Error";
  const TRACKING = { AUTHENTICATION: "authenticationDetection", AUTHORIZATION: "authorizationDetection" };
  /** Codes that mean: this device has no token, or an old one. It registers, and asks once more. */
  const UNREGISTERED = /^((no|bad)_device_token|device_token_(expired|revoked))$/;
  const WEEK = 7 * 24 * 3600 * 1000;

  /** Calls a function of the page, if it has one; what that throws is its own affair. */
  function call(name, ...values) {
    try { globalThis[name]?.(...values); } catch (error) { reportError(error); }
  }

  class AccessEnabler {
    #gateway; #inCookie; #deviceInfo; #app; #visitorId; #returnTo; #handlers = []; #queue = Promise.resolve();

    /** The gateway is an origin, by default the page's; `deviceInfo` has the names of the broker's `X-Device-Info`. */
    constructor({ gateway = location.origin, deviceInfo } = {}) {
      [this.#gateway, this.#deviceInfo] = [new URL(gateway, location.href).origin, deviceInfo];
      this.#inCookie = this.#gateway === location.origin;
    }

    setRequestor(app, endpoints, options = endpoints) {
      if (Array.isArray(endpoints)) throw new TypeError("a gateway asks one broker: leave the endpoints out");
      [this.#app, this.#visitorId] = [app, options?.visitorID];
      this.#enqueue(() => this.#proveReturn().finally(() => this.#goOn(true)));
    }

    checkAuthentication() {
      // It answers at once, unless a browser has just come back without a login: then the gateway knows within seconds.
      this.#enqueue(async () => this.#tellStatus(await this.#ask("GET", "/v1/authentication?wait=10")));
    }

    getAuthentication(returnTo) { this.#enqueue(() => this.#signIn({}, returnTo)); }
    setSelectedProvider(mvpd) {
      this.#enqueue(async () => {
        if (mvpd) return this.#signIn({ mvpd }, this.#returnTo);
        const answer = await this.#ask("DELETE", "/v1/authentication");
        this.#tell(answer, "authentication_status", "setAuthenticationStatus", 0, "Provider not Selected Error");
        this.#goOn(false);
      });
    }

    getSelectedProvider() {
      const tell = ({ mvpd }) => {
        const { last = null } = this.#kept(localStorage), state = last ? "User Not Authenticated" : "New User";
        call("selectedProvider", { MVPD: mvpd ?? last, AE_State: mvpd ? "User Authenticated" : state });
      };
      this.#enqueue(async () => tell(await this.#ask("GET", "/v1/authentication")), tell);
    }

    checkAuthorization(resource) { this.#enqueue(() => this.#play(resource, { tellsStatus: true })); }
    getAuthorization(resource, returnTo) { this.#enqueue(() => this.#play(resource, { signsIn: true, returnTo })); }
    checkPreauthorizedResources(resources, cache = true) {
      this.#enqueue(async () => {
        const answer = await this.#ask("POST", "/v1/preauthorizations", { resources, cache });
        this.#tell(answer, "preauthorized", "preauthorizedResources", answer.permitted);
      }, (refusal) => this.#tell(refusal, "preauthorized", "preauthorizedResources", []));
    }

    getMetadata(key) {
      const tell = (value = null, isEncrypted = false) => call("setMetadataStatus", key, isEncrypted, value);
      this.#enqueue(async () => {
        if (key === "TTL_AUTHZ" || key === "DEVICEID") return tell();
        const { until, attributes, unreadable = [] } = await this.#ask("GET", "/v1/profile");
        if (key !== "TTL_AUTHN") return tell(attributes[key], unreadable.includes(key));
        const [, date, time] = /^(.+)T(.+)[.]/.exec(new Date(until).toISOString());
        tell(`${date.replaceAll("-", "/")} ${time} GMT +0000`);
      }, () => tell());
    }

    logout(returnTo = this.#home) {
      this.#enqueue(async () => {
        this.#goOn(false);
        const answer = await this.#ask("POST", "/v1/logout", { returnTo });
        const pages = [answer, ...answer.further ?? []].filter((step) => step.code === "open").map((step) => step.url);
        if (pages.length) return this.#leave(pages);
        this.#tell(answer, "authentication_status", "setAuthenticationStatus", 0, NOT_SIGNED_IN);
      });
    }
    /** Names a global function for the advanced errors (`errorEvent`). */
    bind(event, name) { this.#handlers.push(name); }
    unbind(event, name) { this.#handlers = name ? this.#handlers.filter((one) => one !== name) : []; }

    /** Calls run one after the other; what is refused is told as a status, or as the call wants it. */
    #enqueue(task, fail = (refusal) => this.#tellStatus(refusal)) {
      this.#queue = this.#queue.then(task).catch(fail);
    }

    async #signIn(body, returnTo = this.#home) {
      this.#returnTo = returnTo;
      const step = await this.#ask("POST", "/v1/authentication", { ...body, returnTo });
      if (body.mvpd) this.#keep(localStorage, { last: body.mvpd });
      if (step.code === "choose") {
        const providers = step.providers.map(({ id, name, logo = "", temporary = false }) => (
          { ID: id, displayName: name, logoURL: logo, tempPass: temporary, iFrameRequired: false }));
        providers.sort((one, other) => (other.ID === step.remembered) - (one.ID === step.remembered));
        return this.#tell(step, "choose_provider", "displayProviderDialog", providers);
      }
      if (step.code !== "open") return this.#goOn(this.#tellStatus(step));
      this.#tell(step);
      this.#leave([step.url]);
    }

    async #play(resource, { tellsStatus = false, signsIn = false, returnTo } = {}) {
      const answer = await this.#ask("POST", "/v1/plays", { resource, cookie: false }).catch((refusal) => refusal);
      const isSignedIn = !["sign_in", "choose_provider"].includes(answer.action);
      const tracked = answer.events?.find((one) => one.kind === "TRACKING_AUTHORIZATION")?.array[4];
      const words = isSignedIn ? tracked ?? "Generic Authorization Error" : NOT_SIGNED_IN;
      if (signsIn && !isSignedIn) {
        this.#keep(sessionStorage, { resource });
        return this.#signIn({}, returnTo);
      }
      if (tellsStatus && answer.code) call("setAuthenticationStatus", ...isSignedIn ? [1, ""] : [0, words]);
      if (answer.code === "playing") return this.#tell(answer, "permitted", "setToken", resource, answer.session);
      this.#tell(answer, "token_request_failed", "tokenRequestFailed", resource, words, answer.message ?? "");
    }

    /** Sends the browser away. When it comes back, `setRequestor` goes on: further pages of a logout, or a resource. */
    #leave([page, ...leaving]) { this.#keep(sessionStorage, { leaving }), location.assign(page); }
    #goOn(isSignedIn) {
      const { resource, leaving = [] } = this.#kept(sessionStorage);
      sessionStorage.removeItem(this.#place);
      if (leaving.length) this.#leave(leaving);
      else if (resource && isSignedIn) this.#enqueue(() => this.#play(resource));
      else if (resource) call("tokenRequestFailed", resource, NOT_SIGNED_IN, "");
    }

    /** A page of another origin gets a one-time code, by which it proves that the browser came back to it. */
    async #proveReturn() {
      const here = new URL(location), returned = here.searchParams.get("returned");
      if (!returned) return;
      here.searchParams.delete("returned");
      history.replaceState(history.state, "", here);
      this.#tell(await this.#ask("PUT", "/v1/authentication", { returned }));
    }

    #tellStatus(answer) {
      const isSignedIn = answer.code === "authenticated", { action = answer.reason ? "none" : "sign_in" } = answer;
      const words = { sign_in: NOT_SIGNED_IN, choose_provider: "Provider not Available Error" }[action] ?? GENERIC;
      this.#tell(answer, "authentication_status", "setAuthenticationStatus", ...isSignedIn ? [1, ""] : [0, words]);
      return isSignedIn;
    }

    /** Calls back, with the statuses and the analytics of the answer in their order around it. */
    #tell({ events = [], message }, name, ...callback) {
      const place = Math.max(events.findIndex((one) => one.event === name), 0);
      const tell = ({ event, kind, array, status: errorId, level = "" }) => {
        if (event === "tracking") call("sendTrackingData", TRACKING[kind.slice(9)] ?? "mvpdSelection", array);
        const error = { errorId, level: level.toLowerCase(), message };
        if (event === "status") for (const handler of this.#handlers) call(handler, error);
      };
      events.slice(0, place).forEach(tell);
      call(...callback);
      events.slice(place).forEach(tell);
    }

    get #home() { return location.origin + location.pathname; }
    /** `localStorage` has the device, and `sessionStorage` what goes on when the browser comes back. */
    get #place() { return `access-enabler ${this.#app}`; }
    #kept(storage) { return JSON.parse(storage.getItem(this.#place)) ?? {}; }
    #keep(storage, more) { storage.setItem(this.#place, JSON.stringify({ ...this.#kept(storage), ...more })); }

    async #ask(method, path, body = {}) {
      const send = () => this.#send(method, `${path}${path.includes("?") ? "&" : "?"}events=1`, body);
      const { expires } = this.#kept(localStorage);
      if (expires - Date.now() < WEEK) await this.#register("/v1/devices/renew").catch(() => {});
      return send().catch(async (refusal) => {
        if (!UNREGISTERED.test(refusal.code)) throw refusal;
        this.#keep(localStorage, { deviceToken: undefined });
        const [app, cookie, deviceInfo, visitorId] = [this.#app, this.#inCookie, this.#deviceInfo, this.#visitorId];
        await this.#register("/v1/devices", { app, cookie, deviceInfo, visitorId });
        return send();
      });
    }

    async #register(path, body) {
      const { deviceToken, expires } = await this.#send("POST", path, body);
      this.#keep(localStorage, { deviceToken, expires });
    }
    async #send(method, path, body = {}) {
      const { deviceToken } = this.#kept(localStorage), headers = {};
      if (deviceToken) headers.Authorization = `Bearer ${deviceToken}`;
      if (method !== "GET") headers["Content-Type"] = "application/json";
      body = method === "GET" ? undefined : JSON.stringify(body);
      const credentials = this.#inCookie ? "same-origin" : "omit";
      const answer = await fetch(this.#gateway + path, { method, headers, body, credentials }).catch(() => null);
      const content = await answer?.json().catch(() => null);
      if (answer?.ok && content) return content;
      const events = [{ event: "status", status: "CFG404", level: "error" }];
      throw content?.action ? content : { action: "retry", events };
    }
  }

  globalThis.AccessEnabler = Object.assign(AccessEnabler, { AccessEnabler });
  addEventListener("DOMContentLoaded", () => call("entitlementLoaded"));
})();
