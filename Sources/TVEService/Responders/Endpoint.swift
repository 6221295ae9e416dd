#if Service
/// Names what can be asked for, for measurements.
enum Endpoint: String, Sendable, CaseIterable {
    case authz
    case verify
    case verifyBatch = "verify_batch"
    case decisions
    case sessions
    case decrypt
    case other
}
#endif
