import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/**
 * Asks a service, a gateway and a simulator with the generated clients; ends with an exception at the first answer that is not
 * the right one, and else prints each request that was made: contract, method and path.
 *
 * <pre>java Calls FILE</pre>
 *
 * The file is an object with the addresses, tokens, the simulator's software statement, a value of user metadata, and the
 * secret of requests to decrypt.
 */
public final class Calls {
    interface Call { void make() throws Exception; }

    private static final TreeSet<String> made = new TreeSet<>();

    @SuppressWarnings("unchecked")
    public static void main(String[] arguments) throws Exception {
        Map<String, Object> given = new ObjectMapper().readValue(new File(arguments[0]), Map.class);
        var addresses = (Map<String, String>) given.get("addresses");
        var service = new ServiceCalls(addresses, (List<String>) given.get("tokens"));
        service.verify();
        service.play();
        service.operate((String) given.get("value"), (String) given.get("secret"));
        service.watch();
        BrokerCalls.make(addresses.get("broker"), (String) given.get("statement"));
        made.forEach(System.out::println);
    }

    static void note(String contract, HttpRequest.Builder builder) {
        builder.setHeader("X-Client-Address", "192.0.2.7");
        HttpRequest request = builder.copy().build();
        made.add(contract + " " + request.method() + " " + request.uri().getRawPath());
    }

    static void expect(String what, Object found, Object wanted) {
        if (!Objects.equals(found, wanted)) throw new AssertionError(what + ": " + found + ", expected " + wanted);
    }

    static void refuse(String what, int status, Call call) throws Exception {
        try {
            call.make();
        } catch (tve.service.ApiException error) {
            expect(what, error.getCode(), status);
            return;
        } catch (tve.broker.ApiException error) {
            expect(what, error.getCode(), status);
            return;
        }
        throw new AssertionError(what + ": not refused");
    }

    static String browse(String url) throws Exception { return browse(url, null); }

    /** Follows an address as a browser does, to the first one that is not on this machine; one without a port is the gateway's. */
    static String browse(String url, String gateway) throws Exception {
        var client = HttpClient.newHttpClient();
        URI next = URI.create(url);
        for (int step = 0; step < 10 && "127.0.0.1".equals(next.getHost()); step++) {
            if (next.getPort() < 0) next = URI.create(gateway + next.getRawPath() + (next.getRawQuery() == null ? "" : "?" + next.getRawQuery()));
            var request = HttpRequest.newBuilder(next).header("X-Client-Address", "192.0.2.7").build();
            var place = client.send(request, HttpResponse.BodyHandlers.discarding()).headers().firstValue("Location");
            if (place.isEmpty()) break;
            next = next.resolve(place.get());
        }
        return next.toString();
    }
}
