import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import tve.service.ApiClient;
import tve.service.api.AppsApi;
import tve.service.api.InternalApi;
import tve.service.api.PublicApi;
import tve.service.model.*;

/** Calls of the service's contract, with the client that openapi-generator makes of it. */
final class ServiceCalls {
    private static final String CHANNEL = "DemoChannel";

    private final Map<String, String> addresses;
    private final Iterator<String> tokens;

    ServiceCalls(Map<String, String> addresses, List<String> tokens) {
        this.addresses = addresses;
        this.tokens = tokens.iterator();
    }

    private ApiClient client(String listener) { return client(listener, null); }

    private ApiClient client(String listener, String token) {
        var client = new ApiClient();
        client.updateBaseUri(addresses.get(listener));
        client.setRequestInterceptor(request -> {
            if (token != null) request.setHeader("Authorization", "Bearer " + token);
            Calls.note("service", request);
        });
        return client;
    }

    private static VerifyRequest question(String token) {
        return new VerifyRequest().token(token).requestor("REF30").resource(CHANNEL);
    }

    void verify() throws Exception {
        var service = new PublicApi(client("public"));
        var asked = question(tokens.next());
        Calls.expect("a token", service.verifyMediaToken(asked).getStatus(), Status.VALID_TOKEN);
        asked.setRedeem(true);
        var verdict = service.verifyMediaToken(asked);
        Calls.expect("a token that is redeemed", verdict.getValid(), true);
        Calls.expect("its claims", verdict.getClaims().getExpires() - verdict.getClaims().getIssued(), verdict.getClaims().getTtl());
        Calls.expect("the token again", service.verifyMediaToken(asked).getStatus(), Status.TOKEN_REPLAYED);
        var unchecked = new VerifyRequest().token("nonsense").requestor(null).resource(null);
        Calls.expect("no token", service.verifyMediaToken(unchecked).getStatus(), Status.INVALID_TOKEN_FORMAT);
        Calls.refuse("no JSON of the contract", 400, () -> service.verifyMediaToken(question(tokens.next()).resource("")));

        var mapper = new ObjectMapper();
        String row = mapper.writeValueAsString(question(tokens.next()));
        var verdicts = new ArrayList<String>();
        for (String line : Files.readAllLines(service.verifyMediaTokens(true, row + "\n" + row + "\nno row\n").toPath())) {
            verdicts.add(mapper.readTree(line).get("code").asText());
        }
        Calls.expect("a batch", verdicts, List.of("valid", "replayed", "bad_row"));
        var decisions = service.verifyDecisions("REF30", new DecisionsRequest().decisions(List.of(Map.of("resource", "x"))));
        Calls.expect("faults of a decision", decisions.getFaultCount() > 0, true);
    }

    void play() throws Exception {
        var service = new PublicApi(client("public"));
        var asked = new SessionRequest().token(tokens.next()).requestor("REF30").resource(CHANNEL).cookie(false);
        var started = service.startPlaybackSession(asked);
        Calls.expect("a session", started.getStatus() == Status.VALID_TOKEN && started.getSessionExpires() > 0, true);
        Calls.refuse("a session of a used token", 403, () -> service.startPlaybackSession(asked));
        var checked = service.authorizeWithHttpInfo("/live/demo/1.ts?playback_session=" + started.getSession(), null);
        Calls.expect("a segment", checked.getHeaders().get("x-tve-status"), List.of("VALID_TOKEN"));
        var presented = new PresentedSession().session(started.getSession());
        Calls.expect("a renewal", service.renewPlaybackSession(presented).getSessionId(), started.getSessionId());
        Calls.expect("the end", service.endPlaybackSession(presented).getRevoked().getValue(), true);
        Calls.refuse("a session that has ended", 401, () -> service.renewPlaybackSession(presented));
    }

    void operate(String value, String secret) throws Exception {
        var decryption = new InternalApi(client("decryption", secret));
        Calls.expect("user metadata", decryption.decryptUserMetadata(new DecryptionRequest().value(value)).getText(), "77754");
        Calls.refuse("no user metadata", 422, () -> decryption.decryptUserMetadata(new DecryptionRequest().value("AAAA")));
        var internal = new InternalApi(client("internal"));
        Calls.expect("health", internal.getHealth().getHealthy().getValue(), true);
        Calls.expect("readiness", internal.getReadiness("now").getReady(), true);
        Calls.expect("the version", internal.getVersion().getOpenssl().startsWith("OpenSSL"), true);
        Calls.expect("metrics", internal.getMetrics().contains("tve_verdicts_total"), true);
        Calls.expect("the contract as JSON", internal.getDescriptionAsJSON().containsKey("paths"), true);
        Calls.expect("the contract as YAML", Files.readString(internal.getDescription().toPath()).startsWith("openapi: 3."), true);
        var revoked = internal.revokePlaybackSessions(new RevocationRequest().subscriber("none"));
        Calls.expect("a revocation lasts", revoked.getUntil() > System.currentTimeMillis(), true);
    }

    void watch() throws Exception {
        var info = new DeviceInfo().model("Phone").osName("Android").displayWidth(3840L);
        var device = new AppsApi(client("gateway")).registerDevice(new DeviceRequest().app("tv").deviceInfo(info), 1);
        Calls.expect("a device", device.getCode(), DeviceToken.CodeEnum.REGISTERED);
        var gateway = new AppsApi(client("gateway", device.getDeviceToken()));
        Calls.expect("the choice", gateway.beginAuthentication(null, new SignInRequest()).getCode(), Step.CodeEnum.CHOOSE);
        Calls.expect("providers", gateway.getProviders(null, null).getProviders().get(0).getId(), "SampleCable");
        var step = gateway.beginAuthentication(null, new SignInRequest().mvpd("SampleCable").returnTo("https://app.example.com/done"));
        Calls.expect("the browser's part", step.getCode(), Step.CodeEnum.OPEN);
        String end = Calls.browse(step.getUrl(), addresses.get("gateway"));
        String code = end.substring(end.indexOf("returned=") + "returned=".length());
        Calls.expect("the return", gateway.proveReturn(new ReturnProof().returned(code), null).getCode(), SignInStatus.CodeEnum.AUTHENTICATED);
        Calls.expect("the sign-in", gateway.getAuthentication(null, 1).getCode(), SignInStatus.CodeEnum.AUTHENTICATED);
        Calls.expect("the profile", gateway.getProfile(null, 1).getAttributes(), Map.of("zip", List.of("77754")));
        var asked = new PreauthorizationRequest().resources(List.of("TestChannel"));
        Calls.expect("what may be watched", gateway.preauthorize(asked, null).getPermitted(), List.of("TestChannel"));
        var play = gateway.startPlay(new PlayRequest().resource("TestChannel").cookie(false), null);
        Calls.expect("a play", play.getCode(), Play.CodeEnum.PLAYING);
        var checked = new PublicApi(client("gateway")).authorizeWithHttpInfo("/live/TestChannel/1.ts?playback_session=" + play.getSession(), null);
        Calls.expect("a segment of the play", checked.getHeaders().get("x-tve-status"), List.of("VALID_TOKEN"));
        Calls.expect("the sign-out", gateway.logOut(null, new SignOutRequest()).getCode(), SignOut.CodeEnum.OPEN);
        Calls.expect("the device", gateway.forgetDevice(null).getCode(), Done.CodeEnum.FORGOTTEN);
    }
}
