#if Service
import EntitlementValues
import Foundation
import TVETesting
import TestVectors
import Testing

extension HTTPAttacks {
    private static let mebibyte = (1 << 20) - 64
    private static let bodies: [(String, String)] = [
        ("objects", #"{"decisions":["# + String(repeating: "{},", count: mebibyte / 3 - 1) + "{}]}"),
        ("arrays", String(repeating: "[", count: mebibyte)),
        ("objects in objects", String(repeating: #"{"a":"#, count: mebibyte / 5)),
        ("members", "{" + (0..<mebibyte / 12).map { #""\#($0)":0"# }.joined(separator: ",").prefix(mebibyte) + "}"),
        ("one long name", #"{""# + String(repeating: "x", count: mebibyte - 8) + #"":0}"#),
        ("one long token", #"{"token":""# + String(repeating: "A", count: mebibyte - 64) + #"","requestor":null}"#),
        ("controls", #"{""# + String(repeating: #"\u0001"#, count: mebibyte / 6 - 4) + #"":0}"#),
    ]

    @Test(
        arguments: [
            "/v1/media-tokens/verify", "/v1/decisions/verify?requestor=REF30", "/v1/playback-sessions",
            "/v1/playback-sessions/renew", "/v1/playback-sessions/end", "/v1/authz", "/nowhere",
        ])
    func `The answer to a large body is short`(_ target: String) async throws {
        let folder = try Folder()
        try await RunningService.with(try SessionLifeTests.settings(folder)) { service in
            for (name, body) in Self.bodies {
                let answer = try await service.post(target, body)
                #expect((400..<500).contains(answer.status), "\(name)")
                #expect(answer.body.count < 4096, "\(name)")
            }
        }
    }

    /// Lines after the last one that counts may be in the same piece; then they have verdicts, too.
    @Test func `A batch of empty lines ends`() async throws {
        try await RunningService.with(["limits.batches": "1"]) { service in
            let target = "/v1/media-tokens/verify-batch"
            let good = #"{"token":"\#(try RunningService.token())","requestor":null,"resource":null}"# + "\n"
            let blank = String(repeating: "\n", count: 999)
            // Rows count against as many other lines.
            let row = #"{"token":"x","requestor":null,"resource":null}"# + "\n"
            let mixed = try await service.post(target, blank + good + String(repeating: row + "\n", count: 3000))
            #expect(mixed.objects.count == 7000 && mixed.objects.last?["code"] as? String == "bad_row")

            // They do not count in advance, and few of them not for many.
            let hundred = String(repeating: "\n", count: 100)
            for body in [
                good + good + good + blank + "x\n" + hundred, blank + good + blank,
                String(repeating: blank + good, count: 20),
            ] {
                let bytes = try await polled {
                    let bytes = try await RawConnection.exchange(
                        service.publicPort, request("POST", target, body: Array(body.utf8)))
                    // The place of the batch before may be taken for a moment more.
                    return Answer.all(in: bytes).first?.status == 503 ? nil : bytes
                }
                #expect(Answer.all(in: bytes).isEmpty, "the answer looks complete")
                let text = String(decoding: bytes, as: UTF8.self)
                let codes = text.split(separator: "\"code\":\"").dropFirst().map { $0.prefix { $0 != "\"" } }
                #expect(codes.contains("valid") && codes.last == "too_many_faults")
                #expect((1000..<1066).contains(codes.count { $0 == "bad_row" }) && codes.count < 1100)
                #expect(text.contains("\"line\":\(codes.count)}"), "it names the first line without a verdict")
            }
            try await service.until { try await $0.post(target, good).status == 200 }
        }
    }

    @Test func `What a token says comes back in full or as a digest, never left out`() async throws {
        let long = String(repeating: "x", count: 1025)
        let umlauts = String(repeating: "ü", count: 200)
        let cases: [(value: String, field: String)] = [
            ("M", "M"), (String(long.dropLast()), String(long.dropLast())),
            // By sha256sum.
            (long, "sha256:c6d8e9905300876046729949cc95c2385221270d389176f7234fe7ac00c4e430"),
            (umlauts, "sha256:cb26b0de5a63c843909f2a32874407b349954efb4416f246d56a772ac291eb19"),
        ]
        let names = ["X-TVE-Status", "X-TVE-MVPD", "X-TVE-Session", "X-TVE-Resource", "X-TVE-Expires"]
        for (value, field) in cases {
            try await RunningService.with(["authz.resources": "/live/* \(value)"]) { service in
                var claims = TestTokenClaims(requestor: "REF30", resource: ResourceID(value))
                (claims.mvpd, claims.sessionGUID) = (MVPDID(value), SessionGUID(value))
                var layout = TestTokenLayout()
                layout.base64Layers = 1
                let token = try RunningService.issuer.get().issueText(claims, layout: layout)
                let answer = try await service.authorize(["X-Media-Token: \(token)"])
                #expect(answer.status == 200)
                for name in names { #expect(answer.values(of: name).count == 1, "\(name)") }
                for name in ["X-TVE-MVPD", "X-TVE-Session", "X-TVE-Resource"] {
                    #expect(answer[name] == field, "\(name)")
                }
            }
        }
    }
}
#endif
