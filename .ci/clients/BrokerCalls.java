import java.io.File;
import java.nio.file.Files;
import java.util.Base64;
import java.util.List;
import tve.broker.ApiClient;
import tve.broker.ApiException;
import tve.broker.api.BrokerApi;
import tve.broker.api.ControlApi;
import tve.broker.api.RegistrationApi;
import tve.broker.model.*;

/** Calls everything that the simulator's contract has, with the client that openapi-generator makes of it. */
final class BrokerCalls {
    private static final String BRAND = "REF30", CABLE = "SampleCable";
    private static final String DEVICE = "fingerprint " + encoded("generated");
    private static final String INFO = encoded("{\"model\":\"TV\",\"version\":\"1\",\"osName\":\"tvOS\",\"osVersion\":\"18.2\"}");

    private final String url, statement;
    private final ApiClient client = new ApiClient();
    private final BrokerApi broker;
    private final ControlApi control;
    private String accessToken;

    private BrokerCalls(String url, String statement) {
        this.url = url;
        this.statement = statement;
        client.updateBaseUri(url);
        client.setRequestInterceptor(request -> {
            if (accessToken != null) request.setHeader("Authorization", "Bearer " + accessToken);
            Calls.note("broker", request);
        });
        // A part of the client takes from it what is set by then.
        broker = new BrokerApi(client);
        control = new ControlApi(client);
    }

    static void make(String url, String statement) throws Exception {
        var calls = new BrokerCalls(url, statement);
        calls.look();
        calls.register();
        calls.signIn();
        calls.decide();
        calls.signOut();
        calls.signInByPartner();
        calls.control();
    }

    private static String encoded(String text) { return Base64.getEncoder().encodeToString(text.getBytes()); }

    private void look() throws Exception {
        Calls.expect("health", control.health().getSimulated().getValue(), true);
        Calls.expect("the contract as JSON", control.openapiAsJSON().containsKey("paths"), true);
        Calls.expect("the contract as YAML", text(control.openapi()).startsWith("openapi: 3."), true);
        for (File key : List.of(control.mediaKey(), control.weakKey(), control.accessKey())) {
            Calls.expect("a key", text(key).startsWith("-----BEGIN "), true);
        }
        Calls.expect("keys", control.keySet().getKeys().get(0).getKty(), "RSA");
        Calls.expect("a statement", control.softwareStatement(BRAND, null).split("\\.").length, 3);
    }

    private static String text(File file) throws Exception { return Files.readString(file.toPath()); }

    private void register() throws Exception {
        accessToken = token(statement);
        var found = broker.callConfiguration(BRAND, DEVICE, INFO, null).getRequestor();
        Calls.expect("providers", found.getMvpds().size(), 6);
    }

    /** The access token of a client that is registered with a statement. */
    private String token(String statement) throws ApiException {
        var registration = new RegistrationApi(client);
        var made = registration.register(INFO, new Registration().softwareStatement(statement), null);
        var token = registration.token(INFO, "client_credentials", made.getClientId(), made.getClientSecret(), null);
        Calls.expect("how long an access token lasts", token.getExpiresIn(), 21_600L);
        return token.getAccessToken();
    }

    private void signIn() throws Exception {
        String back = url + "/sim/activate?done=1";
        var begun = broker.startSession(DEVICE, INFO, BRAND, null, null, null, null, null, null, "127.0.0.1", back);
        Calls.expect("what a session without provider lacks", begun.getMissingParameters(), List.of("mvpd"));
        Calls.expect("the device", broker.session(BRAND, begun.getCode(), null, null).getDevice().get("model"), "TV");
        var resumed = broker.resumeSession(BRAND, begun.getCode(), null, null, CABLE, null, null);
        Calls.expect("the next action", resumed.getActionName(), "authenticate");
        Calls.refuse("the browser's way", 302, () -> broker.userAgent(BRAND, begun.getCode()));
        Calls.browse(url + resumed.getUrl());
        var profile = broker.profileByCode(BRAND, resumed.getCode(), null, null, null).getProfiles().get(CABLE);
        Calls.expect("the ZIP codes", profile.getAttributes().get("zip").getValue(), List.of("77754"));
        Calls.expect("profiles", broker.profiles(DEVICE, INFO, BRAND, null, null, null, null, null, null).getProfiles().size(), 1);
        Calls.expect("a profile lasts", profile(CABLE).getNotBefore() < profile(CABLE).getNotAfter(), true);
    }

    private Profile profile(String mvpd) throws ApiException {
        return broker.profile(DEVICE, INFO, BRAND, mvpd, null, null, null, null, null, null, null).getProfiles().get(mvpd);
    }

    private Decision authorize(String mvpd) throws ApiException {
        var one = new Resources().resources(List.of(BRAND));
        return broker.authorize(DEVICE, INFO, BRAND, mvpd, one, null, null, null, null, null, null, null).getDecisions().get(0);
    }

    private void decide() throws Exception {
        var token = authorize(CABLE).getToken();
        Calls.expect("how long a media token lasts", token.getNotAfter() - token.getNotBefore(), 420_000L);
        var several = new Resources().resources(List.of(BRAND, "sim:deny"));
        var found = broker.preauthorize(DEVICE, INFO, BRAND, CABLE, several, null, null, null, null, null, null, null);
        Calls.expect("a denial", found.getDecisions().get(1).getError().getCode(), "preauthorization_denied_by_mvpd");
        Calls.expect("temporary access", authorize("TempPass").getSource(), "temppass");
        String own = accessToken;
        Calls.refuse("a reset by an application", 403, () -> broker.resetTemporaryAccess(BRAND, "TempPass", null));
        accessToken = token(control.softwareStatement(BRAND, "temporary:passes:owner").strip());
        broker.resetTemporaryAccess(BRAND, "TempPass", null);
        broker.resetPromotionalAccess(BRAND, "PromoPass", "all");
        accessToken = own;
    }

    private void signOut() throws Exception {
        var left = broker.logout(DEVICE, INFO, url + "/sim/activate?done=1", BRAND, CABLE, null, null, null, null, null);
        Calls.expect("what is left to do", left.getLogouts().get(CABLE).getActionName(), "logout");
    }

    private void signInByPartner() throws Exception {
        var question = new PartnerQuestion().mappingId("sample-satellite");
        String status = control.askPartner(question).getStatus();
        var session = broker.startPartnerSession(
            DEVICE, INFO, BRAND, "Apple", null, status, null, null, "example.com", "https://example.com/");
        question.setVerificationToken(session.getAuthenticationRequest().getRequest());
        String answer = control.askPartner(question).getSamlResponse();
        var made = broker.createPartnerProfile(DEVICE, INFO, BRAND, "Apple", answer, null, status, null);
        Calls.expect("a partner's profile", made.getProfiles().get("SampleSatellite").getType(), "appleSSO");
    }

    private void control() throws Exception {
        var world = control.world();
        Calls.expect("the world, put back", control.replaceWorld(world), world);
        var clock = control.changeClock(new ClockChange().advance(1_000L).freeze(true));
        Calls.expect("the clock", control.clock().getOffset(), clock.getOffset());
        control.changeClock(new ClockChange().set(new ClockTime("2030-01-02T03:04:05Z")));
        Calls.expect("the clock that was set", control.clock().getTime(), 1_893_553_445_000L);
        control.changeClock(new ClockChange().set(new ClockTime(1_893_553_446_000L)));
        Calls.expect("the clock that was set by a number", control.clock().getTime(), 1_893_553_446_000L);
        control.activate("one", new NewScenario().scenario("throttled").endpoints(List.of("logout")));
        Calls.expect("scenarios", control.scenarios().getScenarios().get(0).getId(), "one");
        control.deactivate("one");
        control.changeThrottle(new Throttle().mode("documented").retryAfter(7));
        Calls.expect("the throttle", control.throttle().getRetryAfter(), 7);
        Calls.expect("the journal", control.requests().getRequests().get(0).getNumber(), 1L);
        control.clearRequests();
        var device = new NewProfile().mvpd(CABLE).client("none").device("none");
        Calls.refuse("a profile of no client", 404, () -> control.grantProfile(device));
        var order = new MediaTokenOrder().requestor(BRAND).resource("TestChannel").mvpd(CABLE);
        Calls.expect("a token", control.mintMediaToken(order).getSerializedToken().startsWith("PHNp"), true);
        control.expire(new Expiry().what(Expiry.WhatEnum.PROFILES));
        Calls.refuse("a client that is not there", 404, () -> control.revoke(new Revocation().client("none")));
        control.reset(new Beginning().world(world));
    }
}
