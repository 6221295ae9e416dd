#if Service
import EntitlementFlows
import EntitlementValues
import Hummingbird
import TextCodecs

/// `POST /v1/preauthorizations`: which resources the user would be allowed to watch, for marks in a list.
struct PreauthorizationQuestion {
    /// The most resources of one device.
    static let maximumResources = 25

    private let device: DeviceCall

    init(_ device: DeviceCall) { self.device = device }

    /// Answers the device.
    func answer() async throws -> Response {
        let body = try await device.call.body(taking: ["resources", "cache"])
        let (resources, usesCache) = (try body.identifiers("resources"), try body.boolean("cache") ?? true)
        guard 1...Self.maximumResources ~= resources.count else {
            throw RequestError.badRequest("resources has 1 to \(Self.maximumResources) elements")
        }
        try device.requireRecord()
        let answers: [PreauthorizedResource]
        do {
            answers = try await device.withSession { session in
                try await session.preauthorize(resources.map { ResourceID($0) }, usingCache: usesCache).answers
            }
        } catch let error as EntitlementFlowError {
            device.count(error == .notAuthenticated ? .denied : .failed, of: nil)
            throw error
        }
        device.count(.permitted, of: nil)
        return Response(.ok, object(for: answers))
    }

    private func object(for answers: [PreauthorizedResource]) -> JSONWriter {
        var object = JSONWriter()
        object.member("code", "preauthorized")
        object.member("permitted", answers.filter(\.isPermitted).map(\.resource.rawValue))
        object.member("denied", answers.filter { !$0.isPermitted && !$0.isNotMentioned }.map(denied))
        object.member("notMentioned", answers.filter(\.isNotMentioned).map(\.resource.rawValue))
        return object
    }

    private func denied(_ answer: PreauthorizedResource) -> JSONWriter {
        let denial = AuthorizationDenial(of: answer.resource, mvpd: nil, because: answer.error)
        var object = JSONWriter()
        object.member("resource", answer.resource.rawValue)
        object.member("code", denial.nameForApps)
        if let message = denial.message { object.member("message", message) }
        return object
    }
}
#endif
