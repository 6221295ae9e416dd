/** What both pages need to show things: elements, one section at a time, live regions, the list of requests. */

/** Makes an element. Texts are never read as HTML, since providers write some of them. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export const byId = (id) => document.getElementById(id);

const moment = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });

/** An instant of the gateway, milliseconds since 1970, for people. */
export const when = (milliseconds) => moment.format(milliseconds);

/**
 * Shows some of the sections, hides the others, and moves the focus to the heading of the first one, so that a keyboard
 * and a screen reader go on there.
 */
export function show(...ids) {
  const sections = [...document.querySelectorAll("main section")];
  const wasShown = sections.filter((section) => !section.hidden).map((section) => section.id);
  for (const section of sections) section.hidden = !ids.includes(section.id);
  if (wasShown.length && wasShown.join() !== ids.join()) byId(ids[0]).querySelector("h2").focus();
}

/** Says something that changed; screen readers read it when they are done with what they read now. */
export function say(text) {
  byId("status").textContent = text;
}

/** Says that something failed, with links of the provider and perhaps a button that tries again. */
export function warn(text, { links = [], again = null, label = "Try again" } = {}) {
  const parts = [element("p", {}, text)];
  for (const link of links) {
    const more = element("a", { href: link, rel: "noreferrer noopener", target: "_blank" }, new URL(link).host);
    parts.push(element("p", {}, more));
  }
  if (again) parts.push(element("button", { type: "button", onclick: () => { calm(); again(); } }, label));
  byId("alert").replaceChildren(...parts);
  // On a phone the list of channels is longer than the window.
  byId("alert").scrollIntoView({ block: "nearest" });
}

/** Takes back what {@link warn} said. */
export function calm() {
  byId("alert").replaceChildren();
}

// On a phone the list of requests would push the page away; it opens with a tap.
for (const list of document.querySelectorAll("aside details[open]")) list.open = matchMedia("(min-width: 55rem)").matches;

/** Codes that a browser gets before it has registered: nothing is wrong. */
const EXPECTED = new Set(["no_device_token"]);

/** Adds a request to the list of what the page asks for, the newest first; none of them shows a token. */
export function note({ method, path, status, code = "", detail = null }) {
  const list = byId("requests");
  const kind = EXPECTED.has(code) ? "" : status && status < 400 ? "good" : "bad";
  const answer = element("span", { class: kind }, `${status || "–"} ${code}`);
  const said = EXPECTED.has(code) ? "This browser is new here. It registers as a device, and asks again." : detail;
  const more = said && element("small", {}, said);
  list.prepend(element("li", {}, element("code", {}, `${method} ${path}`), " ", answer, more));
  while (list.children.length > 60) list.lastChild.remove();
}
