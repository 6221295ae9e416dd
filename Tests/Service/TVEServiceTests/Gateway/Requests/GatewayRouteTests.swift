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
            // What takes GET takes HEAD, too, unless it has a row of its own.
            let hasHead = GatewayRoute.all.contains { $0.path == route.path && $0.method == .head }
            let methods = route.method == .get && !hasHead ? [.get, .head] : [route.method]
            return methods.map { "\($0.rawValue) \(route.path)" }
        }
        #expect(GatewayRoute.all.count == 21)
        #expect(try await documented() == routes)
    }

    @Test func `A path is counted by one name, and no other path by the same`() {
        let names = Dictionary(grouping: GatewayRoute.all, by: \.path).mapValues { Set($0.map(\.endpoint)) }
        #expect(names.values.allSatisfy { $0.count == 1 })
        #expect(Set(names.values).count == names.count)
        #expect(GatewayRoute.all.allSatisfy { $0.endpoint != .other })
    }
}
#endif
