#if Service
import HTTPTypes
import Hummingbird
import Logging

/// Answers the paths of the public listener with an empty 200: the floor that the service's own load is compared with.
///
///     BareRoute PORT [dispatch|nio]
///     BareRoute PORT plays ORIGIN KEY
///
/// Requests are routed by Hummingbird's router, or, with `dispatch`, by comparing the path as `TVEService` does. The
/// difference in processor time is what the router costs. With `nio`, NIO answers alone; with `plays`, `BarePlays`.
@main
enum BareRoute {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let port = arguments.first.flatMap { Int($0) } ?? 8080
        switch arguments.dropFirst().first {
        case "dispatch": try await serve(PathDispatch(), port: port)
        case "nio": try await BareNIO.serve(port: port)
        case "plays":
            let names = Array(arguments.dropFirst(2))
            precondition(names.count == 2, "plays needs ORIGIN KEY")
            try await serve(BarePlays(at: names[0], key: names[1]), port: port)
        default: try await serve(router().buildResponder(), port: port)
        }
    }

    private static func router() -> Router<BasicRequestContext> {
        let router = Router()
        let answer = { @Sendable (_: Request, _: BasicRequestContext) in HTTPResponse.Status.ok }
        router.get("/v1/authz", use: answer)
        for path in PathDispatch.posted { router.post(RouterPath(path), use: answer) }
        return router
    }

    private static func serve<Context: InitializableFromSource<ApplicationRequestContextSource>>(
        _ responder: some HTTPResponder<Context>, port: Int
    ) async throws {
        var application = Application(
            responder: responder, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)))
        application.logger.logLevel = .error
        try await application.runService()
    }
}

/// Finds the answer to a request by comparing its path.
private struct PathDispatch: HTTPResponder {
    static let posted = [
        "/v1/media-tokens/verify", "/v1/media-tokens/verify-batch", "/v1/decisions/verify", "/v1/playback-sessions",
    ]

    func respond(to request: Request, context: EmptyContext) async throws -> Response {
        let path = request.uri.path
        return Response(status: path == "/v1/authz" || Self.posted.contains(path) ? .ok : .notFound)
    }
}

struct EmptyContext: InitializableFromSource {
    init(source: ApplicationRequestContextSource) {}
}
#else
@main
enum BareRoute {
    static func main() {}
}
#endif
