import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;

/**
 * Verifies media tokens and decrypts user metadata: single ones over HTTP with {@code tve serve}, many with the program
 * {@code tve}.
 *
 * <pre>
 * Tve service = new Tve("http://127.0.0.1:8080");                        // one for the whole application
 * Tve.VerifiedToken play = service.redeem(token, "REF30", "REF30");      // or a Tve.Failure: do not start the stream
 *
 * Tve decryption = new Tve("http://127.0.0.1:8082").withSecret(secret);  // the listener that decrypts
 * String zip = decryption.decrypt(value, "zip");
 *
 * try (Tve.Rows rows = new Tve.Tool("tve").decryptRows(input, "--keys", "private-key.pem", "--field", "zip")) {
 *     for (Map&lt;String, Object&gt; row : rows) store(row);
 * }
 * </pre>
 *
 * Copy this file into your project: it needs Java 11, and nothing else. All threads may share an object of this class, and its
 * connections are used again. Tokens and values go to the service in a body and to the program through a pipe, never in an
 * address or as arguments, and no exception's text contains one.
 */
public final class Tve {
    /**
     * In place of a requestor or resource: it is not checked. This very object counts, and not its text, which could come from
     * a client; null is refused, since it could be a value that is missing.
     */
    @SuppressWarnings("StringOperationCanBeSimplified")
    public static final String UNCHECKED = new String("unchecked");

    /** Longer texts are no tokens, and are not sent. */
    private static final int TOKEN_LENGTH = 65_536;
    private static final int ANSWER_BYTES = 1 << 20;

    private final String address;
    private final HttpClient client;
    private final Duration timeout;
    private final String secret;

    /** Asks the service at an address such as {@code http://127.0.0.1:8080}, and waits five seconds for each answer. */
    public Tve(String address) {
        this(checked(address), HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build(), Duration.ofSeconds(5), null);
    }

    private Tve(String address, HttpClient client, Duration timeout, String secret) {
        this.address = address;
        this.client = client;
        this.timeout = timeout;
        this.secret = secret;
    }

    /** The same service and connections, with another limit for each call. */
    public Tve withTimeout(Duration timeout) {
        if (timeout.toMillis() < 1) throw new IllegalArgumentException("a timeout is a millisecond or more");
        return new Tve(address, client, timeout, secret);
    }

    /** The same, with the secret of {@code decryption.secretFile}; white space around it, such as a line end, is left out. */
    public Tve withSecret(String secret) {
        String shown = secret.strip();
        // HttpRequest would quote the secret that it refuses.
        if (shown.isEmpty() || !shown.chars().allMatch(character -> character > 0x20 && character < 0x7f)) {
            throw new IllegalArgumentException("a secret is printable ASCII: give the text of the file of decryption.secretFile");
        }
        return new Tve(address, client, timeout, shown);
    }

    /**
     * Verifies a token, which passes again until it expires.
     *
     * @throws TokenRefused if it is not valid, or if there was no decision
     * @throws ServiceFailed if the service could not be asked
     */
    public VerifiedToken verify(String token, String requestor, String resource) {
        return decide(token, requestor, resource, false);
    }

    /**
     * Verifies a token and, if it is valid, uses it up: the next time it is refused with the code {@code replayed}. The
     * service is never asked twice, since the first time may have counted although its answer was lost.
     *
     * @throws TokenRefused if it is not valid, or if there was no decision
     * @throws ServiceFailed if the service could not be asked
     */
    public VerifiedToken redeem(String token, String requestor, String resource) {
        return decide(token, requestor, resource, true);
    }

    /**
     * Decrypts one value in Base64, and returns its text. {@code attribute} is what the value is of, such as "zip": a text
     * counts only if it looks like one.
     *
     * @throws NotDecrypted if the value has no such text
     * @throws ServiceFailed if the service could not be asked
     */
    public String decrypt(String value, String attribute) {
        // What Tool.decryptRows says of such values.
        if (value == null) throw new NotDecrypted("there is no value", "not_a_string", null, 0);
        if (value.isEmpty()) throw new NotDecrypted("the value is empty", "wrong_length", null, 0);
        Map<String, Object> question = new LinkedHashMap<>();
        question.put("value", value);
        question.put("attribute", Objects.requireNonNull(attribute, "attribute"));
        HttpResponse<byte[]> answer = ask("/v1/user-metadata/decrypt", question, true);
        Map<String, Object> body = body(answer);
        if (answer.statusCode() == 200 && body.get("text") instanceof String) return (String) body.get("text");
        ServiceFailed failure = failure(answer, body);
        if (answer.statusCode() == 422) throw new NotDecrypted(said(object(body.get("error")).get("detail")), failure.code(), null, 0);
        throw failure;
    }

    private VerifiedToken decide(String token, String requestor, String resource, boolean redeem) {
        String text = token == null ? "" : token;
        if (text.length() > TOKEN_LENGTH) throw tooLarge();
        // The service would take it for a fault of this program, and answer without a verdict.
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new TokenRefused("the text has half a surrogate pair", "malformed", "INVALID_TOKEN_FORMAT", 0);
        }
        Map<String, Object> question = new LinkedHashMap<>();
        question.put("token", text);
        question.put("requestor", expected(requestor, "requestor"));
        question.put("resource", expected(resource, "resource"));
        if (redeem) question.put("redeem", true);
        HttpResponse<byte[]> answer = ask("/v1/media-tokens/verify", question, !redeem);
        // The service takes smaller bodies than it might.
        if (answer.statusCode() == 413) throw tooLarge();
        Map<String, Object> body = body(answer);
        Object valid = body.get("valid"), status = body.get("status"), code = body.get("code");
        if (!(valid instanceof Boolean && status instanceof String && code instanceof String)) throw failure(answer, body);
        if (!(Boolean) valid) throw new TokenRefused(said(body.get("detail")), (String) code, (String) status, 0);
        if (answer.statusCode() != 200 || !status.equals("VALID_TOKEN")) throw foreign(answer);
        try {
            return new VerifiedToken(body);
        } catch (ClassCastException | NullPointerException lacking) {
            throw foreign(answer);
        }
    }

    private static String expected(String text, String name) {
        if (text == UNCHECKED) return null;
        if (text == null || text.isEmpty()) {
            throw new IllegalArgumentException("the " + name + " is missing; Tve.UNCHECKED says that it is not checked");
        }
        return text;
    }

    private static TokenRefused tooLarge() {
        return new TokenRefused("the text is too long for a token", "too_large", "INVALID_TOKEN_FORMAT", 0);
    }

    private static String checked(String address) {
        URI uri = URI.create(address);
        boolean isPlain = uri.getUserInfo() == null && uri.getQuery() == null && uri.getFragment() == null;
        if (uri.getHost() == null || !isPlain || !("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))) {
            throw new IllegalArgumentException("an address is http://HOST:PORT or https://HOST:PORT");
        }
        return address.endsWith("/") ? address.substring(0, address.length() - 1) : address;
    }

    /** Sends a question, and again if its connection broke and it may be repeated, all within the timeout. */
    private HttpResponse<byte[]> ask(String path, Map<String, Object> question, boolean mayRepeat) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address + path))
            .header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofByteArray(Json.write(question)));
        if (secret != null) request.header("Authorization", "Bearer " + secret);
        String unknown = mayRepeat ? "" : "; whether the token was used up is not known, so the app needs a new one";
        long end = System.nanoTime() + timeout.toNanos();
        for (boolean isLast = !mayRepeat;; isLast = true) {
            Duration left = Duration.ofNanos(Math.max(end - System.nanoTime(), 1_000_000));
            Body body = new Body();
            // The timeout of a request ends with the head of its answer.
            CompletableFuture<HttpResponse<byte[]>> answer =
                client.sendAsync(request.timeout(left).build(), head -> body);
            try {
                return answer.get(left.toNanos(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException late) {
                body.stop();
                answer.cancel(true);
                throw late(unknown);
            } catch (InterruptedException interrupt) {
                body.stop();
                answer.cancel(true);
                Thread.currentThread().interrupt();
                throw new ServiceFailed("the thread was interrupted while it waited" + unknown, "interrupted", 0, 0, null);
            } catch (ExecutionException failure) {
                Throwable cause = failure.getCause();
                if (cause instanceof HttpTimeoutException) throw late(unknown);
                if (cause instanceof ConnectException) {
                    throw new ServiceFailed(address + " cannot be reached; is tve serve running there?", "unreachable", 0, 0, cause);
                }
                if (cause instanceof SSLException) {
                    throw new ServiceFailed("TLS with " + address + " failed; is its authority known to Java?" + unknown, "tls", 0, 0, cause);
                }
                if (cause instanceof TooLong) throw new ServiceFailed(FOREIGN, "bad_answer", 0, 0, null);
                if (isLast) {
                    // The cause may quote what was answered, so only its name is told.
                    String name = cause.getClass().getSimpleName();
                    throw new ServiceFailed("the connection to " + address + " broke (" + name + ")" + unknown, "broken", 0, 0, null);
                }
            }
        }
    }

    private ServiceFailed late(String more) {
        String text = address + " did not answer in " + timeout.toMillis() + " ms" + more;
        return new ServiceFailed(text, "timeout", 0, 0, null);
    }

    private static final String FOREIGN = "the answer is not one of tve serve; is the address that of the right listener?";

    private static ServiceFailed foreign(HttpResponse<byte[]> answer) {
        return new ServiceFailed("HTTP " + answer.statusCode() + ": " + FOREIGN, "bad_answer", answer.statusCode(), wait(answer), null);
    }

    private static Map<String, Object> body(HttpResponse<byte[]> answer) {
        try {
            return object(Json.read(answer.body()));
        } catch (Json.Unreadable | ClassCastException unreadable) {
            throw foreign(answer);
        }
    }

    /** What an answer without a verdict or a text means. */
    private static ServiceFailed failure(HttpResponse<byte[]> answer, Map<String, Object> body) {
        if (!(body.get("error") instanceof Map)) throw foreign(answer);
        Map<String, Object> error = object(body.get("error"));
        if (!(error.get("code") instanceof String) || answer.statusCode() < 400) throw foreign(answer);
        String text = "HTTP " + answer.statusCode() + ": " + said(error.get("detail"));
        return new ServiceFailed(text, (String) error.get("code"), answer.statusCode(), wait(answer), null);
    }

    private static int wait(HttpResponse<byte[]> answer) {
        String seconds = answer.headers().firstValue("Retry-After").orElse("");
        return seconds.matches("[0-9]{1,6}") ? Integer.parseInt(seconds) : 0;
    }

    private static String said(Object detail) {
        String text = detail instanceof String ? ((String) detail).replaceAll("\\p{Cntrl}", " ") : "no reason was given";
        return text.length() > 1000 ? text.substring(0, 1000) + "…" : text;
    }

    @SuppressWarnings("unchecked") // Json makes objects of this type alone
    private static Map<String, Object> object(Object value) {
        if (!(value instanceof Map)) throw new ClassCastException("not an object");
        return (Map<String, Object>) value;
    }

    /** A valid token. Its text is that of a provider and a subscriber, so {@code toString} shows nothing of it. */
    public static final class VerifiedToken {
        private final Map<String, Object> verdict;
        private final Map<String, Object> claims;

        private VerifiedToken(Map<String, Object> verdict) {
            this.verdict = Collections.unmodifiableMap(verdict);
            this.claims = Collections.unmodifiableMap(object(verdict.get("claims")));
            for (String name : List.of("sessionGUID", "requestorID", "resourceID", "mvpdId")) text(name).length();
            for (String name : List.of("ttl", "issued", "expires")) ((Long) claims.get(name)).longValue();
        }

        public String sessionGUID() { return text("sessionGUID"); }
        public String requestorID() { return text("requestorID"); }
        public String resourceID() { return text("resourceID"); }
        public String mvpdId() { return text("mvpdId"); }
        public Optional<String> proxyMvpdId() { return Optional.ofNullable(text("proxyMvpdId")); }
        public Duration ttl() { return Duration.ofMillis((Long) claims.get("ttl")); }
        public Instant issued() { return Instant.ofEpochMilli((Long) claims.get("issued")); }
        public Instant expires() { return Instant.ofEpochMilli((Long) claims.get("expires")); }

        /** The verdict as the service gave it, as {@code tve.verify} of Python returns it. */
        public Map<String, Object> verdict() { return verdict; }

        private String text(String name) { return (String) claims.get(name); }

        @Override public String toString() { return "Tve.VerifiedToken"; }
    }

    // Failures

    /** What this class throws, beside IllegalArgumentException for calls that cannot be right. Do not start the stream. */
    public abstract static class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final String code;

        private Failure(String message, String code, Throwable cause) {
            super(message + " [" + code + "]", cause);
            this.code = code;
        }

        /** One of tve's stable codes, or one that the class names: for logs and metrics. */
        public final String code() { return code; }

        /** The status of the verdict, in the words of the Java verifier; without a verdict, {@code ERROR_UNKNOWN}. */
        public String status() { return "ERROR_UNKNOWN"; }

        /** What to answer to your own client: 401, 403, or 503 if there was no decision. */
        public final int httpStatus() {
            switch (status()) {
                case "INVALID_TOKEN_FORMAT": case "INVALID_SIGNATURE": case "TOKEN_EXPIRED": case "TOKEN_NOT_YET_VALID":
                    return 401;
                case "INVALID_RESOURCE_ID": case "INVALID_REQUESTOR_ID": case "TOKEN_REPLAYED":
                    return 403;
                default:
                    return 503;
            }
        }
    }

    /** A token is not valid, or there was no decision ({@code status} is then {@code ERROR_UNKNOWN}). */
    public static final class TokenRefused extends Failure {
        private static final long serialVersionUID = 1;
        private final String status;
        private final long row;

        private TokenRefused(String message, String code, String status, long row) {
            super(message, code, null);
            this.status = status;
            this.row = row;
        }

        @Override public String status() { return status; }

        /** The number of the row, from 1 on; 0 if there are no rows. */
        public long row() { return row; }
    }

    /** A value or a row could not be decrypted. */
    public static final class NotDecrypted extends Failure {
        private static final long serialVersionUID = 1;
        private final String field;
        private final long row;

        private NotDecrypted(String message, String code, String field, long row) {
            super(message, code, null);
            this.field = field;
            this.row = row;
        }

        /** The field that failed, or null. */
        public String field() { return field; }

        /** The number of the row, from 1 on; 0 if there are no rows. */
        public long row() { return row; }
    }

    /**
     * The service could not be asked, or could not answer. Codes beside its own: {@code unreachable} (no connection),
     * {@code timeout}, {@code broken} (a connection that ended without an answer), {@code tls}, {@code bad_answer} (not an
     * answer of tve serve), {@code interrupted}.
     */
    public static final class ServiceFailed extends Failure {
        private static final long serialVersionUID = 1;
        private final int answered;
        private final int retryAfter;

        private ServiceFailed(String message, String code, int answered, int retryAfter, Throwable cause) {
            super(message, code, cause);
            this.answered = answered;
            this.retryAfter = retryAfter;
        }

        /** The HTTP status of the service, or 0 without an answer. */
        public int answered() { return answered; }

        /** The seconds after which to ask again, if the service names them; else 0. */
        public int retryAfter() { return retryAfter; }
    }

    /**
     * The program could not do its work: a bad key, wrong options, too many failures. Codes beside its own: {@code no_program}
     * (cannot be started), {@code killed} (by a signal), {@code interrupted} (asked to end), {@code failed} (an exit code
     * without an explanation), {@code bad_answer} (not an answer of tve), {@code lost_rows} (fewer or more answers than rows).
     */
    public static final class ToolFailed extends Failure {
        private static final long serialVersionUID = 1;
        private final int exitCode;

        private ToolFailed(String message, String code, int exitCode, Throwable cause) {
            super(message, code, cause);
            this.exitCode = exitCode;
        }

        /** The exit code, 128 and the signal if a signal ended it, or -1 if there is none. */
        public int exitCode() { return exitCode; }
    }

    // Rows

    /** The program {@code tve}: a path, or a name that is looked for in the PATH. {@code tve help rows} describes rows. */
    public static final class Tool {
        private final String program;

        public Tool(String program) {
            this.program = program;
        }

        /**
         * Verifies many tokens: one verdict for each row, in the same order, while rows still come.
         *
         * @param rows with {@code token}, {@code requestor} and {@code resource} (null: unchecked), and if wanted {@code id},
         *     {@code at} and {@code leeway}
         * @param options of {@code tve verify --batch}, such as {@code "--keys", "issuer.pem"}
         */
        public <Row extends Map<String, ?>> Rows verifyRows(Iterable<Row> rows, String... options) {
            return new Rows(program, "verify", options, rows);
        }

        /**
         * Decrypts fields of many rows: each row with texts in the places of values. Its member {@code _tve} says whether and
         * why it failed, and a failed row is otherwise unchanged.
         *
         * @param rows what JSON can hold: texts, numbers, Boolean, null, Map, List and other iterables
         * @param options of {@code tve decrypt --batch}, such as {@code "--keys", "private-key.pem", "--field", "zip"}, but not
         *     {@code --on-error}
         */
        public <Row extends Map<String, ?>> Rows decryptRows(Iterable<Row> rows, String... options) {
            return new Rows(program, "decrypt", options, rows);
        }
    }

    /**
     * The answers to rows, for one thread. Only a few rows are in memory at a time. The first {@code hasNext} starts the program;
     * {@code close} ends it, also if rows are left. A thread takes the rows from the iterable: if that throws, the rows before
     * are answered, and then {@code hasNext} throws the same.
     */
    public static final class Rows implements Iterable<Map<String, Object>>, Iterator<Map<String, Object>>, AutoCloseable {
        /** Seconds in which the program ends after it was told to. After them, it is killed. */
        private static final int STOP_SECONDS = 5;
        /** The most that an answer has beside its row, and a message on standard error. */
        private static final int MORE_BYTES = 1 << 20;

        private final List<String> command = new ArrayList<>();
        private final Iterable<? extends Map<String, ?>> rows;
        private boolean isRaising;
        private boolean isDone;
        private Map<String, Object> next;
        private long answered;
        private Process process;
        private Lines answers;
        private Thread giver;
        private Thread listener;
        /** The exit code if the program ended before it was told to. */
        private Integer ownEnd;
        // Those of the other threads.
        private volatile long given;
        private volatile int longest;
        private volatile Throwable inputFailure;
        private final Deque<byte[]> said = new ArrayDeque<>();

        private Rows(String program, String verb, String[] options, Iterable<? extends Map<String, ?>> rows) {
            Collections.addAll(command, program, verb, "--batch", "--output=json");
            Collections.addAll(command, options);
            // The caller gets each failed row, and judges them; unless told, tve judges only whether all failed.
            if (command.stream().noneMatch(option -> option.startsWith("--max-failures"))) command.add("--max-failures=100%");
            this.rows = rows;
        }

        /** Makes the first refused token or failed row a {@link TokenRefused} or {@link NotDecrypted}. */
        public Rows raising() {
            isRaising = true;
            return this;
        }

        @Override public Iterator<Map<String, Object>> iterator() { return this; }

        @Override public boolean hasNext() {
            if (next != null) return true;
            if (isDone) return false;
            try {
                if (process == null) start();
                byte[] line = read();
                if (line == null) {
                    finish();
                    isDone = true;
                    return false;
                }
                answered += 1;
                Map<String, Object> answer = parsed(line);
                if (isRaising) expect(answer);
                next = answer;
                return true;
            } catch (Throwable failure) {
                stop();
                throw failure;
            }
        }

        private byte[] read() {
            try {
                return answers.next(() -> 4L * longest + MORE_BYTES);
            } catch (IOException unreadable) {
                throw new ToolFailed("the answers of the program cannot be read", "failed", -1, unreadable);
            }
        }

        @Override public Map<String, Object> next() {
            if (!hasNext()) throw new NoSuchElementException();
            Map<String, Object> answer = next;
            next = null;
            return answer;
        }

        /** Ends the program. Throws {@link ToolFailed} if it had ended by itself, and with an error, before all was read. */
        @Override public void close() {
            if (isDone) return;
            stop();
            if (ownEnd != null && !isInterrupt(ownEnd)) expectNoFailure();
        }

        private void start() {
            try {
                process = new ProcessBuilder(command).start();
            } catch (IOException failure) {
                throw new ToolFailed(command.get(0) + " cannot be started; give Tve.Tool the path of tve", "no_program", -1, failure);
            }
            answers = new Lines(process.getInputStream());
            // Without these threads, both sides would wait for each other as soon as a pipe is full.
            giver = started(this::giveRows, "tve rows");
            listener = started(this::listen, "tve messages");
        }

        private static Thread started(Runnable work, String name) {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            thread.start();
            return thread;
        }

        private void giveRows() {
            OutputStream pipe = process.getOutputStream();
            try {
                for (Map<String, ?> row : rows) {
                    if (row == null) throw new IllegalArgumentException("a row is a Map, not null");
                    byte[] line = Json.write(row);
                    longest = Math.max(longest, line.length);
                    given += 1;
                    try {
                        pipe.write(line);
                        pipe.write('\n');
                        // The iterable may wait for the answer before it gives the next row.
                        pipe.flush();
                    } catch (IOException broken) {
                        return; // the exit code says why
                    }
                }
            } catch (Throwable failure) {
                inputFailure = failure;
            } finally {
                try {
                    pipe.close();
                } catch (IOException broken) {
                    // The same.
                }
            }
        }

        /** Throws what another thread has caught: iterables of other languages throw checked exceptions, too. */
        @SuppressWarnings("unchecked")
        private static <Kind extends Throwable> void raise(Throwable failure) throws Kind {
            throw (Kind) failure;
        }

        private void listen() {
            try (InputStream stream = process.getErrorStream()) {
                Lines lines = new Lines(stream);
                for (byte[] line = lines.rest(() -> MORE_BYTES); line != null; line = lines.rest(() -> MORE_BYTES)) {
                    synchronized (said) {
                        if (said.size() == 10) said.removeFirst();
                        said.addLast(line.length > 4096 ? Arrays.copyOf(line, 4096) : line);
                    }
                }
            } catch (IOException ended) {
                // What was said until then is known.
            }
        }

        private static Map<String, Object> parsed(byte[] line) {
            try {
                return object(Json.read(line));
            } catch (Json.Unreadable | ClassCastException unreadable) {
                String text = "the program answered with something other than a JSON object; is it tve?";
                throw new ToolFailed(text, "bad_answer", -1, null);
            }
        }

        private void expect(Map<String, Object> answer) {
            if (command.get(1).equals("verify")) {
                if (Boolean.TRUE.equals(answer.get("valid"))) return;
                String code = String.valueOf(answer.get("code")), status = String.valueOf(answer.get("status"));
                throw new TokenRefused("row " + answered + ": " + Tve.said(answer.get("detail")), code, status, answered);
            }
            Map<?, ?> mark = answer.get("_tve") instanceof Map ? (Map<?, ?>) answer.get("_tve") : Map.of();
            if (Boolean.TRUE.equals(mark.get("ok"))) return;
            // Bodies of a service have a list of failures.
            if (mark.get("failures") instanceof List) {
                Iterator<?> failures = ((List<?>) mark.get("failures")).iterator();
                if (failures.hasNext() && failures.next() instanceof Map) {
                    mark = (Map<?, ?>) ((List<?>) mark.get("failures")).get(0);
                }
            }
            Object field = mark.containsKey("field") ? mark.get("field") : mark.get("path");
            String place = "row " + answered + (field == null ? "" : ", field " + field);
            throw new NotDecrypted(place + ": not decrypted", String.valueOf(mark.get("code")), Objects.toString(field, null), answered);
        }

        /** Waits for the end, and throws what went wrong: in the iterable of rows, or in the program. */
        private void finish() {
            // Its output has ended; a program that goes on all the same is ended.
            if (!hasEnded(STOP_SECONDS)) stop();
            else ownEnd = process.exitValue();
            join(listener);
            // tve has seen the end of the rows. Another program may not have, and the iterable may wait for ever.
            if (ownEnd != null && ownEnd == 0) join(giver);
            if (inputFailure != null) Rows.<RuntimeException>raise(inputFailure);
            if (ownEnd == null) throw new ToolFailed("the program closed its output, and did not end", "failed", -1, null);
            expectNoFailure();
            if (answered != given) {
                throw new ToolFailed(given + " rows went in, and " + answered + " came out", "lost_rows", ownEnd, null);
            }
        }

        /** Ends the program if it is still running. */
        private void stop() {
            isDone = true;
            next = null;
            if (process == null || ownEnd != null) return;
            if (!process.isAlive()) {
                ownEnd = process.exitValue();
                join(listener);
                return;
            }
            try {
                process.getInputStream().close(); // tve must not wait for a reader
            } catch (IOException closed) {
                // Then nobody reads either.
            }
            // Process.destroy would close the pipe of the rows first, and wait for the thread that writes to it.
            process.toHandle().destroy();
            if (!hasEnded(STOP_SECONDS)) {
                process.toHandle().destroyForcibly();
                hasEnded(STOP_SECONDS);
            }
            // The other thread ends with its next row, which may not come.
            join(listener);
        }

        /** An interrupt ends the program at once, and stays pending for the caller. */
        private boolean hasEnded(int seconds) {
            try {
                return process.waitFor(seconds, TimeUnit.SECONDS);
            } catch (InterruptedException interrupt) {
                process.toHandle().destroyForcibly();
                Thread.currentThread().interrupt();
                return false;
            }
        }

        private static void join(Thread thread) {
            try {
                thread.join(STOP_SECONDS * 1000L);
            } catch (InterruptedException interrupt) {
                Thread.currentThread().interrupt();
            }
        }

        private static boolean isInterrupt(int exitCode) {
            return exitCode == 128 + 2 || exitCode == 128 + 15;
        }

        private void expectNoFailure() {
            if (ownEnd == null || ownEnd == 0) return;
            String[] why = {"failed", "it said nothing"};
            if (isInterrupt(ownEnd)) why = new String[] {"interrupted", "it was asked to end"};
            else if (ownEnd > 128) why = new String[] {"killed", "signal " + (ownEnd - 128)};
            else why = explanation(why);
            throw new ToolFailed("tve ended with exit code " + ownEnd + ": " + why[1], why[0], ownEnd, null);
        }

        private String[] explanation(String[] silence) {
            synchronized (said) {
                for (Iterator<byte[]> lines = said.descendingIterator(); lines.hasNext();) {
                    try {
                        Map<String, Object> error = object(object(Json.read(lines.next())).get("error"));
                        return new String[] {(String) error.get("code"), Tve.said(error.get("detail"))};
                    } catch (Json.Unreadable | ClassCastException other) {
                        continue;
                    }
                }
                if (said.isEmpty()) return silence;
                // Something else spoke, such as the system's loader about a missing library.
                String text = Tve.said(new String(said.getLast(), StandardCharsets.UTF_8).strip());
                return new String[] {"failed", text.substring(0, Math.min(text.length(), 300))};
            }
        }
    }

    /** The lines of a stream, of a bounded length. */
    private static final class Lines {
        private final InputStream stream;
        private final byte[] buffer = new byte[65_536];
        private int start;
        private int end;
        private boolean isWhole;

        Lines(InputStream stream) {
            this.stream = stream;
        }

        /** The next line that has its end, or null: a program that was killed leaves part of a line. */
        byte[] next(LongSupplier limit) throws IOException {
            byte[] line = rest(limit);
            return isWhole ? line : null;
        }

        /** The next line, or what is left of one. */
        byte[] rest(LongSupplier limit) throws IOException {
            ByteArrayOutputStream line = new ByteArrayOutputStream(512);
            isWhole = false;
            while (!isWhole) {
                if (start == end) {
                    start = 0;
                    end = Math.max(stream.read(buffer), 0);
                    if (end == 0) return line.size() == 0 ? null : line.toByteArray();
                }
                int at = start;
                while (at < end && buffer[at] != '\n') at += 1;
                isWhole = at < end;
                if (line.size() + at - start > limit.getAsLong()) throw new IOException("a line is too long");
                line.write(buffer, start, at - start);
                start = isWhole ? at + 1 : at;
            }
            return line.toByteArray();
        }
    }

    /** The body of an answer, of a bounded length; it can be left while it still comes. */
    private static final class Body implements HttpResponse.BodySubscriber<byte[]> {
        private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private volatile Flow.Subscription subscription;
        private volatile boolean isLeft;

        @Override public CompletionStage<byte[]> getBody() { return whole; }

        @Override public void onSubscribe(Flow.Subscription subscription) {
            this.subscription = subscription;
            if (isLeft) subscription.cancel();
            else subscription.request(Long.MAX_VALUE);
        }

        @Override public void onNext(List<ByteBuffer> buffers) {
            for (ByteBuffer buffer : buffers) {
                byte[] part = new byte[buffer.remaining()];
                buffer.get(part);
                if (bytes.size() + part.length > ANSWER_BYTES) {
                    stop();
                    whole.completeExceptionally(new TooLong());
                    return;
                }
                bytes.write(part, 0, part.length);
            }
        }

        @Override public void onError(Throwable failure) { whole.completeExceptionally(failure); }

        @Override public void onComplete() { whole.complete(bytes.toByteArray()); }

        void stop() {
            isLeft = true;
            Flow.Subscription current = subscription;
            if (current != null) current.cancel();
        }
    }

    private static final class TooLong extends IOException {
        private static final long serialVersionUID = 1;
    }

    /**
     * JSON to and from Map, List, String, Long or BigDecimal, Boolean and null, exactly: no digit is lost, and what has two
     * meanings is refused.
     */
    static final class Json {
        /** As deep as tve reads. */
        private static final int DEPTH = 64;
        /** BigDecimal takes the square of it. */
        private static final int DIGITS = 1000;

        /** Says where, and never what. */
        static final class Unreadable extends Exception {
            private static final long serialVersionUID = 1;

            Unreadable(String what, int at) { super("not JSON: " + what + " at " + at); }
        }

        static byte[] write(Object value) {
            StringBuilder text = new StringBuilder();
            write(value, text, DEPTH);
            return text.toString().getBytes(StandardCharsets.US_ASCII);
        }

        private static void write(Object value, StringBuilder text, int depth) {
            if (depth == 0) throw new IllegalArgumentException("a row has at most " + DEPTH + " levels");
            if (value == null || value instanceof Boolean) text.append(value);
            else if (value instanceof CharSequence) quote((CharSequence) value, text);
            else if (value instanceof Number) text.append(number((Number) value));
            else if (value instanceof Map) {
                String separator = "{";
                for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
                    if (!(member.getKey() instanceof String)) throw new IllegalArgumentException("a member's name is a String");
                    quote((String) member.getKey(), text.append(separator));
                    write(member.getValue(), text.append(':'), depth - 1);
                    separator = ",";
                }
                text.append(separator.equals("{") ? "{}" : "}");
            } else if (value instanceof Iterable) {
                String separator = "[";
                for (Object element : (Iterable<?>) value) {
                    write(element, text.append(separator), depth - 1);
                    separator = ",";
                }
                text.append(separator.equals("[") ? "[]" : "]");
            } else throw new IllegalArgumentException("JSON holds no " + value.getClass().getName());
        }

        private static String number(Number value) {
            if (value instanceof Double || value instanceof Float) {
                if (Double.isNaN(value.doubleValue()) || Double.isInfinite(value.doubleValue())) {
                    throw new IllegalArgumentException("JSON holds neither NaN nor infinity");
                }
                return value.toString();
            }
            boolean isExact = value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte
                || value instanceof BigDecimal || value instanceof BigInteger;
            if (!isExact) throw new IllegalArgumentException("JSON holds no " + value.getClass().getName());
            return value.toString();
        }

        /** In ASCII, so that half of a surrogate pair arrives as it is, and not as a question mark. */
        private static void quote(CharSequence value, StringBuilder text) {
            text.append('"');
            for (int at = 0; at < value.length(); at++) {
                char character = value.charAt(at);
                if (character == '"' || character == '\\') text.append('\\').append(character);
                else if (character >= 0x20 && character < 0x7f) text.append(character);
                else text.append("\\u").append(Integer.toHexString(0x10000 | character), 1, 5);
            }
            text.append('"');
        }

        static Object read(byte[] bytes) throws Unreadable {
            try {
                return new Json(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString()).whole();
            } catch (CharacterCodingException invalid) {
                throw new Unreadable("bytes that are not UTF-8", 0);
            }
        }

        private final String text;
        private int at;

        private Json(String text) {
            this.text = text;
        }

        private Object whole() throws Unreadable {
            Object value = value(DEPTH);
            space();
            if (at < text.length()) throw new Unreadable("more than one value", at);
            return value;
        }

        private Object value(int depth) throws Unreadable {
            if (depth == 0) throw new Unreadable("too many levels", at);
            space();
            char first = peek();
            if (first == '{') return members(depth);
            if (first == '[') return elements(depth);
            if (first == '"') return string();
            if (first == '-' || isDigit(first)) return number();
            if (text.startsWith("true", at)) return word(4, true);
            if (text.startsWith("false", at)) return word(5, false);
            if (text.startsWith("null", at)) return word(4, null);
            throw new Unreadable("no value", at);
        }

        private Object word(int length, Object value) {
            at += length;
            return value;
        }

        private Map<String, Object> members(int depth) throws Unreadable {
            Map<String, Object> members = new LinkedHashMap<>();
            at += 1;
            space();
            if (take('}')) return members;
            do {
                space();
                int place = at;
                if (peek() != '"') throw new Unreadable("no name", at);
                String name = string();
                space();
                if (!take(':')) throw new Unreadable("no colon", at);
                if (members.containsKey(name)) throw new Unreadable("a name that is there twice", place);
                members.put(name, value(depth - 1));
                space();
            } while (take(','));
            if (!take('}')) throw new Unreadable("no end of an object", at);
            return members;
        }

        private List<Object> elements(int depth) throws Unreadable {
            List<Object> elements = new ArrayList<>();
            at += 1;
            space();
            if (take(']')) return elements;
            do {
                elements.add(value(depth - 1));
                space();
            } while (take(','));
            if (!take(']')) throw new Unreadable("no end of an array", at);
            return elements;
        }

        private String string() throws Unreadable {
            StringBuilder value = new StringBuilder();
            for (at += 1; peek() != '"'; at += 1) {
                char character = peek();
                if (character < 0x20) throw new Unreadable("a control character or the end", at);
                value.append(character == '\\' ? escaped() : character);
            }
            at += 1;
            return value.toString();
        }

        private char escaped() throws Unreadable {
            at += 1;
            int plain = "\"\\/bfnrt".indexOf(peek());
            if (plain >= 0) return "\"\\/\b\f\n\r\t".charAt(plain);
            if (peek() != 'u' || at + 4 >= text.length()) throw new Unreadable("an escape", at);
            int code = 0;
            for (int digit = 0; digit < 4; digit++) {
                at += 1;
                // Character.digit would also take digits of other scripts.
                int number = peek() < 0x80 ? Character.digit(peek(), 16) : -1;
                if (number < 0) throw new Unreadable("an escape", at);
                code = code * 16 + number;
            }
            return (char) code;
        }

        private Number number() throws Unreadable {
            int start = at;
            take('-');
            if (!take('0')) digits();
            boolean isWhole = true;
            if (take('.')) {
                isWhole = false;
                digits();
            }
            if (take('e') || take('E')) {
                isWhole = false;
                if (!take('-')) take('+');
                digits();
            }
            String number = text.substring(start, at);
            if (number.length() > DIGITS) throw new Unreadable("a number that is too long", start);
            try {
                if (isWhole && number.length() < 19) return Long.valueOf(number);
                BigDecimal exact = new BigDecimal(number);
                return isWhole && exact.toBigInteger().bitLength() < 64 ? (Number) exact.longValueExact() : exact;
            } catch (NumberFormatException outside) {
                throw new Unreadable("a number that is out of range", start);
            }
        }

        private void digits() throws Unreadable {
            if (!isDigit(peek())) throw new Unreadable("no digit", at);
            while (isDigit(peek())) at += 1;
        }

        private static boolean isDigit(char character) {
            return character >= '0' && character <= '9';
        }

        private boolean take(char wanted) {
            if (peek() != wanted) return false;
            at += 1;
            return true;
        }

        /** The next character; at the end NUL, which is nothing that JSON has. */
        private char peek() {
            return at < text.length() ? text.charAt(at) : '\0';
        }

        private void space() {
            while (" \t\n\r".indexOf(peek()) >= 0) at += 1;
        }
    }
}
