#if Service
import HTTPTypes
import Hummingbird
import Logging

/// What the service's load is compared with: the framework's own way from a request to an empty answer.
///
///     BareRoute PORT
@main
enum BareRoute {
    static func main() async throws {
        let router = Router()
        router.get("/v1/authz") { _, _ in HTTPResponse.Status.ok }
        let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
        var application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)))
        application.logger.logLevel = .error
        try await application.runService()
    }
}
#else
@main
enum BareRoute {
    static func main() {}
}
#endif
