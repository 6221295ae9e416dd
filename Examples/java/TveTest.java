import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.crypto.Cipher;

/** The tests of {@code Tve.java}, which {@code check.py} runs with the settings that it makes: a service, keys, a program. */
public final class TveTest {
    private static final int ROWS = 100_000;
    private static final String VALID = "{\"valid\":true,\"status\":\"VALID_TOKEN\",\"code\":\"valid\",\"detail\":\"\",\"claims\":"
        + "{\"sessionGUID\":\"0\",\"requestorID\":\"REF30\",\"resourceID\":\"REF30\",\"ttl\":1,\"issued\":1,\"expires\":2,"
        + "\"mvpdId\":\"M\"}}";

    private final Map<?, ?> setting;
    private final Path folder;
    private final String program;
    private final String issuer;
    private final String key;
    private final PublicKey publicKey;
    private final Tve service;
    private final Tve decryption;
    private final Tve.Tool tool;
    private final String token;
    private final List<String> secrets = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private int checks;

    private TveTest(String file) throws Exception {
        setting = (Map<?, ?>) Tve.Json.read(Files.readAllBytes(Path.of(file)));
        folder = Path.of(given("folder"));
        program = given("program");
        issuer = given("issuer");
        key = given("key");
        String pem = Files.readString(Path.of(issuer)).replaceAll("-----[A-Z ]+-----|\\s", "");
        publicKey = KeyFactory.getInstance("RSA").generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(pem)));
        // The debug build of the program is slow on a busy machine; what is tested with a short limit sets it.
        service = new Tve(given("public")).withTimeout(Duration.ofSeconds(60));
        decryption = new Tve(given("decryption")).withTimeout(Duration.ofSeconds(60)).withSecret(given("secret") + "\n");
        tool = new Tve.Tool(program);
        token = issue();
        secrets.add(given("secret"));
    }

    private String given(String name) {
        return (String) setting.get(name);
    }

    // Single tokens and values over the service

    private void oneToken() throws Exception {
        Tve.VerifiedToken verified = service.verify(token, "REF30", "REF30");
        equal("resource", verified.resourceID(), "REF30");
        equal("requestor", verified.requestorID(), "REF30");
        equal("provider", verified.mvpdId(), "TestMVPD");
        equal("proxy", verified.proxyMvpdId().isPresent(), false);
        equal("lifetime", verified.issued().plus(verified.ttl()), verified.expires());
        equal("subscriber", verified.sessionGUID().length(), 32);
        equal("verdict", verified.verdict().get("code"), "valid");
        equal("what a log would hold", verified.toString(), "Tve.VerifiedToken");
        equal("it passes again", service.verify(token, "REF30", "REF30").resourceID(), "REF30");
        String wrapped = Base64.getEncoder().encodeToString(token.getBytes(StandardCharsets.UTF_8));
        equal("in Base64", service.verify(wrapped, Tve.UNCHECKED, Tve.UNCHECKED).resourceID(), "REF30");
        equal("a proxy", service.verify(issue("--proxy-mvpd", "Proxy"), "REF30", "REF30").proxyMvpdId().get(), "Proxy");
    }

    private void refusedTokens() throws Exception {
        refused(() -> service.verify(token, "REF30", "Other"), "INVALID_RESOURCE_ID", "resource_mismatch", 403);
        refused(() -> service.verify(token, "Other", "REF30"), "INVALID_REQUESTOR_ID", "requestor_mismatch", 403);
        refused(() -> service.verify(issue("--fault", "expired"), "REF30", "REF30"), "TOKEN_EXPIRED", "expired", 401);
        refused(() -> service.verify(issue("--fault", "body-byte-changed"), "REF30", "REF30"), "INVALID_SIGNATURE", "bad_signature", 401);
        for (String text : Arrays.asList("", null, "x", "-", "--help", "\0", token.substring(9), "\ud800", "{}")) {
            refused(() -> service.verify(text, "REF30", "REF30"), "INVALID_TOKEN_FORMAT", "malformed", 401);
        }
        for (int length : new int[] {65_537, 3_000_000}) {
            refused(() -> service.verify("A".repeat(length), "REF30", "REF30"), "INVALID_TOKEN_FORMAT", "too_large", 401);
        }
        // All characters of this token count for six bytes on the way: more than the service takes.
        refused(() -> service.verify("é".repeat(60_000), "REF30", "REF30"), "INVALID_TOKEN_FORMAT", "too_large", 401);
        // The text of UNCHECKED is a resource like others: it could come from a client.
        refused(() -> service.verify(token, "REF30", "unchecked"), "INVALID_RESOURCE_ID", "resource_mismatch", 403);
        for (String nothing : new String[] {null, ""}) {
            thrown(IllegalArgumentException.class, () -> service.verify(token, "REF30", nothing));
            thrown(IllegalArgumentException.class, () -> service.redeem(token, nothing, "REF30"));
        }
    }

    private void oneUse() throws Exception {
        String once = issue();
        refused(() -> service.redeem(once, "REF30", "Other"), "INVALID_RESOURCE_ID", "resource_mismatch", 403);
        equal("a refusal uses nothing up", service.redeem(once, "REF30", "REF30").resourceID(), "REF30");
        refused(() -> service.redeem(once, "REF30", "REF30"), "TOKEN_REPLAYED", "replayed", 403);
        // Of many threads that come with one token, one wins.
        String raced = issue();
        AtomicInteger passed = new AtomicInteger(), replayed = new AtomicInteger();
        together(8, () -> {
            try {
                service.redeem(raced, "REF30", "REF30");
                passed.incrementAndGet();
            } catch (Tve.TokenRefused refusal) {
                if (refusal.code().equals("replayed")) replayed.incrementAndGet();
            }
        });
        equal("winners", List.of(passed.get(), replayed.get()), List.of(1, 7));
        Tve away = new Tve(given("storeless")).withTimeout(Duration.ofSeconds(60));
        equal("without a store a token can be verified", away.verify(once, "REF30", "REF30").resourceID(), "REF30");
        refused(() -> away.redeem(issue(), "REF30", "REF30"), "ERROR_UNKNOWN", "store_unavailable", 503);
    }

    private void oneValue() throws Exception {
        equal("text", decryption.decrypt(encrypted("02134"), "zip"), "02134");
        String foreign = Base64.getEncoder().encodeToString(new byte[256]);
        secrets.add(foreign);
        Map<String, String> wrong = new LinkedHashMap<>();
        wrong.put(foreign, "undecryptable");
        wrong.put("&&&&", "not_base64");
        wrong.put("AAAA", "wrong_length");
        wrong.put("", "wrong_length");
        wrong.put(null, "not_a_string");
        for (Map.Entry<String, String> value : wrong.entrySet()) {
            Tve.NotDecrypted failure = thrown(Tve.NotDecrypted.class, () -> decryption.decrypt(value.getKey(), "zip"));
            equal("code", failure.code(), value.getValue());
        }
        for (Tve other : List.of(new Tve(given("decryption")), new Tve(given("decryption")).withSecret("x".repeat(32)))) {
            Tve.ServiceFailed failure = failed(() -> other.withTimeout(Duration.ofSeconds(60)).decrypt(encrypted("02134"), "zip"));
            equal("without the secret", failure.answered(), 401);
        }
        equal("another listener", failed(() -> service.decrypt(encrypted("02134"), "zip")).code(), "not_found");
        for (String secret : new String[] {"", " ", "SECRET-é-SECRET", "SECRET-\n-SECRET"}) {
            IllegalArgumentException failure = thrown(IllegalArgumentException.class, () -> decryption.withSecret(secret));
            equal("the secret is not told", failure.toString().contains("SECRET"), false);
        }
        thrown(NullPointerException.class, () -> decryption.decrypt(encrypted("02134"), null));
    }

    // Services that are away, slow or wrong

    private void noService() throws Exception {
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        for (String address : List.of("http://127.0.0.1:" + free, "http://no-such-host.invalid:8080/")) {
            Tve.ServiceFailed failure = failed(() -> new Tve(address).withTimeout(Duration.ofSeconds(60)).redeem(token, "REF30", "REF30"));
            equal("code", failure.code(), "unreachable");
            equal("what to answer", List.of(failure.status(), failure.httpStatus(), failure.answered()), List.of("ERROR_UNKNOWN", 503, 0));
            equal("what to do", failure.getMessage().contains("is tve serve running there?"), true);
        }
        for (String address : List.of("127.0.0.1:8080", "ftp://a", "http://a?b", "http://SECRET@a", "/v1", "", "http:///x")) {
            IllegalArgumentException failure = thrown(IllegalArgumentException.class, () -> new Tve(address));
            equal("no password is told", failure.toString().contains("SECRET"), false);
        }
        thrown(IllegalArgumentException.class, () -> service.withTimeout(Duration.ZERO));
    }

    private void otherAnswers() throws Exception {
        Map<String, List<?>> answers = new LinkedHashMap<>();
        String page = "<h1>503 Service Temporarily Unavailable</h1>", busy = "{\"error\":{\"code\":\"busy\",\"detail\":\"later\"}}";
        answers.put(http(503, "text/html", page, "Retry-After: 7"), List.of("bad_answer", 503, 7));
        answers.put(http(503, "application/json", busy, "Retry-After: 2"), List.of("busy", 503, 2));
        answers.put(http(500, "application/json", "{\"error\":{\"code\":7}}", "Retry-After: soon"), List.of("bad_answer", 500, 0));
        answers.put(http(302, "text/html", "", "Location: http://127.0.0.1:1/"), List.of("bad_answer", 302, 0));
        answers.put(http(200, "application/json", "{\"error\":{\"code\":\"busy\"}}"), List.of("bad_answer", 200, 0));
        answers.put(http(503, "application/json", VALID), List.of("bad_answer", 503, 0));
        answers.put(http(204, "text/plain", ""), List.of("bad_answer", 204, 0));
        for (String body : List.of(
            "", "hello", "[1]", "{}", "{\"valid\":true}", VALID + "x", VALID.replace("true", "\"true\""),
            VALID.replace("VALID_TOKEN", "OK"),
            VALID.replace("{\"valid\":true", "{\"valid\":false,\"valid\":true"), VALID.replace("\"ttl\":1,", ""),
            VALID.replace("\"mvpdId\":\"M\"", "\"mvpdId\":7"), VALID.replace("\"issued\":1", "\"issued\":1.5"),
            VALID.replace("\"claims\":", "\"claim\":"), VALID.substring(0, VALID.length() - 1), "[".repeat(100_000))) {
            answers.put(http(200, "application/json", body), List.of("bad_answer", 200, 0));
        }
        for (Map.Entry<String, List<?>> answer : answers.entrySet()) {
            try (Server server = new Server((number, question) -> answer.getKey())) {
                Tve.ServiceFailed failure = failed(() -> server.asked().redeem(token, "REF30", "REF30"));
                equal("HTTP " + failure.getMessage(), List.of(failure.code(), failure.answered(), failure.retryAfter()), answer.getValue());
                equal("what to answer", failure.httpStatus(), 503);
                equal("it was asked once", server.requests.get(), 1);
            }
        }
        // A proxy before the service takes smaller bodies.
        try (Server server = new Server((number, question) -> http(413, "text/html", "<h1>413 Too Large</h1>"))) {
            refused(() -> server.asked().verify(token, "REF30", "REF30"), "INVALID_TOKEN_FORMAT", "too_large", 401);
        }
        try (Server server = new Server((number, question) -> http(200, "application/json", VALID))) {
            equal("the answer that the others were made from", server.asked().verify(token, "REF30", "REF30").mvpdId(), "M");
        }
        try (Server server = new Server((number, question) -> http(200, "application/json", " ".repeat(2_000_000) + VALID))) {
            equal("a body that is too long", failed(() -> server.asked().verify(token, "REF30", "REF30")).code(), "bad_answer");
        }
        // What was sent comes back: nothing of it is quoted.
        for (String head : List.of("", "HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n", "HTTP/1.1 200 OK\r\nX: ")) {
            try (Server server = new Server((number, question) -> head + question + Server.CLOSE)) {
                failed(() -> server.asked().verify(token, "REF30", "REF30"));
                failed(() -> server.asked().withSecret(given("secret")).decrypt(encrypted("02134"), "zip"));
            }
        }
        try (Server server = new Server((number, question) -> http(200, "application/json", question.substring(question.indexOf("{"))))) {
            equal("code", failed(() -> server.asked().verify(token, "REF30", "REF30")).code(), "bad_answer");
        }
    }

    private void lateAnswers() throws Exception {
        for (String part : List.of("", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"valid\":true")) {
            try (Server server = new Server((number, question) -> part + Server.WAIT)) {
                Tve impatient = server.asked().withTimeout(Duration.ofMillis(300));
                Tve.ServiceFailed verify = failed(() -> impatient.verify(token, "REF30", "REF30"));
                equal("verify", List.of(verify.code(), verify.httpStatus()), List.of("timeout", 503));
                Tve.ServiceFailed redeem = failed(() -> impatient.redeem(token, "REF30", "REF30"));
                equal("redeem says what is not known", redeem.getMessage().contains("whether the token was used up is not known"), true);
                equal("it was asked once each time", server.requests.get(), 2);
                // The calls have left their connections.
                until("connections that are left", () -> server.open.get() == 0);
            }
        }
        try (Server server = new Server((number, question) -> Server.WAIT)) {
            Thread caller = Thread.currentThread();
            Thread other = new Thread(() -> {
                while (server.requests.get() == 0) Thread.onSpinWait();
                caller.interrupt();
            });
            other.start();
            equal("code", failed(() -> server.asked().verify(token, "REF30", "REF30")).code(), "interrupted");
            equal("the interrupt is still there", Thread.interrupted(), true);
            other.join();
        }
    }

    private void brokenConnections() throws Exception {
        try (Server server = new Server((number, question) -> number == 2 ? http(200, "application/json", VALID) : Server.CLOSE)) {
            equal("verify asks again", server.asked().verify(token, "REF30", "REF30").mvpdId(), "M");
            equal("requests", server.requests.get(), 2);
        }
        try (Server server = new Server((number, question) -> Server.CLOSE)) {
            equal("verify", failed(() -> server.asked().verify(token, "REF30", "REF30")).code(), "broken");
            equal("requests", server.requests.get(), 2);
            Tve.ServiceFailed failure = failed(() -> server.asked().redeem(token, "REF30", "REF30"));
            equal("redeem", failure.code(), "broken");
            equal("redeem says what is not known", failure.getMessage().contains("whether the token was used up is not known"), true);
            equal("redeem asks once", server.requests.get(), 3);
        }
        String half = http(200, "application/json", VALID).replace("}}", "") + Server.CLOSE;
        try (Server server = new Server((number, question) -> half)) {
            equal("half a verdict", failed(() -> server.asked().redeem(token, "REF30", "REF30")).code(), "broken");
            equal("requests", server.requests.get(), 1);
        }
    }

    private void connections() throws Exception {
        try (Proxy proxy = new Proxy(given("public"))) {
            Tve one = proxy.asked();
            for (int call = 0; call < 200; call++) one.verify(token, "REF30", "REF30");
            for (int call = 0; call < 20; call++) {
                thrown(Tve.TokenRefused.class, () -> one.withTimeout(Duration.ofSeconds(50)).verify(token, "REF30", "Other"));
            }
            equal("connections for 220 calls", proxy.connections.get(), 1);
        }
        try (Proxy proxy = new Proxy(given("public"))) {
            Tve one = proxy.asked();
            together(8, () -> {
                for (int call = 0; call < 50; call++) one.verify(token, "REF30", "REF30");
            });
            equal("connections for 400 calls of 8 threads: " + proxy.connections, proxy.connections.get() <= 16, true);
        }
    }

    // Rows through the program

    private <Row extends Map<String, ?>> Tve.Rows verified(Iterable<Row> rows, String... more) {
        return tool.verifyRows(rows, with(more, "--keys", issuer));
    }

    private <Row extends Map<String, ?>> Tve.Rows decrypted(Iterable<Row> rows, String... more) {
        return tool.decryptRows(rows, with(more, "--keys", key));
    }

    private Map<String, Object> row(String text, Object... members) {
        Map<String, Object> row = map("token", text, "requestor", "REF30", "resource", null);
        row.putAll(map(members));
        return row;
    }

    private void verdicts() throws Exception {
        long now = System.currentTimeMillis();
        List<Map<String, Object>> rows = new ArrayList<>();
        List<String> codes = new ArrayList<>();
        String faulty = issue("--fault", "body-byte-changed");
        for (int number = 0; number < 100; number++) {
            Object id = List.of(number, "é\u2028");
            rows.addAll(List.of(
                row(token, "id", id), row(token, "id", id, "resource", "REF30"), row(token, "id", id, "at", now + 100_000_000),
                row(token, "id", id, "at", now - 100_000_000), row(token, "id", id, "resource", "Other"), row(faulty, "id", id),
                row("\ud800", "id", id), map("token", 17, "requestor", null, "resource", null, "id", id), map("id", id)));
            codes.addAll(List.of(
                "valid", "valid", "expired", "not_yet_valid", "resource_mismatch", "bad_signature", "bad_row", "bad_row", "bad_row"));
        }
        List<String> found = new ArrayList<>();
        try (Tve.Rows verdicts = verified(rows)) {
            for (Map<String, Object> verdict : verdicts) {
                equal("order", verdict.get("id").toString(), rows.get(found.size()).get("id").toString());
                equal("valid", verdict.get("valid"), verdict.get("code").equals("valid"));
                found.add((String) verdict.get("code"));
            }
        }
        equal("codes", found, codes);
        Tve.TokenRefused refusal = thrown(Tve.TokenRefused.class, () -> {
            try (Tve.Rows verdicts = verified(List.of(row(token), row(token, "resource", "Other"), row(token))).raising()) {
                equal("the one before", verdicts.next().get("code"), "valid");
                verdicts.next();
            }
        });
        equal("row", List.of(refusal.row(), refusal.code(), refusal.status()), List.of(2L, "resource_mismatch", "INVALID_RESOURCE_ID"));
        String[] redeem = {"--redeem", "sqlite:" + folder.resolve("used.sqlite")};
        equal("first use", all(verified(List.of(row(token)), redeem)).get(0).get("code"), "valid");
        equal("second use", all(verified(List.of(row(token)), redeem)).get(0).get("code"), "replayed");
        equal("no rows", all(verified(List.of())).size(), 0);
    }

    private void fields() throws Exception {
        String value = encrypted("02134");
        BigDecimal exact = new BigDecimal("1.50"), large = new BigDecimal("123456789012345678901234567890.125");
        List<Object> kept = Arrays.asList(null, exact, large, true, map(), List.of());
        Map<String, Object> row = map("id", Long.MAX_VALUE, "zip", value, "kept", kept);
        List<Map<String, Object>> answers = all(decrypted(List.of(row, map("zip", null), map()), "--optional-field", "zip"));
        for (Map<String, Object> answer : answers) equal("mark", ((Map<?, ?>) answer.remove("_tve")).get("ok"), true);
        row.put("zip", "02134");
        equal("rows", answers, List.of(row, map("zip", null), map()));
        Tve.NotDecrypted failure = thrown(Tve.NotDecrypted.class, () ->
            all(decrypted(List.of(map("zip", value), map("zip", "&")), "--field", "zip").raising()));
        equal("row", List.of(failure.row(), failure.field(), failure.code()), List.of(2L, "zip", "not_base64"));
        Map<String, Object> body = map("attributes", map("zip", map("value", "&", "state", "enc")));
        failure = thrown(Tve.NotDecrypted.class, () -> all(decrypted(List.of(body), "--input", "profiles").raising()));
        equal("path", failure.field().contains("zip"), true);
        equal("bad row", mark(all(decrypted(List.of(map()), "--field", "zip")).get(0)).get("code"), "missing_field");
    }

    /** More than fits into memory, which check.py limits, and never many rows at a time. */
    private void manyRows() throws Exception {
        String value = encrypted("02134"), ballast = "x".repeat(1000);
        AtomicLong given = new AtomicLong();
        Iterable<Map<String, Object>> rows = () -> IntStream.range(0, ROWS).mapToObj(number -> {
            given.incrementAndGet();
            return map("id", number, "zip", number % 1000 == 0 ? value : null, "ballast", ballast + number);
        }).iterator();
        long answered = 0, most = 0;
        try (Tve.Rows answers = decrypted(rows, "--optional-field", "zip")) {
            for (Map<String, Object> answer : answers) {
                if (!answer.get("id").equals(answered) || (answered % 1000 == 0 && !"02134".equals(answer.get("zip")))) {
                    throw new AssertionError("row " + answered + " has the answer of another one");
                }
                answered += 1;
                most = Math.max(most, given.get() - answered);
            }
        }
        equal("answers", answered, (long) ROWS);
        // What is in between fits into two pipes and the pieces that tve works on.
        equal("rows on the way: " + most, most < 4_000, true);
    }

    private void waits() throws Exception {
        // A row is larger than all pipes together, in both directions.
        String ballast = "x".repeat(1_000_000);
        Iterable<Map<String, Object>> large = () -> IntStream.range(0, 8).mapToObj(id -> map("id", id, "ballast", ballast)).iterator();
        try (Tve.Rows answers = decrypted(large, "--optional-field", "zip")) {
            for (int number = 0; answers.hasNext(); number++) {
                Map<String, Object> answer = answers.next();
                equal("large", List.of(answer.get("id"), ((String) answer.get("ballast")).length()), List.of((long) number, 1_000_000));
            }
        }
        // A row may wait for the answer before.
        LinkedBlockingQueue<Long> answered = new LinkedBlockingQueue<>(List.of(0L));
        Iterable<Map<String, Object>> waiting = () -> IntStream.range(0, 50).mapToObj(ignored -> map("id", taken(answered))).iterator();
        try (Tve.Rows answers = decrypted(waiting, "--optional-field", "zip")) {
            for (Map<String, Object> answer : answers) answered.add((Long) answer.get("id") + 1);
        }
        equal("the last one", answered.take(), 50L);
    }

    private void wrongRows() throws Exception {
        Map<String, Object> loop = map();
        loop.put("loop", loop);
        for (Map<String, Object> wrong : Arrays.asList(
            null, map("a", Double.NaN), map("a", Float.POSITIVE_INFINITY), map("a", new Object()), map("a", new AtomicLong()),
            map("a", Map.of(1, 2)), loop)) {
            try (Tve.Rows answers = decrypted(Arrays.asList(map("id", 1), wrong), "--optional-field", "zip")) {
                equal("the row before", answers.next().get("id"), 1L);
                thrown(IllegalArgumentException.class, answers::hasNext);
                equal("the end", answers.hasNext(), false);
            }
        }
        List<Object> seen = new ArrayList<>();
        UncheckedIOException own = thrown(UncheckedIOException.class, () -> {
            Stream<Map<String, Object>> rows = IntStream.rangeClosed(1, 3).mapToObj(id -> {
                if (id == 3) throw new UncheckedIOException(new IOException("of the caller's own"));
                return map("id", id);
            });
            for (Map<String, Object> answer : decrypted(rows::iterator, "--optional-field", "zip")) seen.add(answer.get("id"));
        });
        equal("its own failure", own.getCause().getMessage(), "of the caller's own");
        equal("rows before", seen, List.of(1L, 2L));
        // Those of other languages throw what Java does not let them.
        for (Exception checked : List.of(new IOException("gone"), new Exception("late"))) {
            Stream<Map<String, Object>> rows = IntStream.rangeClosed(1, 3).mapToObj(id -> {
                if (id == 3) TveTest.<RuntimeException>raise(checked);
                return map("id", id);
            });
            equal("theirs", thrown(Exception.class, () -> all(decrypted(rows::iterator, "--optional-field", "zip"))), checked);
        }
    }

    @SuppressWarnings("unchecked")
    private static <Kind extends Throwable> void raise(Throwable failure) throws Kind {
        throw (Kind) failure;
    }

    // Programs that are missing, wrong or killed

    private void noProgram() throws Exception {
        Path file = Files.writeString(folder.resolve("no-program"), "text");
        for (String name : List.of(folder + "/tve-that-is-missing", "no-such-program", folder.toString(), file.toString())) {
            Tve.ToolFailed failure = thrown(Tve.ToolFailed.class, () -> all(new Tve.Tool(name).verifyRows(List.of())));
            equal("code", List.of(failure.code(), failure.exitCode()), List.of("no_program", -1));
            equal("its name is told", failure.getMessage().contains(name), true);
        }
    }

    private void otherPrograms() throws Exception {
        Object[][] cases = {
            {"cat >/dev/null", "lost_rows", 0}, {"exit 0", "lost_rows", 0}, {"cat >/dev/null; echo '[1]'", "bad_answer", -1},
            {"sed 's/^/x/'", "bad_answer", -1}, {"cat >/dev/null; echo '{}'; echo '{}'; echo '{}'", "lost_rows", 0},
            {"echo 'error while loading shared libraries' >&2; exit 127", "failed", 127}, {"exit 3", "failed", 3},
            {"read -r row; echo '{\"error\": \"text\"}' >&2; exit 69", "failed", 69},
            {"read -r row; echo '{}'; echo '{\"error\": {\"code\": \"own_code\", \"detail\": \"why\"}}' >&2; exit 70", "own_code", 70},
            {"read -r row; printf '{\"valid\": tr'; kill -9 $$", "killed", 137},
            {"read -r row; echo '{}'; kill -15 $$", "interrupted", 143},
            {"cat >/dev/null; head -c 40000000 /dev/zero", "failed", -1},
            {"trap '' TERM; exec >&-; while :; do sleep 0.2; done", "failed", -1}};
        for (Object[] test : cases) {
            Tve.Tool other = new Tve.Tool(script((String) test[0]));
            Map<String, Object> row = map("token", "SECRET-TEXT-OF-A-TOKEN");
            Tve.ToolFailed failure = thrown(Tve.ToolFailed.class, () -> all(other.verifyRows(List.of(row, row))));
            equal((String) test[0], List.of(failure.code(), failure.exitCode()), List.of(test[1], test[2]));
        }
        String noise = "yes warning | head -c 1000000 >&2; head -c 200000 /dev/zero >&2; ";
        Tve.Tool loud = new Tve.Tool(script(noise + "exec " + program + " \"$@\""));
        equal("much on standard error", all(loud.decryptRows(List.of(map()), "--keys", key, "--optional-field", "zip")).size(), 1);
    }

    private void wrongOptions() throws Exception {
        Iterable<Map<String, Object>> endless = endless();
        Object[][] cases = {
            {"no_such_file", 66, "--keys", folder + "/no-such-key.pem", "--field", "zip"},
            {"unreadable_key", 78, "--keys", folder + "/no-program", "--field", "zip"},
            {null, 64, "--keys", key}, {null, 64, "--keys", key, "--field", "zip", "--typo"}, {null, 64, "--field", "zip"}};
        for (Object[] test : cases) {
            String[] options = Arrays.copyOfRange(test, 2, test.length, String[].class);
            // More rows than a pipe holds: tve ends without reading them.
            Tve.ToolFailed failure = thrown(Tve.ToolFailed.class, () -> all(tool.decryptRows(endless, options)));
            equal(Arrays.toString(test), failure.exitCode(), test[1]);
            if (test[0] != null) equal(Arrays.toString(test), failure.code(), test[0]);
        }
        equal("rows that all fail", all(decrypted(List.of(map("zip", "&")), "--field", "zip")).size(), 1);
        List<Map<String, Object>> rows = List.of(map("zip", encrypted("02134")), map("zip", "&"), map("zip", "&"));
        Tve.ToolFailed failure = thrown(Tve.ToolFailed.class, () -> all(decrypted(rows, "--field", "zip", "--max-failures", "1")));
        equal("too many", List.of(failure.code(), failure.exitCode()), List.of("too_many_failures", 2));
        failure = thrown(Tve.ToolFailed.class, () -> all(decrypted(rows, "--field", "zip", "--on-error=skip")));
        equal("rows that are left out", failure.code(), "lost_rows");
    }

    private void leaving() throws Exception {
        Path file = folder.resolve("process");
        Tve.Tool noted = new Tve.Tool(script("echo $$ > " + file + "; exec " + program + " \"$@\""));
        String[] options = {"--keys", key, "--optional-field", "zip"};
        // Nobody reads the answers, so both pipes are full.
        Tve.Rows rows = noted.decryptRows(endless(), options);
        rows.next();
        rows.close();
        equal("after close", isAlive(file), false);
        equal("no more rows", rows.hasNext(), false);
        thrown(ArithmeticException.class, () -> {
            try (Tve.Rows left = noted.decryptRows(endless(), options)) {
                left.next();
                throw new ArithmeticException();
            }
        });
        equal("after an exception", isAlive(file), false);
        // Closing does not wait for the next row.
        CountDownLatch release = new CountDownLatch(1);
        rows = noted.decryptRows(() -> Stream.of(1, 2).map(id -> {
            if (id == 2) await(release);
            return map("id", id);
        }).iterator(), options);
        rows.next();
        rows.close();
        equal("while a row is awaited", isAlive(file), false);
        release.countDown();
        // Neither does a program that dies.
        CountDownLatch again = new CountDownLatch(1);
        Tve.Rows dying = noted.decryptRows(() -> Stream.of(1, 2).map(id -> {
            if (id == 2) await(again);
            return map("id", id);
        }).iterator(), options);
        dying.next();
        ProcessHandle.of(number(file)).get().destroyForcibly();
        equal("killed", thrown(Tve.ToolFailed.class, dying::hasNext).code(), "killed");
        again.countDown();
        // One that does not end when it is told to.
        String goesOn = "echo '{}'; while :; do sleep 0.1; done 2>/dev/null >&2";
        Tve.Rows stubborn = new Tve.Tool(script("trap '' TERM PIPE; echo $$ > " + file + "; " + goesOn)).verifyRows(endless());
        stubborn.next();
        stubborn.close();
        equal("after it was killed", isAlive(file), false);
        // What was not begun starts nothing.
        new Tve.Tool("no-such-program").verifyRows(endless()).close();
    }

    private void arguments() throws Exception {
        Path record = folder.resolve("arguments");
        String noted = script("printf '%s\\n' \"$0\" \"$@\" >> " + record + "; env >> " + record + "; exec " + program + " \"$@\"");
        all(new Tve.Tool(noted).verifyRows(List.of(row(token)), "--keys", issuer));
        all(new Tve.Tool(noted).decryptRows(List.of(map("zip", encrypted("02134"))), "--keys", key, "--field", "zip"));
        String seen = Files.readString(record);
        equal("runs", seen.split("--batch", -1).length, 3);
        for (String secret : secrets) equal("no secret among the arguments", seen.contains(part(secret)), false);
    }

    private void json() throws Exception {
        for (String text : List.of(
            "null", "true", "[]", "{}", "[1,-1,0,9223372036854775807,-9223372036854775808]", "{\"a\":{\"b\":[1.50,1E+400,\"\\u00e9\"]}}",
            "\"\\ud800\"", "\"\\\"\\\\/\\u0000\"", "9223372036854775808", "123456789012345678901234567890.125",
            "[".repeat(63) + "]".repeat(63))) {
            equal("exact", new String(Tve.Json.write(Tve.Json.read(bytes(text))), StandardCharsets.UTF_8), text);
        }
        equal("escapes", Tve.Json.read(bytes("\"\\b\\f\\n\\r\\t\\/\\u20AC€\"")), "\b\f\n\r\t/€€");
        equal("space", Tve.Json.read(bytes(" \t\r\n[ 1 , 2 ] ")), List.of(1L, 2L));
        List<Number> numbers = List.of((byte) 1, (short) 2, 3, 4L, BigInteger.TEN.pow(30), 0.5, 0.25f);
        String written = new String(Tve.Json.write(numbers), StandardCharsets.UTF_8);
        equal("numbers", written, "[1,2,3,4,1000000000000000000000000000000,0.5,0.25]");
        for (String text : List.of(
            "", " ", "nul", "nulll", "tru", "[", "[1", "[1,", "[1,]", "[,1]", "{", "{1:2}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
            "{\"a\":1 \"b\":2}",
            "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "01", "-", "+1", "1.", ".5", "1e", "1e+", "--1", "0x1", "NaN", "Infinity", "\"",
            "\"\\\"",
            "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\u１２３４\"", "\"\t\"", "\"\0\"", "'a'", "1 2", "1\0", "\ufeff1", "[1]]",
            "1e99999999999",
            "[".repeat(65) + "]".repeat(65), "[".repeat(1_000_000), "1".repeat(1001), "//\n1")) {
            Tve.Json.Unreadable failure = thrown(Tve.Json.Unreadable.class, () -> Tve.Json.read(bytes(text)));
            equal("what is wrong, not what it says", failure.getMessage().startsWith("not JSON: "), true);
        }
        thrown(Tve.Json.Unreadable.class, () -> Tve.Json.read(new byte[] {'"', (byte) 0xc0, (byte) 0x80, '"'}));
        thrown(Tve.Json.Unreadable.class, () -> Tve.Json.read(new byte[] {'"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"'}));
    }

    /** After all others: what they were thrown holds no secret, and they left nothing behind. */
    private void nothingLeft() throws Exception {
        equal("failures that were looked at: " + failures.size(), failures.size() > 80, true);
        for (Throwable failure : failures) {
            StringWriter text = new StringWriter();
            failure.printStackTrace(new PrintWriter(text));
            for (String secret : secrets) {
                if (text.toString().contains(part(secret))) throw new AssertionError("a secret in the text of a " + failure.getClass());
            }
            equal("no token of a stand-in", text.toString().contains("SECRET-TEXT"), false);
        }
        until("threads that are left", () -> Thread.getAllStackTraces().keySet().stream().noneMatch(
            thread -> thread.getName().equals("tve rows") || thread.getName().equals("tve messages")));
        until("programs that are left", () -> ProcessHandle.current().descendants().findAny().isEmpty());
    }

    // What the tests share

    private interface Call { void run() throws Exception; }

    private interface Condition { boolean holds(); }

    private interface Handler { String answer(int number, String question); }

    private void equal(String what, Object found, Object wanted) {
        checks += 1;
        if (!wanted.equals(found)) throw new AssertionError(what + ": " + found + ", expected " + wanted);
    }

    private <T extends Throwable> T thrown(Class<T> kind, Call call) throws Exception {
        try {
            call.run();
        } catch (Throwable failure) {
            if (!kind.isInstance(failure)) throw new AssertionError("not a " + kind.getName(), failure);
            failures.add(failure);
            checks += 1;
            return kind.cast(failure);
        }
        throw new AssertionError("no " + kind.getName());
    }

    private Tve.ServiceFailed failed(Call call) throws Exception {
        return thrown(Tve.ServiceFailed.class, call);
    }

    private void refused(Call call, String status, String code, int httpStatus) throws Exception {
        Tve.TokenRefused refusal = thrown(Tve.TokenRefused.class, call);
        equal(refusal.getMessage(), List.of(refusal.status(), refusal.code(), refusal.httpStatus()), List.of(status, code, httpStatus));
    }

    private void until(String what, Condition condition) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
        while (!condition.holds()) {
            if (System.nanoTime() > end) throw new AssertionError(what);
            Thread.sleep(20);
        }
        checks += 1;
    }

    private static void together(int threads, Call call) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> calls = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                calls.add(pool.submit(() -> {
                    call.run();
                    return null;
                }));
            }
            for (Future<?> each : calls) each.get(120, TimeUnit.SECONDS);
        } finally {
            pool.shutdownNow();
        }
    }

    private static List<Map<String, Object>> all(Tve.Rows rows) {
        List<Map<String, Object>> answers = new ArrayList<>();
        try (rows) {
            for (Map<String, Object> answer : rows) answers.add(answer);
        }
        return answers;
    }

    /** What no text may have of a secret. */
    private static String part(String secret) {
        return secret.substring(20, Math.min(secret.length(), 60));
    }

    private static Map<?, ?> mark(Map<String, Object> answer) {
        return (Map<?, ?>) answer.get("_tve");
    }

    private static Map<String, Object> map(Object... members) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int at = 0; at < members.length; at += 2) map.put((String) members[at], members[at + 1]);
        return map;
    }

    private static String[] with(String[] more, String... options) {
        return Stream.concat(Arrays.stream(options), Arrays.stream(more)).toArray(String[]::new);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Iterable<Map<String, Object>> endless() {
        Map<String, Object> row = map("ballast", "x".repeat(1000));
        return () -> Stream.generate(() -> row).iterator();
    }

    private static long taken(LinkedBlockingQueue<Long> queue) {
        try {
            return queue.poll(120, TimeUnit.SECONDS);
        } catch (InterruptedException interrupt) {
            throw new IllegalStateException(interrupt);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(120, TimeUnit.SECONDS);
        } catch (InterruptedException interrupt) {
            throw new IllegalStateException(interrupt);
        }
    }

    private static long number(Path file) throws IOException {
        return Long.parseLong(Files.readString(file).strip());
    }

    private static boolean isAlive(Path file) throws IOException {
        return ProcessHandle.of(number(file)).map(ProcessHandle::isAlive).orElse(false);
    }

    private String issue(String... more) throws Exception {
        // A day less an hour: longer than all tests on any machine.
        String[] command = with(
            more, program, "issue", "media-token", "--key", key, "--requestor", "REF30", "--resource", "REF30", "--ttl", "82800");
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        process.getOutputStream().close();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String text = lines.readLine();
            if (process.waitFor() != 0) throw new AssertionError("no token was issued: " + String.join(" ", command));
            secrets.add(text);
            return text;
        }
    }

    private String encrypted(String text) throws Exception {
        Cipher cipher = Cipher.getInstance("RSA/ECB/PKCS1Padding");
        cipher.init(Cipher.ENCRYPT_MODE, publicKey);
        String value = Base64.getEncoder().encodeToString(cipher.doFinal(bytes(text)));
        secrets.add(value);
        return value;
    }

    /** A program that stands in for tve. */
    private String script(String text) throws IOException {
        Path path = Files.writeString(Files.createTempFile(folder, "stand-in", ""), "#!/bin/sh\n" + text + "\n");
        if (!path.toFile().setExecutable(true)) throw new IOException("cannot be made executable");
        return path.toString();
    }

    private static String http(int status, String type, String body, String... fields) {
        StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " Answer\r\nContent-Type: " + type + "\r\n");
        for (String field : fields) head.append(field).append("\r\n");
        if (status != 204) head.append("Content-Length: ").append(bytes(body).length).append("\r\n");
        return head + "\r\n" + body;
    }

    /** Accepts connections on a port of its own, and counts them. */
    private abstract static class Listener implements AutoCloseable {
        final AtomicInteger connections = new AtomicInteger();
        final AtomicInteger open = new AtomicInteger();
        private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        private final List<Socket> accepted = new ArrayList<>();

        Listener() throws IOException {
            started(() -> {
                try {
                    while (true) {
                        Socket client = socket.accept();
                        synchronized (accepted) { accepted.add(client); }
                        connections.incrementAndGet();
                        open.incrementAndGet();
                        started(() -> {
                            try (client) {
                                serve(client);
                            } catch (IOException gone) {
                                // The client has left.
                            } finally {
                                open.decrementAndGet();
                            }
                        });
                    }
                } catch (IOException closed) {
                    // The test is over.
                }
            });
        }

        static void started(Runnable work) {
            Thread thread = new Thread(work);
            thread.setDaemon(true);
            thread.start();
        }

        abstract void serve(Socket client) throws IOException;

        Tve asked() {
            return new Tve("http://127.0.0.1:" + socket.getLocalPort()).withTimeout(Duration.ofSeconds(60));
        }

        @Override public void close() throws IOException {
            socket.close();
            synchronized (accepted) {
                for (Socket client : accepted) client.close();
            }
        }
    }

    /** Answers each request with what the handler says; with CLOSE or WAIT after it, or in its place, it does that. */
    private static final class Server extends Listener {
        static final String CLOSE = "\0close", WAIT = "\0wait";
        final AtomicInteger requests = new AtomicInteger();
        private final Handler handler;

        Server(Handler handler) throws IOException { this.handler = handler; }

        @Override void serve(Socket client) throws IOException {
            InputStream input = client.getInputStream();
            while (true) {
                String question = request(input);
                if (question == null) return;
                String answer = handler.answer(requests.incrementAndGet(), question);
                int mark = answer.indexOf('\0');
                client.getOutputStream().write(bytes(mark < 0 ? answer : answer.substring(0, mark)));
                client.getOutputStream().flush();
                if (answer.endsWith(CLOSE)) return;
                if (answer.endsWith(WAIT)) {
                    // Until the client leaves.
                    while (input.read() >= 0) continue;
                    return;
                }
            }
        }

        private static String request(InputStream input) throws IOException {
            ByteArrayOutputStream read = new ByteArrayOutputStream();
            int left = -1;
            while (left != 0) {
                int one = input.read();
                if (one < 0) return null;
                read.write(one);
                if (left > 0) left -= 1;
                else if (one == '\n' && read.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
                    String length = read.toString(StandardCharsets.ISO_8859_1).replaceAll("(?is).*content-length: *([0-9]+).*", "$1");
                    left = Integer.parseInt(length);
                }
            }
            return read.toString(StandardCharsets.UTF_8);
        }
    }

    /** Passes on what comes. */
    private static final class Proxy extends Listener {
        private final String[] origin;

        Proxy(String address) throws IOException { origin = address.replace("http://", "").split(":"); }

        @Override void serve(Socket client) throws IOException {
            try (Socket server = new Socket(origin[0], Integer.parseInt(origin[1]))) {
                started(() -> {
                    try {
                        server.getInputStream().transferTo(client.getOutputStream());
                        client.close();
                    } catch (IOException gone) {
                        // One of them has left.
                    }
                });
                OutputStream output = server.getOutputStream();
                client.getInputStream().transferTo(output);
            }
        }
    }

    private void run(String name, Call test) throws Exception {
        long start = System.nanoTime();
        int before = checks;
        try {
            test.run();
        } catch (Throwable failure) {
            throw new AssertionError("FAILED: " + name, failure);
        }
        System.out.println(name + ": " + (checks - before) + " checks, " + (System.nanoTime() - start) / 1_000_000 + " ms");
    }

    public static void main(String[] arguments) throws Exception {
        TveTest tests = new TveTest(arguments[0]);
        tests.run("JSON", tests::json);
        tests.run("one token", tests::oneToken);
        tests.run("refused tokens", tests::refusedTokens);
        tests.run("one use", tests::oneUse);
        tests.run("one value", tests::oneValue);
        tests.run("no service", tests::noService);
        tests.run("other answers", tests::otherAnswers);
        tests.run("late answers", tests::lateAnswers);
        tests.run("broken connections", tests::brokenConnections);
        tests.run("connections", tests::connections);
        tests.run("verdicts on rows", tests::verdicts);
        tests.run("fields of rows", tests::fields);
        tests.run("rows that wait", tests::waits);
        tests.run("wrong rows", tests::wrongRows);
        tests.run("no program", tests::noProgram);
        tests.run("other programs", tests::otherPrograms);
        tests.run("wrong options", tests::wrongOptions);
        tests.run("leaving", tests::leaving);
        tests.run("arguments", tests::arguments);
        tests.run(ROWS + " rows", tests::manyRows);
        tests.run("nothing left", tests::nothingLeft);
        System.out.println("Tve.java: " + tests.checks + " checks, " + tests.failures.size() + " failures without a secret");
    }
}
