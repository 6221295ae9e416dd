import TVETesting
import TVETokens

extension Workload {
    /// Whole tokens, from bytes to claims.
    static func verifications(_ issuer: Issuer) throws -> [Workload] {
        try [(Issuer.resource, "short resource"), (Issuer.mrss, "MRSS resource")].flatMap { resource, kind in
            try [(0, "plain"), (1, "Base64")].map { layers, form in
                let token = try issuer.token(resource: resource, base64Layers: layers)
                return verification(
                    "verify: \(issuer.bits) bits, \(form), \(kind)", floor: issuer.floorName, issuer.verifier, token,
                    resource)
            }
        }
    }

    /// Five trusted keys, of which the last one signed.
    static func fiveKeys(_ issuer: Issuer) throws -> Workload {
        let names = [
            "test-only-issuer-1024.spki.pem", "test-only-ca-2048.spki.pem", "test-only-issuer-2048-e3.spki.pem",
            "test-only-issuer-3072.spki.pem", "test-only-issuer-\(issuer.bits).spki.pem",
        ]
        let verifier = MediaTokenVerifier(keys: try VerificationKeys(contentsOf: names.map(Issuer.keyFile)))
        return verification(
            "verify: \(issuer.bits) bits, plain, short resource, five keys, the right one last",
            floor: issuer.floorName, verifier, try issuer.token(), Issuer.resource)
    }

    /// Each refusal of the status table; tokens that are refused after the signature check are well signed.
    static func refusals(_ issuer: Issuer) throws -> [Workload] {
        var lacksFirst = try issuer.token()
        lacksFirst.removeFirst()
        let good = try issuer.token()
        let expectations = Issuer.expectations()
        var refusals: [Workload] = [
            ("malformed, first byte missing", "malformed", lacksFirst, expectations, Issuer.now),
            (
                "malformed, signature not Base64", "malformed", try issuer.token(fault: .signatureNotBase64),
                expectations,
                Issuer.now
            ),
            (
                "malformed, an element twice", "malformed", try issuer.token(fault: .resourceTwice), expectations,
                Issuer.now
            ),
            ("too_large", "too_large", try issuer.token(fault: .tooLarge), expectations, Issuer.now),
            ("foreign_token, a JWT", "foreign_token", try issuer.token(fault: .jwt), expectations, Issuer.now),
            (
                "bad_signature, a bit flipped", "bad_signature", try issuer.token(fault: .signatureBitFlipped),
                expectations, Issuer.now
            ),
            ("expired", "expired", good, expectations, Issuer.now + .hours(1)),
            ("not_yet_valid", "not_yet_valid", good, expectations, Issuer.now - .hours(1)),
            ("resource_mismatch", "resource_mismatch", good, Issuer.expectations("Other"), Issuer.now),
            (
                "requestor_mismatch", "requestor_mismatch", good,
                TokenExpectations(requestor: "OTHER", resource: .unchecked), Issuer.now
            ),
            ("empty_expectation", "empty_expectation", good, Issuer.expectations(""), Issuer.now),
        ].map { name, code, token, expectations, now in
            let verifier = issuer.verifier
            return Workload("refuse: \(name)", floor: issuer.floorName) {
                verifier.verdict(on: token.span, expecting: expectations, at: now).isRefused(code)
            }
        }
        let token = try issuer.verifier.verify(good.span, expecting: expectations, at: Issuer.now)
        let used = InMemoryReplayStore()
        _ = try used.redeem(token.replayID, until: .now + .hours(24), at: .now)
        for (code, store) in [("replayed", used), ("store_unavailable", InMemoryReplayStore(capacity: 0))] {
            let verifier = issuer.verifier
            refusals.append(
                Workload(
                    "refuse: \(code)", floor: issuer.floorName,
                    awaiting: {
                        await verifier.verdict(
                            on: good.span, expecting: expectations, at: Issuer.now, redeemingIn: store
                        ).isRefused(code)
                    }))
        }
        return refusals
    }

    /// Many tokens, on one core and on all.
    static func batches(_ issuer: Issuer) throws -> [Workload] {
        let tokens = try (0..<1024).map { try issuer.token(resource: "Channel\($0)") }
        let expectations = TokenExpectations(requestor: "REF30", resource: .unchecked)
        let verifier = issuer.verifier
        return [("one core", 1), ("all cores", processorCount)].map { name, tasks in
            Workload(
                "batch: 1024 tokens, 2048 bits, \(name)", isLong: true,
                awaiting: {
                    await withTaskGroup { group in
                        for task in 0..<tasks {
                            group.addTask {
                                stride(from: task, to: tokens.count, by: tasks).allSatisfy {
                                    let token = tokens[$0]
                                    return verifier.verdict(on: token.span, expecting: expectations, at: Issuer.now)
                                        .isGood
                                }
                            }
                        }
                        return await group.allSatisfy { $0 }
                    }
                })
        }
    }

    private static func verification(
        _ name: String,
        floor: String,
        _ verifier: MediaTokenVerifier,
        _ token: [UInt8],
        _ resource: String
    ) -> Workload {
        let expectations = Issuer.expectations(resource)
        return Workload(name, floor: floor) {
            verifier.verdict(on: token.span, expecting: expectations, at: Issuer.now).isGood
        }
    }
}

extension MediaTokenVerdict {
    fileprivate var isGood: Bool {
        if case .success = result { true } else { false }
    }

    fileprivate func isRefused(_ code: String) -> Bool {
        if case .failure(let error) = result { error.code == code } else { false }
    }
}
