/// Encodes and decodes Base64 (RFC 4648), strictly but for what transports do to it.
///
/// Every value has one spelling per alphabet: trailing bits must be zero, padding must be complete or (if the options
/// allow it) absent, and nothing may follow it. A token that decoders read differently can pass one check and mean
/// something else to the next.
package enum Base64 {
    /// What decoding allows beyond canonical Base64.
    package struct DecodingOptions: OptionSet, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Allows `-` and `_` instead of `+` and `/`, but never both alphabets in one text.
        package static let urlSafe = DecodingOptions(rawValue: 1)
        /// Allows padding (`=` at the end) to be absent.
        package static let unpadded = DecodingOptions(rawValue: 2)
        /// Allows white space as transports add it, and reads a space inside as a `+` that a form decoder replaced.
        ///
        /// CR, LF and TAB are skipped, and white space around the text is dropped. A space at an end is read as `+`
        /// only if the length shows that a symbol is missing there.
        package static let transported = DecodingOptions(rawValue: 4)
        /// Demands the one spelling of a compact serialization (RFC 7515 §2): `-` and `_`, and no padding.
        package static let compact: DecodingOptions = [.urlSafe, .unpadded, DecodingOptions(rawValue: 8)]

        /// RFC 4648 §4, padded, no white space.
        package static let canonical: DecodingOptions = []
    }

    /// Decodes a part of a text; `nil` if it is not Base64 of the form that the options allow.
    ///
    /// The options say what is allowed beyond canonical Base64.
    package static func decode(_ text: Span<UInt8>, in range: Range<Int>, options: DecodingOptions) -> [UInt8]? {
        var bounds = range
        var lostAtStart = false
        var lostAtEnd = false
        if options.contains(.transported) {
            bounds = text.trimmingWhiteSpace(range)
            lostAtEnd = text.containsSpace(bounds.upperBound..<range.upperBound)
            lostAtStart =
                text.containsSpace(range.lowerBound..<bounds.lowerBound)
                && !options.contains(.unpadded) && text.countOfSymbols(bounds) % 4 == 3
        }
        var decoder = Decoder()
        var isValid = true
        let bytes = [UInt8](capacity: bounds.count / 4 * 3 + 6) { output in
            if lostAtStart { decoder.take(lostPlus, into: &output) }
            isValid = decoder.take(text, in: bounds, transported: options.contains(.transported), into: &output)
            if lostAtEnd, !lostAtStart, decoder.pending == 3, decoder.padding == 0 {
                decoder.take(lostPlus, into: &output)
            }
            isValid = isValid && decoder.finish(options, into: &output)
        }
        return isValid ? bytes : nil
    }

    /// Decodes a whole text of ASCII bytes; `nil` if it is not Base64 of the form that the options allow.
    package static func decode(_ bytes: [UInt8], options: DecodingOptions) -> [UInt8]? {
        bytes.withSpan { decode($0, in: 0..<$0.count, options: options) }
    }

    /// Encodes in the standard alphabet with padding, on one line.
    package static func encode(_ bytes: [UInt8]) -> String {
        encode(bytes, alphabet: standardAlphabet, padded: true)
    }

    /// Encodes in the URL-safe alphabet without padding.
    package static func encodeURLSafe(_ bytes: [UInt8]) -> String {
        encode(bytes, alphabet: urlSafeAlphabet, padded: false)
    }

    private static func encode(_ bytes: [UInt8], alphabet: [UInt8], padded: Bool) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var bits = Int(bytes[start]) << 16
            if count > 1 { bits |= Int(bytes[start + 1]) << 8 }
            if count > 2 { bits |= Int(bytes[start + 2]) }
            text.append(alphabet[bits >> 18])
            text.append(alphabet[bits >> 12 & 63])
            if count > 1 { text.append(alphabet[bits >> 6 & 63]) }
            if count > 2 { text.append(alphabet[bits & 63]) }
            if padded { for _ in count..<3 { text.append(UInt8(ascii: "=")) } }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

private let standardAlphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
private let urlSafeAlphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

// What the table has for a byte: a value of six bits, and marks above it.
private let onlyStandard: UInt16 = 1 << 6
private let onlyURLSafe: UInt16 = 1 << 7
private let notASymbol: UInt16 = 1 << 8
private let skipped: UInt16 = notASymbol | 1
private let space: UInt16 = notASymbol | 2
private let padding: UInt16 = notASymbol | 3
/// The `+` that a form decoder turned into a space.
private let lostPlus: UInt16 = 62 | onlyStandard

// Contiguous arrays, since an `Array` has no span on macOS 15.
private let table: ContiguousArray<UInt16> = {
    var table = ContiguousArray<UInt16>(repeating: notASymbol, count: 256)
    for (value, byte) in standardAlphabet.enumerated() { table[Int(byte)] = UInt16(value) }
    table[Int(UInt8(ascii: "+"))] = 62 | onlyStandard
    table[Int(UInt8(ascii: "/"))] = 63 | onlyStandard
    table[Int(UInt8(ascii: "-"))] = 62 | onlyURLSafe
    table[Int(UInt8(ascii: "_"))] = 63 | onlyURLSafe
    table[Int(UInt8(ascii: "="))] = padding
    table[Int(UInt8(ascii: " "))] = space
    for byte in "\r\n\t".utf8 { table[Int(byte)] = skipped }
    return table
}()

/// The table for each of the four places of a group, one after the other.
///
/// Each value has its six bits where they belong among the 24 bits of a group, and the marks above them.
private let groupTable = ContiguousArray<UInt32>(
    (0..<4).flatMap { place in
        table.map { symbol in
            if symbol & notASymbol != 0 { return notInAGroup }
            return UInt32(symbol & 63) << (18 - 6 * UInt32(place)) | UInt32(symbol & (onlyStandard | onlyURLSafe)) << 18
        }
    })
private let notInAGroup: UInt32 = 1 << 31
/// How many groups are taken at once.
///
/// Room for them is zeroed first. Without a limit, each line of a text would zero room for all the rest of it.
private let maximumGroups = 64

/// Collects symbols and writes bytes.
private struct Decoder {
    private var bits: UInt32 = 0
    private var seen: UInt16 = 0
    /// Symbols of an unfinished group of four.
    private(set) var pending = 0
    /// How many `=` were read so far.
    private(set) var padding = 0

    mutating func take(_ symbol: UInt16, into output: inout OutputSpan<UInt8>) {
        seen |= symbol
        bits = bits << 6 | UInt32(symbol & 63)
        pending += 1
        if pending == 4 { flush(into: &output) }
    }

    private mutating func flush(into output: inout OutputSpan<UInt8>) {
        output.append(UInt8(truncatingIfNeeded: bits >> 16))
        output.append(UInt8(truncatingIfNeeded: bits >> 8))
        output.append(UInt8(truncatingIfNeeded: bits))
        bits = 0
        pending = 0
    }

    mutating func take(
        _ text: Span<UInt8>,
        in range: Range<Int>,
        transported: Bool,
        into output: inout OutputSpan<UInt8>
    ) -> Bool {
        let table = table.span
        var index = range.lowerBound
        while index < range.upperBound {
            if pending == 0, padding == 0 {
                let taken = takeGroups(text.extracting(index..<range.upperBound), into: &output)
                index += taken * 4
                if taken == maximumGroups || index == range.upperBound { continue }
            }
            let symbol = table[Int(text[index])]
            index += 1
            switch symbol {
            case skipped where transported: continue
            case TextCodecs.padding: padding += 1
            case space where transported && padding == 0: take(lostPlus, into: &output)
            case _ where symbol & notASymbol == 0 && padding == 0: take(symbol, into: &output)
            default: return false
            }
        }
        return true
    }

    /// Takes whole groups of four plain symbols from the start of a text, which are nearly all of it.
    ///
    /// Returns how many they are: `maximumGroups`, or those before something else.
    private mutating func takeGroups(_ text: Span<UInt8>, into output: inout OutputSpan<UInt8>) -> Int {
        let values = groupTable.span
        // Always true; it tells the compiler that no byte leads beyond the table.
        guard values.count == 1024 else { return 0 }
        let count = min(text.count / 4, maximumGroups)
        // Written by position: each append would wait for the count that the one before has stored.
        let start = output.count
        output.append(repeating: 0, count: count * 3)
        var bytes = output.mutableSpan
        var group = 0
        var marks: UInt32 = 0
        while group < count {
            let index = group &* 4
            // The last first: then the others need no check of their own.
            let fourth = values[768 + Int(text[index &+ 3])]
            let bits =
                values[Int(text[index])] | values[256 + Int(text[index &+ 1])] | values[512 + Int(text[index &+ 2])]
                | fourth
            if bits & notInAGroup != 0 { break }
            marks |= bits
            let end = start &+ group &* 3
            bytes[end &+ 2] = UInt8(truncatingIfNeeded: bits)
            bytes[end &+ 1] = UInt8(truncatingIfNeeded: bits >> 8)
            bytes[end] = UInt8(truncatingIfNeeded: bits >> 16)
            group &+= 1
        }
        output.removeLast((count - group) * 3)
        seen |= UInt16(truncatingIfNeeded: marks >> 18) & (onlyStandard | onlyURLSafe)
        return group
    }

    /// Writes the last, shorter group; `false` if the text ends in a way that no encoder produces.
    mutating func finish(_ options: Base64.DecodingOptions, into output: inout OutputSpan<UInt8>) -> Bool {
        let mark = onlyStandard | onlyURLSafe
        if seen & mark == mark { return false }
        if seen & onlyURLSafe != 0, !options.contains(.urlSafe) { return false }
        if options.contains(.compact), seen & onlyStandard != 0 || padding > 0 { return false }
        switch pending {
        case 0:
            return padding == 0
        case 2:
            guard bits & 15 == 0 else { return false }
            output.append(UInt8(truncatingIfNeeded: bits >> 4))
            return padding == 2 || (padding == 0 && options.contains(.unpadded))
        case 3:
            guard bits & 3 == 0 else { return false }
            output.append(UInt8(truncatingIfNeeded: bits >> 10))
            output.append(UInt8(truncatingIfNeeded: bits >> 2))
            return padding == 1 || (padding == 0 && options.contains(.unpadded))
        default:
            return false
        }
    }
}

extension Span where Element == UInt8 {
    fileprivate func containsSpace(_ range: Range<Int>) -> Bool {
        range.contains { self[$0] == UInt8(ascii: " ") }
    }

    /// Counts what is neither CR, LF nor TAB.
    fileprivate func countOfSymbols(_ range: Range<Int>) -> Int {
        range.reduce(0) { $0 + (!self[$1].isWhiteSpace || self[$1] == UInt8(ascii: " ") ? 1 : 0) }
    }
}
