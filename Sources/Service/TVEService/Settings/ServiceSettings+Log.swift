#if Service
public import Logging

extension ServiceSettings {
    /// What is logged.
    struct Log: Sendable, Hashable {
        /// Which passes have a line of their own.
        enum Passes: String, CaseIterable {
            /// Those of tokens: one for each play, and not one for each segment.
            case tokens
            case all
            case none
        }

        let level: Logger.Level
        let passes: Passes
        /// The most refusals of one code that are logged in a second; `nil` for all.
        let refusalsPerSecond: Int?

        init(from reader: inout SettingsReader) {
            level = reader.choice("log.level", default: Logger.Level.info)
            passes = reader.choice("log.passes", default: Passes.tokens)
            let refusals = reader.number("log.refusalsPerSecond", in: 0...1_000_000, default: 100)
            refusalsPerSecond = refusals == 0 ? nil : refusals
        }

        /// Whether a pass by a credential has a line.
        func shows(_ credential: AccessOutcome.Credential) -> Bool {
            switch passes {
            case .tokens: credential == .token
            case .all: true
            case .none: false
            }
        }
    }

    /// The lowest level that is logged.
    public var logLevel: Logger.Level { log.level }
}
#endif
