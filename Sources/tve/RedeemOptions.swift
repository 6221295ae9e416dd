#if CLI
    import ArgumentParser
    import EntitlementKeys
    import EntitlementValues
    import OpenSSLBridge
    import RedisStores
    import SQLiteStores
    import TokenLifetimes

    /// Where used tokens are remembered.
    struct RedeemOptions: ParsableArguments {
        @Option(
            name: .customLong("redeem"),
            help: """
                Let each token pass once: memory:[N], sqlite:PATH, redis://HOST:PORT[/DB] or redis+unix://PATH.
                """)
        var stores: [String] = []

        @Option(name: .long, help: "A file with the password of the Redis server.", completion: .file())
        var redeemPasswordFile: String?

        var redeem: String? { stores.first }

        func validate() throws {
            // With the last one alone, a token would pass once for each.
            guard stores.count < 2 else { throw ValidationError("--redeem takes one store.") }
            if let redeem { _ = try UsedTokens(redeem) }
            guard redeemPasswordFile == nil || redeem.map(UsedTokens.isRedis) ?? false else {
                throw ValidationError("--redeem-password-file goes with --redeem redis://….")
            }
        }

        /// Whether the store ends with this process.
        var isInMemory: Bool { if case .memory = try? redeem.map(UsedTokens.init) { true } else { false } }

        /// Opens the store, if one was asked for.
        func open(_ form: OutputForm) throws -> (any ReplayStore)? {
            do {
                return try open()
            } catch let error as SQLiteStoreError {
                throw Console.fail(error.code, file: error.path, "--redeem: \(error)", form, error.exitCode)
            } catch let error as KeyError {
                throw Console.fail(error, form)
            } catch let error as MissingTrait {
                throw Console.fail("no_redis", file: nil, "--redeem: \(error.detail)", form, .badConfiguration)
            } catch {
                guard let (code, detail) = Self.redisFault(error) else { throw error }
                throw Console.fail(code, file: nil, "--redeem: \(detail)", form, .badConfiguration)
            }
        }

        private func open() throws -> (any ReplayStore)? {
            switch try redeem.map(UsedTokens.init) {
            case nil: return nil
            case .memory(let capacity):
                return capacity.map { InMemoryReplayStore(capacity: $0) } ?? InMemoryReplayStore()
            case .sqlite(let path): return try SQLiteReplayStore(path: path)
            case .redis(let address): return try openRedis(address)
            }
        }

        #if Redis
            private func openRedis(_ address: String) throws -> any ReplayStore {
                let address = try RedisAddress(parsing: address)
                let password = try redeemPasswordFile.map { try KeyPassword(contentsOfFile: $0) }
                return RedisReplayStore(
                    address, password: password,
                    onWarning: { StandardStreams.report("tve: \(address): \($0) [\($0.code)]") })
            }

            private static func redisFault(_ error: any Error) -> (code: String, detail: String)? {
                (error as? RedisConfigurationError).map { ($0.code, $0.description) }
            }
        #else
            private func openRedis(_ address: String) throws -> any ReplayStore {
                throw MissingTrait(
                    detail: "tve was built without the trait Redis; build it with: swift build --traits CLI,Redis")
            }

            private static func redisFault(_ error: any Error) -> (code: String, detail: String)? { nil }
        #endif
    }

    /// The value of `--redeem`.
    ///
    /// No error repeats it: there may be a password in it.
    enum UsedTokens {
        case memory(Int?)
        case sqlite(String)
        case redis(String)

        init(_ text: String) throws {
            if text == "memory:" {
                self = .memory(nil)
            } else if text.hasPrefix("memory:") {
                guard let capacity = Int(text.dropFirst(7)), capacity > 0 else {
                    throw ValidationError("--redeem memory:N takes a number of tokens above 0.")
                }
                self = .memory(capacity)
            } else if text.hasPrefix("sqlite:") {
                guard text != "sqlite:" else { throw ValidationError("--redeem sqlite:PATH lacks the path.") }
                self = .sqlite(String(text.dropFirst(7)))
            } else if Self.isRedis(text) {
                self = .redis(text)
            } else {
                throw ValidationError(
                    "--redeem takes memory:[N], sqlite:PATH, redis://HOST:PORT[/DB] or redis+unix://PATH.")
            }
        }

        /// Whether it is the address of a server; what is wrong with it is told when it is opened.
        static func isRedis(_ text: String) -> Bool {
            ["redis:", "redis+unix:", "rediss:", "valkey:", "valkeys:"].contains { text.lowercased().hasPrefix($0) }
        }
    }

    private struct MissingTrait: Error {
        let detail: String
    }

    extension SQLiteStoreError {
        /// The file that it is about.
        var path: String? {
            switch self {
            case .cannotOpen(let path, _), .notADatabase(let path), .otherApplication(let path),
                .newerVersion(let path, _), .damaged(let path), .moved(let path), .unavailable(let path, _):
                path
            case .unusablePath, .ledger: nil
            }
        }

        /// A file of something else is a mistake in the configuration; one that does not answer now may do so later.
        var exitCode: ExitCode {
            switch self {
            case .cannotOpen, .moved, .unavailable: .undecided
            case .unusablePath, .notADatabase, .otherApplication, .newerVersion, .damaged, .ledger: .badConfiguration
            }
        }
    }
#endif
