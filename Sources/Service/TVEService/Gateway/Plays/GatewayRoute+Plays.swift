#if Service
import Hummingbird

extension GatewayRoute {
    /// What may be watched: playbacks, the profile of the user, and marks in lists.
    static let watching: [Endpoint: Methods] = [
        .plays: [.post: .device { try await Play($0).answer() }],
        .profile: [.get: .device { try await ProfileQuestion($0).answer() }],
        .preauthorizations: [.post: .device { try await PreauthorizationQuestion($0).answer() }],
    ]
}
#endif
