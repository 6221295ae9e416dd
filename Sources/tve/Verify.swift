#if CLI
    import ArgumentParser
    import EntitlementKeys
    import EntitlementValues
    import MediaRSS
    import MediaTokens

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Decide whether a media token is good for a requestor and a resource.",
            discussion: """
                Examples:
                  tve verify "$TOKEN" --keys issuer.pem --requestor REF30 --resource REF30
                  tve verify - --keys keys/ --requestor REF30 --any-resource --output json < token.txt
                  tve verify --batch --keys issuer.pem < rows.ndjson > verdicts.ndjson

                A token may be plain text, Base64 of it (up to two layers), or percent-encoded.

                With --batch, each line is {"id": any, "token": "…", "requestor": "…" or null, "resource": "…" or null, \
                "at": epoch ms, "leeway": ms}; null means unchecked, "at" and "leeway" may be left out. One verdict per \
                line, in the same order; a bad row is a verdict too. A summary goes to standard error.

                Exit codes: 0 valid (or batch done); 10 not a media token; 11 bad signature; 12 expired; \
                13 not yet valid; 14 other resource; 15 other requestor; 69 could not decide; 2 bad rows with --strict.
                """
        )

        @Argument(help: "The token; - or nothing reads it from standard input.")
        var token: String?

        @Option(name: .long, parsing: .upToNextOption, help: "Certificates or public keys: files or folders.")
        var keys: [String]

        @Option(name: .long, help: "The requestor that the token must be for; may be repeated.")
        var requestor: [String] = []

        @Flag(name: .long, help: "Accept a token for any requestor.")
        var anyRequestor = false

        @Option(name: .long, help: "The resource that the token must be for; may be repeated.")
        var resource: [String] = []

        @Flag(name: .long, help: "Accept a token for any resource.")
        var anyResource = false

        @Flag(name: .long, help: "Compare an MRSS resource by its structure instead of octet by octet.")
        var mediaRss = false

        @Option(name: .long, help: "Verify as of this time: RFC 3339 or epoch milliseconds (default: now).")
        var at: Timestamp?

        @Option(name: .long, help: "Seconds after expiry at which a token still passes, 0 to 600.")
        var leeway: Int64 = 0

        @Flag(name: .long, help: "Also accept SHA-1 signatures. For archives only.")
        var allowSha1 = false

        @Flag(name: .long, help: "Verify many tokens: one JSON object per line.")
        var batch = false

        @Option(name: .long, help: "With --batch, how many rows to verify at once (default: all cores).")
        var jobs: Int?

        @Flag(name: .long, help: "With --batch, exit with 2 where a row could not be read.")
        var strict = false

        @Option(name: .long, help: "How to show the verdict and failures: text or json.")
        var output = OutputForm.text

        func validate() throws {
            let hasExpectations = !requestor.isEmpty || anyRequestor || !resource.isEmpty || anyResource || mediaRss
            if batch {
                guard !hasExpectations else {
                    throw ValidationError("With --batch, each row names its requestor and resource (null: unchecked).")
                }
                guard token == nil || token == "-" else {
                    throw ValidationError("With --batch, rows are read from standard input.")
                }
                guard jobs.map({ $0 > 0 }) ?? true else { throw ValidationError("--jobs takes a number above 0.") }
            } else {
                guard requestor.isEmpty == anyRequestor else {
                    throw ValidationError("Give --requestor ID or --any-requestor.")
                }
                guard resource.isEmpty == anyResource else {
                    throw ValidationError("Give --resource ID or --any-resource.")
                }
                guard jobs == nil, !strict else { throw ValidationError("--jobs and --strict go with --batch.") }
                guard !(requestor + resource).contains("") else {
                    throw ValidationError("An empty ID is no expectation; to leave a check out, say --any-….")
                }
                guard !mediaRss || resource.count == 1 else {
                    throw ValidationError("--media-rss goes with one --resource.")
                }
            }
            _ = try policy()
        }

        func run() async throws {
            var paths = KeyPaths(paths: keys)
            let trailing = token == nil && !batch ? paths.takeToken() : nil
            let verifier = MediaTokenVerifier(keys: try paths.read(output), policy: try policy())
            if batch {
                try await VerifyBatch(verifier: verifier, at: at, jobs: jobs, isStrict: strict).run()
                return
            }
            let octets = try TokenInput.octets(token ?? trailing, output)
            let verdict = verifier.verdict(on: octets.span, expecting: try expectations(), at: at ?? .now)
            switch output {
            case .json: try Console.write(verdict.object().finished + [UInt8(ascii: "\n")])
            case .text: try Console.write(text(verdict))
            }
            throw ExitCode(verdict.status.exitCode)
        }

        private func policy() throws -> VerificationPolicy {
            do throws(VerificationPolicyError) {
                return try VerificationPolicy(leeway: .seconds(leeway), acceptsLegacySHA1: allowSha1)
            } catch {
                throw ValidationError("--leeway: \(error)")
            }
        }

        private func expectations() throws -> TokenExpectations {
            TokenExpectations(
                requestor: anyRequestor ? .unchecked : .anyOf(requestor.map(RequestorID.init)),
                resource: anyResource ? .unchecked : try resourceExpectation()
            )
        }

        private func resourceExpectation() throws -> Expectation<ResourceID> {
            guard mediaRss, let resource = resource.first else { return .anyOf(resource.map(ResourceID.init)) }
            do throws(MediaRSSError) {
                return try .mediaRSS(ResourceID(resource))
            } catch {
                throw ValidationError("--resource: \(error)")
            }
        }

        private func text(_ verdict: MediaTokenVerdict) -> String {
            var text = "\(verdict.status.rawValue)  \(verdict.detail)\n"
            if let claims = verdict.authenticClaims { text += claims.lines }
            if let key = verdict.key {
                text += aligned([("signed by", key.isWeak ? "\(key) — weak: below 2048 bits" : "\(key)")])
            }
            return text
        }
    }
#endif
