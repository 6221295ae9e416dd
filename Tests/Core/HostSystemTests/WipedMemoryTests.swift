import HostSystem
import Testing

@Suite struct WipedMemoryTests {
    private struct Refused: Error {}

    private func bytes(_ memory: WipedBytes) -> [UInt8] {
        memory.withSpan { span in span.indices.map { span[$0] } }
    }

    private func bytes(_ memory: borrowing WipedBuffer) -> [UInt8] {
        memory.withSpan { span in span.indices.map { span[$0] } }
    }

    @Test func `Parts are joined in order`() {
        let first: [UInt8] = [1, 2]
        let none: [UInt8] = []
        let second: [UInt8] = [3]
        let joined = WipedBytes(joining: [WipedBytes(first.span), WipedBytes(none.span), WipedBytes(second.span)])
        #expect(bytes(joined) == [1, 2, 3])
    }

    @Test func `A dump shows nothing`() {
        let memory = WipedBytes([1, 2, 3])
        #expect(Mirror(reflecting: memory).children.isEmpty)
        var dumped = ""
        dump(memory, to: &dumped)
        #expect(dumped == "- HostSystem.WipedBytes #0\n")
    }

    @Test func `Only what was written counts`() throws {
        let memory = WipedBytes(capacity: 8) { output in
            output.append(7)
            output.append(8)
        }
        #expect(bytes(memory) == [7, 8])
    }

    @Test func `A failure while writing is passed on`() {
        #expect(throws: Refused.self) {
            _ = try WipedBytes(capacity: 8) { output throws(Refused) in
                output.append(7)
                throw Refused()
            }
        }
    }

    @Test func `A full buffer takes nothing more`() {
        var buffer = WipedBuffer(capacity: 1)
        buffer.append(1)
        buffer.append(2)
        let room = buffer.room
        let held = bytes(buffer)
        #expect(room == 0)
        #expect(held == [1])
    }

    @Test func `A failed append keeps what was there`() {
        var buffer = WipedBuffer(capacity: 4)
        buffer.append(1)
        #expect(throws: Refused.self) {
            try buffer.append { output throws(Refused) in
                output.append(2)
                throw Refused()
            }
        }
        let held = bytes(buffer)
        #expect(held == [1])
    }

    @Test(arguments: [("né", "n"), ("a€", "a"), ("😀", ""), ("", "")])
    func `The last character is removed whole`(_ text: String, _ rest: String) {
        var buffer = WipedBuffer(capacity: 16)
        for byte in text.utf8 { buffer.append(byte) }
        buffer.removeLastCharacter()
        let held = bytes(buffer)
        #expect(held == Array(rest.utf8))
    }
}
