#if Service
import EntitlementKeys
import EntitlementValues
import Foundation
import TVEService
import TVETesting
import TestVectors
import Testing

/// The status page for people.
@Suite struct StatusPageTests {
    private static func page(_ service: RunningService, _ query: String = "") async throws -> Answer {
        try await service.askInternal(request("GET", "/\(query)"))
    }

    @Test func `It reloads until its reader pauses it`() async throws {
        try await RunningService.with { service in
            let page = try await Self.page(service)
            #expect(page.text.contains(#"<meta http-equiv="refresh" content="10">"#))
            #expect(page.text.contains(#"<button name="reload" value="off">Pause</button>"#))
            let paused = try await Self.page(service, "?reload=off")
            #expect(!paused.text.contains("http-equiv") && paused.text.contains("<button>Go on</button>"))
        }
    }

    @Test func `Its policy lets it load nothing`() async throws {
        try await RunningService.with { service in
            let page = try await Self.page(service)
            let policy = try #require(page["Content-Security-Policy"])
            #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-") && !policy.contains("unsafe"))
            #expect(policy.contains("frame-ancestors 'none'"))
            // The policy would not let them in.
            #expect(!page.text.contains("style=") && !page.text.contains("<script") && !page.text.contains("onload"))
        }
    }

    @Test func `Tables have captions and headings`() async throws {
        try await RunningService.with { service in
            _ = try await service.authorize(["X-Media-Token: nonsense"])
            let text = try await Self.page(service).text
            let tables = text.components(separatedBy: "<table").dropFirst()
            #expect(tables.count == 3)
            for table in tables {
                #expect(table.contains("<caption>") && table.contains("<th scope=\"row\">"))
            }
            #expect(!text.contains("<th>") && text.contains("<th scope=\"col\">Certificate ends</th>"))
        }
    }

    @Test func `The ends of certificates are marked`() async throws {
        let expired = Vectors.key("test-only-issuer-2048.cert-expired.pem")
        try await RunningService.with(["keys.paths": expired]) { service in
            let text = try await Self.page(service).text
            #expect(text.contains(#"<span class="bad">ended "#))
        }
        // The same certificate, as of some days before its end.
        let key = try #require(try VerificationKeys(contentsOfFile: expired).keys.first?.validity?.upperBound)
        for (days, mark) in [(Int64(10), #"<span class="soon">ends in 9 days: "#), (40, "<td>\(key)</td>")] {
            let time = ManualTime(at: key - .seconds(days * 86_400 - 60))
            try await RunningService.with(["keys.paths": expired], time: time.source) { service in
                let text = try await Self.page(service).text
                #expect(text.contains(mark), "\(days)")
            }
        }
    }

    @Test func `Connections are shown`() async throws {
        try await RunningService.with(["limits.connections": "50"]) { service in
            let text = try await Self.page(service).text
            #expect(text.contains("0 of at most 50 at the public listener; 1 of at most 50 at the internal listener"))
        }
    }
}
#endif
