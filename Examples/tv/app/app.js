/** The web app: choose a provider, sign in there, see what is permitted, play, log out. */
import { channels, channelName } from "./channels.js";
import { Gateway } from "./gateway.js";
import { byId, calm, element, note, say, show, warn, when } from "./page.js";
import { Player } from "./player.js";

const gateway = new Gateway({ app: "web", inCookie: true, onCall: note });
const player = new Player(byId("video"), (path, status) => note({ method: "GET", path, status }));
/** The entry of the app's `returnTo` list. */
const HOME = `${location.origin}/`;
/** What the app calls the attributes that the gateway lets through (`broker.apps.web.attributes`). */
const ATTRIBUTES = { householdID: "Household", maxRating: "Highest rating" };
let providerNames = new Map();
let playing = null;
let waiting = null;

/** Does something that asks the gateway, and does what its refusal says if it refuses. */
async function attempt(what, action) {
  calm();
  if (what) say(what);
  try {
    await action();
  } catch (error) {
    if (error.name === "AbortError") return;
    say("");
    refused(error, () => attempt(what, action));
  }
}

/** The gateway says what to do; the app needs no list of codes. */
function refused(error, again) {
  switch (error.action) {
    case "retry": {
      const wait = error.retryAfter ? `Wait ${error.retryAfter} seconds.` : "";
      return warn(`${error.message} ${wait}`, { again });
    }
    case "sign_in":
    case "choose_provider":
      warn(error.message, { links: error.links });
      // What this fails of is not obeyed again, or it could go on for ever.
      return chooseProvider().catch((other) => warn(other.message, { again: start }));
    default:
      return warn(error.message, { links: error.links });
  }
}

// MARK: Signing in

/** Also after the way back from a provider: only the gateway knows whether a viewer is signed in. */
const start = () => attempt("Asking the gateway …", async () => follow(await gateway.get("/v1/authentication")));

async function follow(status) {
  switch (status.code) {
    case "authenticated": return signedIn();
    case "pending": return wait();
    default:
      await chooseProvider();
      if (status.reason) warn("You are not signed in: the sign-in was cancelled, or it took too long.");
  }
}

async function chooseProvider() {
  const { providers, remembered } = await listProviders();
  const sorted = [...providers].sort((one, other) => (other.id === remembered) - (one.id === remembered));
  byId("provider-list").replaceChildren(...sorted.map((provider) => {
    const hint = provider.id === remembered ? element("small", {}, "You chose it before.") : null;
    const choose = () => attempt(`Asking ${provider.name} …`, () => signIn(provider.id));
    const name = element("span", {}, provider.name, hint);
    return element("li", {}, element("button", { type: "button", onclick: choose }, logo(provider), name));
  }));
  say("");
  show("providers");
}

/** The provider's logo; the simulated ones have none that can be loaded, so their first letters stand for it. */
function logo({ name }) {
  const letters = name.split(" ").map((word) => word[0]).join("").slice(0, 2);
  return element("span", { class: "logo", "aria-hidden": "true" }, letters);
}

async function listProviders() {
  const answer = await gateway.get("/v1/providers");
  providerNames = new Map(answer.providers.map((provider) => [provider.id, provider.name]));
  return answer;
}

async function signIn(mvpd) {
  const step = await gateway.post("/v1/authentication", { mvpd, returnTo: HOME });
  if (step.code === "open") location.assign(step.url);
  else await follow(step);
}

/** A long poll: the gateway answers when something changes. */
async function wait() {
  show("waiting");
  say("Waiting for your provider.");
  waiting = new AbortController();
  let status = { code: "pending" };
  while (status.code === "pending") status = await gateway.get("/v1/authentication?wait=25", waiting.signal);
  await follow(status);
}

byId("cancel").addEventListener("click", () => attempt("", async () => {
  waiting?.abort();
  await gateway.remove("/v1/authentication");
  await chooseProvider();
}));

// MARK: Signed in

async function signedIn() {
  if (!providerNames.size) await listProviders();
  const [profile, decisions] = await Promise.all([
    gateway.get("/v1/profile"),
    gateway.post("/v1/preauthorizations", { resources: channels.map((channel) => channel.resource) }),
  ]);
  showProfile(profile);
  showChannels(decisions);
  say(`Signed in with ${providerNames.get(profile.mvpd) ?? profile.mvpd}.`);
  show("channels", "account");
}

function showProfile({ mvpd, until, attributes, temporary }) {
  const rows = [["Provider", providerNames.get(mvpd) ?? mvpd], [temporary ? "Free until" : "Signed in until", when(until)]];
  for (const [name, value] of Object.entries(attributes)) {
    // A rating is a map of systems, for example {"MPAA": "PG-13"}.
    const isMap = value && typeof value === "object" && !Array.isArray(value);
    const text = isMap ? Object.entries(value).map((pair) => pair.join(" ")).join(", ") : String(value);
    rows.push([ATTRIBUTES[name] ?? name, text]);
  }
  byId("profile").replaceChildren(...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

function showChannels({ permitted, denied, notMentioned }) {
  const reasons = new Map(denied.map((one) => [one.resource, one.message ?? one.code]));
  byId("channel-list").replaceChildren(...channels.map(({ resource, name, about }) => {
    // What the provider does not mention is not gated, as a rule.
    const isPermitted = permitted.includes(resource) || notMentioned.includes(resource);
    const state = isPermitted ? "✓ Included" : `✕ Not available: ${reasons.get(resource) ?? "your provider did not say why"}`;
    // What is denied can be asked for all the same: the answer to a play is the one that counts.
    const label = isPermitted ? `Play ${name}` : `Ask for ${name} all the same`;
    return element("li", { class: isPermitted ? "permitted" : "denied" },
      element("h3", {}, name), element("p", {}, about), element("p", { class: "state" }, state),
      element("button", { type: "button", onclick: () => attempt(`Asking for ${name} …`, () => play(resource)) }, label));
  }));
}

// MARK: Playing

async function play(resource) {
  const answer = await gateway.post("/v1/plays", { resource });
  playing = resource;
  byId("player-title").textContent = `Playing ${channelName(resource)}`;
  const facts = [`The playback session ends at ${when(answer.sessionExpires)}.`];
  if (answer.degraded) facts.push("Your provider does not answer at the moment; the broker lets everybody in.");
  if (answer.temporary) facts.push(`This is a free preview, until ${when(answer.temporary.until)}.`);
  byId("player-facts").textContent = facts.join(" ");
  show("player");
  say(`Playing ${channelName(resource)}.`);
  player.play(`/media/${resource}/`).catch((error) => {
    warn(error.message);
    stop();
  });
}

function stop() {
  player.stop();
  show("channels", "account");
  if (!playing) return;
  // The session's cookie is of no use any more; if the request is lost, it ends by itself.
  gateway.post("/v1/playback-sessions/end", { resource: playing }).catch(() => {});
  playing = null;
}

byId("stop").addEventListener("click", () => {
  say("Stopped.");
  stop();
});

// MARK: Leaving

byId("logout").addEventListener("click", () => attempt("Logging out …", async () => {
  const step = await gateway.post("/v1/logout", { returnTo: HOME });
  if (step.code === "open") return location.assign(step.url);
  await chooseProvider();
  say("You are logged out.");
}));

byId("forget").addEventListener("click", () => attempt("Forgetting this device …", async () => {
  await gateway.forget();
  await chooseProvider();
  say("The gateway has forgotten this device. You were logged out, too.");
}));

start();
