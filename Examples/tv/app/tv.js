/** A TV: it shows a code, waits until a phone has used it, and plays. It keeps no cookies. */
import { channels, channelName } from "./channels.js";
import { Gateway } from "./gateway.js";
import { byId, calm, element, note, say, show, warn, when } from "./page.js";
import { Player } from "./player.js";
import { qrPicture } from "./qr.js";

const gateway = new Gateway({
  app: "tv", onCall: note,
  deviceInfo: {
    primaryHardwareType: "TV", model: "Set 55", manufacturer: "Sample", version: "1",
    osName: "Linux", osVersion: "6", connectionType: "wired",
  },
});
const player = new Player(byId("video"), (path, status) => note({ method: "GET", path, status }));
let session = null;
let polling = new AbortController();

/** A TV has no keyboard for long answers: whatever fails is shown, and Enter tries again. */
async function attempt(what, action) {
  calm();
  if (what) say(what);
  try {
    await action();
  } catch (error) {
    if (error.name === "AbortError") return;
    say("");
    const wantsSignIn = ["sign_in", "choose_provider"].includes(error.action);
    // What the sign-in itself fails of is not obeyed again, or it could go on for ever.
    if (wantsSignIn && action !== showCode) return attempt("Sign in to go on.", showCode);
    const again = wantsSignIn || error.action === "retry" ? () => attempt(what, action) : null;
    warn(error.message, { links: error.links, again });
    byId("alert").querySelector("button")?.focus();
  }
}

// MARK: Activation

async function showCode() {
  polling.abort();
  polling = new AbortController();
  const { signal } = polling;
  const step = await gateway.post("/v1/authentication", { secondScreen: true });
  if (step.code === "authenticated") return signedIn();
  const complete = step.activationURLComplete ?? step.activationURL;
  byId("activation-code").textContent = step.activationCode;
  byId("address").textContent = step.activationURL.replace(/^https?:\/\//, "");
  byId("address").href = complete;
  byId("code-until").textContent = `The code is good until ${when(step.until)}.`;
  byId("qr").replaceChildren(qrPicture(complete, `QR code of the address ${complete}`) ?? "");
  show("code");
  // Letter by letter, so that a screen reader spells it.
  say(`Waiting for your phone. The code is ${[...step.activationCode].join(" ")}.`);
  await activated(step.until, signal);
}

/** A long poll: the gateway answers as soon as the phone is done. */
async function activated(until, signal) {
  let status = { code: "pending" };
  while (status.code === "pending") status = await gateway.get("/v1/authentication?wait=25", signal);
  if (status.code === "authenticated") return signedIn();
  if (Date.now() >= until) return showCode();
  say("");
  warn("The sign-in has ended without success.", { again: newCode, label: "Show a new code" });
}

const newCode = () => attempt("", showCode);
byId("new-code").addEventListener("click", newCode);

// MARK: Channels

async function signedIn() {
  const [{ mvpd }, { providers }, decisions] = await Promise.all([
    gateway.get("/v1/profile"), gateway.get("/v1/providers"),
    gateway.post("/v1/preauthorizations", { resources: channels.map((channel) => channel.resource) }),
  ]);
  const provider = providers.find((one) => one.id === mvpd)?.name ?? mvpd;
  byId("account").textContent = `Signed in with ${provider}.`;
  byId("channel-list").replaceChildren(...channels.map(({ resource, name }) => {
    const isPermitted = [...decisions.permitted, ...decisions.notMentioned].includes(resource);
    const choose = () => attempt(`Asking for ${name} …`, () => play(resource));
    return element("li", {}, element("button", { type: "button", onclick: choose, class: isPermitted ? "" : "denied" },
      element("span", {}, name), element("small", {}, isPermitted ? "✓ Included" : "✕ Not available")));
  }));
  say(`This TV is activated. Signed in with ${provider}.`);
  show("channels");
  byId("channel-list").querySelector("button").focus();
}

byId("logout").addEventListener("click", () => attempt("Logging out …", async () => {
  // A TV has no browser for the provider's own logout page: what is left of it ends at the provider.
  await gateway.post("/v1/logout", {});
  await showCode();
}));

// MARK: Playing

async function play(resource) {
  const answer = await gateway.post("/v1/plays", { resource, cookie: false });
  session = answer.session;
  byId("player-title").textContent = `Playing ${channelName(resource)}`;
  show("player");
  byId("stop").focus();
  say(`Playing ${channelName(resource)}.`);
  player.play(`/media/${resource}/`, session).catch((error) => {
    stop();
    warn(error.message);
  });
}

function stop() {
  player.stop();
  show("channels");
  byId("channel-list").querySelector("button").focus();
  if (session) gateway.post("/v1/playback-sessions/end", { session }).catch(() => {});
  session = null;
}

byId("stop").addEventListener("click", stop);

// MARK: The remote control

/** Arrows go to the next thing that can be chosen, as on a remote control; Enter chooses by itself. */
document.addEventListener("keydown", (press) => {
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  if (press.key === "Escape" && !byId("player").hidden) stop();
  if (!(press.key in steps) || press.altKey || press.ctrlKey || press.metaKey) return;
  const all = [...document.querySelectorAll("main button, main a[href]")].filter((one) => one.getClientRects().length);
  const place = all.indexOf(document.activeElement);
  const next = place < 0 ? 0 : place + steps[press.key];
  if (!all[next]) return;
  press.preventDefault();
  all[next].focus();
});

attempt("Asking the gateway …", showCode);
