/** A page with the calls and callbacks of the operator's library; what was other before is said where it is. */
const CHANNELS = ["SampleNews", "SampleSports", "SampleMovies"];
/** Opened at `localhost`, the page is of another origin than its gateway. */
const GATEWAY = location.hostname === "localhost" ? `http://127.0.0.1:${location.port}` : location.origin;
let accessEnabler;

const byId = (id) => document.getElementById(id);

function show(id) {
  for (const one of ["signed-out", "picker", "signed-in"]) byId(one).hidden = one !== id;
}

/** Shows a callback; no token and no address is shown. */
function note(name, ...values) {
  const line = document.createElement("li");
  line.textContent = `${name} ${JSON.stringify(values)}`;
  byId("callbacks").prepend(line);
}

function button(list, text, action) {
  const [item, made] = [document.createElement("li"), document.createElement("button")];
  [made.type, made.textContent, made.onclick] = ["button", text, action];
  item.append(made);
  byId(list).append(item);
}

// MARK: Callbacks, which the library calls by their names

function entitlementLoaded() {
  note("entitlementLoaded");
  // Before: new AccessEnabler.AccessEnabler(softwareStatement), which is at the gateway now.
  accessEnabler = new AccessEnabler.AccessEnabler({ gateway: GATEWAY });
  accessEnabler.bind("errorEvent", "errorEvent");
  // Before: the requestor; now the app's name in the gateway's settings.
  accessEnabler.setRequestor("web");
  accessEnabler.checkAuthentication();
  for (const channel of CHANNELS) button("channels", channel, () => accessEnabler.getAuthorization(channel));
  byId("sign-in").onclick = () => accessEnabler.getAuthentication();
  byId("cancel").onclick = () => accessEnabler.setSelectedProvider(null);
  byId("sign-out").onclick = () => accessEnabler.logout();
}

function setAuthenticationStatus(isAuthenticated, errorCode) {
  note("setAuthenticationStatus", isAuthenticated, errorCode);
  byId("status").textContent = isAuthenticated ? "You are signed in." : "You are not signed in.";
  show(isAuthenticated ? "signed-in" : "signed-out");
  accessEnabler.getSelectedProvider();
  if (!isAuthenticated) return;
  accessEnabler.getMetadata("TTL_AUTHN");
  accessEnabler.getMetadata("maxRating");
  accessEnabler.checkPreauthorizedResources(CHANNELS);
}

function displayProviderDialog(providers) {
  note("displayProviderDialog", providers.map((provider) => provider.ID));
  byId("providers").replaceChildren();
  for (const { ID, displayName } of providers) {
    button("providers", displayName, () => accessEnabler.setSelectedProvider(ID));
  }
  byId("status").textContent = "";
  show("picker");
}

function selectedProvider(result) {
  note("selectedProvider", result);
  byId("account").textContent = `Your provider is ${result.MVPD}.`;
}

// Before: a media token for the page's own server; now the playback session, which the media servers take.
function setToken(resource, token) {
  note("setToken", resource, `${token.length} characters`);
  byId("status").textContent = `Playing ${resource}.`;
}

function tokenRequestFailed(resource, code, description) {
  note("tokenRequestFailed", resource, code, description);
  byId("status").textContent = description || code;
}

function preauthorizedResources(resources) { note("preauthorizedResources", resources); }
function setMetadataStatus(key, encrypted, data) { note("setMetadataStatus", key, encrypted, data); }
function sendTrackingData(event, data) { note("sendTrackingData", event, data); }
function errorEvent(error) { note("errorEvent", error); }
