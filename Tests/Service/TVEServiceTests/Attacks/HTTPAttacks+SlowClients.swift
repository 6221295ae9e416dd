#if Service
import Foundation
import NIOCore
import Testing
import TestVectors

extension HTTPAttacks {
    private static let batch = "/v1/media-tokens/verify-batch"

    @Test(arguments: [
        ("a head", "GET /v1/authz HTTP/1.1\r\nHost: a\r\n", "X-A: b\r\n"),
        ("a field", "GET /v1/authz HTTP/1.1\r\nHost: a\r\nX-A: ", "b"),
        ("a target", "GET /v1/authz?", "b"),
        (
            "chunks", "POST /v1/media-tokens/verify HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
            "1\r\n \r\n"
        ),
        (
            "trailers", "POST /v1/media-tokens/verify HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
            "X-A: b\r\n"
        ),
    ])
    func `A request that trickles in ends its connection`(_ what: String, _ start: String, _ piece: String)
        async throws
    {
        try await RunningService.with(["limits.idleSeconds": "1", "limits.requestSeconds": "1"]) { service in
            let answers = try await RawConnection.trickle(
                Array(start.utf8), then: Array(piece.utf8), to: service.publicPort)
            #expect(answers.allSatisfy { $0.status >= 400 })
            try await service.until { try await $0.passes("/live/1") }
        }
    }

    @Test func `A batch below the least rate loses its place`() async throws {
        let settings = [
            "limits.batches": "1", "limits.idleSeconds": "1", "limits.batchBytesPerSecond": "1000000",
        ]
        try await RunningService.with(settings) { service in
            let head = request("POST", Self.batch, fields: ["Content-Length: 100000000"], closes: false)
            // Above the 4 KiB that every batch has to send.
            let piece = Array((String(repeating: " ", count: 4095) + "\n").utf8)
            #expect(try await RawConnection.trickle(head, then: piece, to: service.publicPort).isEmpty)
            try await service.until { try await $0.post(Self.batch, "x").status == 200 }
        }
    }

    @Test func `A batch ends after its longest life, however fast it is`() async throws {
        let settings = ["limits.batches": "1", "limits.batchSeconds": "2"]
        try await RunningService.with(settings) { service in
            let head = request("POST", Self.batch, fields: ["Content-Length: 100000000"], closes: false)
            let piece = Array((String(repeating: " ", count: 4095) + "\n").utf8)
            #expect(try await RawConnection.trickle(head, then: piece, to: service.publicPort).isEmpty)
            try await service.until { try await $0.post(Self.batch, "x").status == 200 }
        }
    }

    @Test(.enabled(if: DeepRun.isAsked, "a first batch that is held up for a second ends its connection"))
    func `A connection may live longer than the longest batch on it`() async throws {
        try await RunningService.with(["limits.batchSeconds": "1"]) { service in
            let one = request("POST", Self.batch, body: Array("x\n".utf8), closes: false)
            let last = request("POST", Self.batch, body: Array("x\n".utf8))
            let received = try await RawConnection.to(service.publicPort) { inbound, outbound in
                try await outbound.write(ByteBuffer(bytes: one))
                try await service.until { try await $0.metrics().contains("tve_batch_rows_total 1") }
                try await Task.sleep(for: .milliseconds(1500))
                try await outbound.write(ByteBuffer(bytes: last))
                return await RawConnection.read(inbound)
            }
            #expect(Answer.all(in: received).map(\.status) == [200, 200])
        }
    }

    @Test func `One address never takes the last place of a batch`() async throws {
        try await RunningService.with(["limits.batches": "2"]) { service in
            let head = request("POST", Self.batch, fields: ["Content-Length: 100"])
            try await RawConnection.to(service.publicPort) { _, outbound in
                try await outbound.write(.init(bytes: head))
                try await service.untilABatchRuns()
                let same = try await service.post(Self.batch, "x")
                #expect(same.status == 503 && same.code == "busy")
                let decision = #"{"resource":"R","serviceProvider":"REF30","mvpd":"M","authorized":true}"#
                let decisions = #"{"decisions":["# + Array(repeating: decision, count: 65).joined(separator: ",") + "]}"
                #expect(try await service.post("/v1/decisions/verify?requestor=REF30", decisions).code == "busy")
                // Another address of this machine.
                let other = try await RawConnection.exchange(
                    service.publicPort, request("POST", Self.batch, body: Array("x".utf8)), from: "127.0.0.2")
                #expect(Answer.all(in: other).map(\.status) == [200])
            }
            try await service.until { try await $0.post(Self.batch, "x").status == 200 }
        }
        // If the operator says so, it takes both.
        try await RunningService.with(["limits.batches": "2", "limits.batchesPerAddress": "2"]) { service in
            let head = request("POST", Self.batch, fields: ["Content-Length: 100"])
            try await RawConnection.to(service.publicPort) { _, outbound in
                try await outbound.write(.init(bytes: head))
                try await service.untilABatchRuns()
                #expect(try await service.post(Self.batch, "x").status == 200)
            }
        }
    }
}
#endif
