import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * Asks an address as Java's client does unless it is told otherwise: each request offers HTTP/2 (h2c), every second one with
 * a body. Prints a line with status and version for each answer.
 *
 * <pre>java UpgradingClient.java URL COUNT</pre>
 */
public class UpgradingClient {
    public static void main(String[] arguments) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        for (int number = 0; number < Integer.parseInt(arguments[1]); number++) {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(arguments[0])).timeout(Duration.ofSeconds(60));
            if (number % 2 == 1) {
                request.POST(HttpRequest.BodyPublishers.ofString("x"));
            }
            HttpResponse<String> answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            System.out.println(answer.statusCode() + " " + answer.version());
        }
    }
}
