#if Service
import HTTPTypes
import TVEService
import Testing

/// The table of all ways to ask the gateway.
@Suite struct GatewayRouteTests {
    /// The paths of apps and their methods, as openapi.yaml lists them.
    private func documented() async throws -> [String] {
        let text = try await RunningService.with { service in
            try await service.askInternal(request("GET", "/openapi.yaml")).text
        }
        var (path, method, found) = ("", "", [String]())
        for line in text.split(separator: "\n").prefix(while: { $0 != "components:" }) {
            let name = line.trimmingPrefix { $0 == " " }
            switch line.count - name.count {
            case 2 where name.hasPrefix("/"): path = String(name.dropLast())
            case 4 where name.hasSuffix(":"): method = name.dropLast().uppercased()
            case 6 where name == "tags: [apps]": found.append("\(method) \(path)")
            default: break
            }
        }
        return found
    }

    @Test func `The table is that of openapi.yaml, in its order`() async throws {
        let routes = GatewayRoute.all.flatMap { route in
            route.methods.map { "\($0.rawValue) \(route.path)" }
        }
        #expect(GatewayRoute.all.count == 20)
        #expect(try await documented() == routes)
    }

    @Test func `A path is counted by one name, and no other path by the same`() {
        let names = Dictionary(grouping: GatewayRoute.all, by: \.path).mapValues { Set($0.map(\.endpoint)) }
        #expect(names.values.allSatisfy { $0.count == 1 })
        #expect(Set(names.values).count == names.count)
        #expect(GatewayRoute.all.allSatisfy { $0.endpoint != .other })
    }

    /// Each path once, with all methods that it takes.
    private static let paths = Dictionary(grouping: GatewayRoute.all, by: \.path)
        .mapValues { Set($0.flatMap(\.methods)) }

    /// A target of a path: the part in braces is one that no sign-in has.
    private func target(_ path: String) -> String { "\(path.prefix { $0 != "{" })\(path.hasSuffix("}") ? "x" : "")" }

    private func names(_ list: String?) -> Set<String> {
        Set((list ?? "").split(separator: ",").map { $0.trimmingPrefix(" ").description })
    }

    @Test func `What a path says that it takes is what it takes`() async throws {
        let page = "https://app.example.net"
        let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete]
        #expect(Self.paths["/v1/return/{state}"] == [.get])
        try await GatewayBench.with(["broker.corsOrigins": page]) { bench in
            for (path, taken) in Self.paths {
                let target = target(path)
                // Whatever else is wrong with a request, its method comes first.
                for (method, query) in methods.flatMap({ method in [(method, ""), (method, "?events=2")] }) {
                    let answer = try await bench.ask(method.rawValue, target + query)
                    #expect((answer.status != 405) == taken.contains(method), "\(method) \(path)\(query)")
                    if answer.status == 405 {
                        #expect(names(answer["Allow"]) == Set(taken.map(\.rawValue)), "\(method) \(path)")
                    }
                }
                let preflight = try await bench.ask("OPTIONS", target, fields: ["Origin: \(page)"])
                #expect(names(preflight["Access-Control-Allow-Methods"]) == Set(taken.map(\.rawValue)), "\(path)")
            }
        }
    }

    /// A route that is open by mistake would answer any client as if it were a device.
    @Test func `All but these routes need a device`() async throws {
        let open: Set = [
            "POST /v1/devices", "GET /activate", "HEAD /activate", "POST /activate", "GET /v1/activations/{code}",
            "HEAD /v1/activations/{code}", "POST /v1/activations/{code}", "GET /v1/return/{state}",
        ]
        try await GatewayBench.with { bench in
            for route in GatewayRoute.all {
                for method in route.methods {
                    let answer = try await bench.ask(method.rawValue, target(route.path))
                    let isOpen = open.contains("\(method.rawValue) \(route.path)")
                    #expect((answer.status == 401) == !isOpen, "\(method) \(route.path): \(answer.status)")
                    if method != .head { #expect((answer.code == "no_device_token") == !isOpen, "\(route.path)") }
                }
            }
        }
    }
}
#endif
