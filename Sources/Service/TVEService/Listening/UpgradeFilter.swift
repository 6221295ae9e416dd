#if Service
import NIOCore
import NIOHTTP1
import TextCodecs

/// Keeps the field `Upgrade` from the decoder, so that a client that asks for another protocol is answered in this one.
///
/// A server may ignore the field (RFC 9110, section 7.8). The decoder does not: it takes the request for the last one of
/// its connection, and reads no more, also if no handler changes the protocol. So it reads another name of the same length.
/// All other bytes are passed on as they are, so nothing begins or ends elsewhere, and each limit counts as before.
///
/// What the decoder reads next is not judged here: the handler after it says it, as soon as the decoder has found the end
/// of a head or of a request. For that, no piece that is passed on goes beyond such an end. A head, and a body of chunks,
/// end with an empty line, and any other body after its length. If a piece ever did go beyond, the decoder would read on
/// there as it would without this filter, and a field in it would keep its name.
///
/// It also refuses requests of other protocols, such as RTSP, which the decoder reads like those of HTTP without saying so.
final class UpgradeFilter: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer

    /// What the decoder reads next.
    enum Part {
        case head
        /// A body of so many bytes.
        case body(Int)
        /// A body of chunks, and its trailers.
        case chunks
        /// Nothing, since a request was refused, or the last one has ended: so many bytes are to be thrown away.
        case nothing(Int)
    }

    private enum Name {
        case upgrade, other
        /// The bytes end within a name that may be `Upgrade`, so they wait for the next ones: seven at most.
        case unknown
    }

    private static let upgrade = Array("upgrade:".utf8)
    private static let otherName = ByteBuffer(string: "ignored:")
    /// The beginning of a version as a number: the first byte is the highest.
    private static let http = "HTTP/".utf8.reduce(0) { $0 << 8 | UInt64($1) }
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private enum Line {
        /// None yet, but line ends before it, which the decoder skips.
        case none
        case request, field
    }

    private var part = Part.head
    private var line = Line.none
    /// The first five bytes after the last space of the request line, as a number.
    private var version: UInt64 = 0
    /// The line feeds since the last byte that is not of a line's end: with one a line begins, and two are an empty line.
    private var lineFeeds = 0

    /// Whether as many bytes were thrown away as are to be.
    var hasEnough: Bool { if case .nothing(0) = part { true } else { false } }

    /// Is told what the decoder reads next, while it reads.
    func expect(_ next: Part) {
        switch (part, next) {
        case (.nothing(let left), .nothing(let count)): part = .nothing(min(left, count))
        case (.nothing, _): break
        default: (part, line, version, lineFeeds) = (next, .none, 0, 0)
        }
    }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) -> DecodingState {
        let count: Int
        switch part {
        case .head:
            if lineFeeds > 0, Self.name(in: buffer.readableBytesView) == .upgrade {
                lineFeeds = 0
                buffer.moveReaderIndex(forwardBy: Self.upgrade.count)
                context.fireChannelRead(wrapInboundOut(Self.otherName))
                return .continue
            }
            guard let found = countOfHead(in: buffer) else {
                expect(.nothing(.max))
                context.fireErrorCaught(HTTPParserError.invalidVersion)
                return .continue
            }
            count = found
        case .body(let left):
            // One at least: if the decoder ever counted otherwise, it would get the rest all the same.
            count = min(max(left, 1), buffer.readableBytes)
            part = .body(left - count)
        case .chunks: count = countOfChunks(in: buffer.readableBytesView)
        case .nothing(let left):
            part = .nothing(max(0, left - buffer.readableBytes))
            buffer.moveReaderIndex(forwardBy: buffer.readableBytes)
            return .needMoreData
        }
        guard count > 0, let piece = buffer.readSlice(length: count) else { return .needMoreData }
        context.fireChannelRead(wrapInboundOut(piece))
        return .continue
    }

    /// How many bytes of a head the decoder gets at once: up to its end, or to a name that is, or may be, `Upgrade`; `nil`
    /// if the head is of another protocol.
    private func countOfHead(in buffer: ByteBuffer) -> Int? {
        let bytes = buffer.readableBytesView
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if line == .none {
                if byte == Self.lineFeed || byte == Self.carriageReturn { index += 1 } else { line = .request }
            } else if lineFeeds == 0 {
                // Many bytes at a time, which the view's own search does not do: cookies are long.
                let found = buffer.readableBytesUInt8Span
                    .firstIndex(of: Self.lineFeed, in: index - bytes.startIndex..<bytes.count)
                let end = found.map { bytes.startIndex + $0 }
                if line == .request {
                    readVersion(in: bytes[index..<(end ?? bytes.endIndex)])
                    if end != nil {
                        guard version == Self.http else { return nil }
                        line = .field
                    }
                }
                guard let end else { return bytes.count }
                lineFeeds = 1
                index = end + 1
            } else if byte == Self.lineFeed {
                return index + 1 - bytes.startIndex
            } else if byte == Self.carriageReturn {
                index += 1
            } else if Self.name(in: bytes[index...]) == .other {
                lineFeeds = 0
            } else {
                return index - bytes.startIndex
            }
        }
        return bytes.count
    }

    /// Reads one part of the request line after the other.
    private func readVersion(in line: ByteBufferView) {
        var rest = line
        if let space = line.lastIndex(of: UInt8(ascii: " ")) {
            version = 0
            rest = line[(space + 1)...]
        }
        for byte in rest where version >> 32 == 0 { version = version << 8 | UInt64(byte) }
    }

    /// How many bytes of chunks and trailers the decoder gets at once: up to an empty line, and the line ends after it.
    private func countOfChunks(in bytes: ByteBufferView) -> Int {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if lineFeeds == 0 {
                guard let end = bytes[index...].firstIndex(of: Self.lineFeed) else { return bytes.count }
                lineFeeds = 1
                index = end + 1
                continue
            }
            switch bytes[index] {
            case Self.lineFeed:
                lineFeeds = 2
                index += 1
            case Self.carriageReturn: index += 1
            default:
                let isAfterEmptyLine = lineFeeds == 2
                lineFeeds = 0
                if isAfterEmptyLine, index > bytes.startIndex { return index - bytes.startIndex }
            }
        }
        return bytes.count
    }

    /// Which name a line begins with; the colon counts, so that no longer name is taken for this one.
    private static func name(in line: ByteBufferView) -> Name {
        let beginning = line.prefix(upgrade.count)
        guard zip(beginning, upgrade).allSatisfy({ byte, letter in lowercase(byte) == letter }) else { return .other }
        return beginning.count == upgrade.count ? .upgrade : .unknown
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

@available(*, unavailable)
extension UpgradeFilter: Sendable {}
#endif
