// The small decoders of dates, Base64 and percent-encoding: what they accept must come out again as it went in.

import EntitlementValues
import TextCodecs

/// Checks one input; libFuzzer calls it.
@c(LLVMFuzzerTestOneInput)
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    checkDate(bytes)
    checkBase64(bytes)
    checkPercent(bytes)
    return 0
}

private func checkDate(_ bytes: [UInt8]) {
    let range = 0..<bytes.count
    let found = Timestamp(bytes.span, in: range, forms: .all)
    let wire = Timestamp(bytes.span, in: range, forms: .wireOnly)
    require(wire == nil || wire == found, "the other forms change no date of the wire's form")
    if let text = String(validating: bytes, as: UTF8.self) {
        require(Timestamp(text) == found, "text and bytes agree")
    }
    guard let found else { return }
    let spelled = found.description
    // An offset can carry the first and the last day over the edge of the calendar; those print as a number.
    if CivilDate(of: found) == nil {
        require(spelled == "epoch ms \(found.milliseconds)", "an instant outside the calendar prints as a number")
        return
    }
    require(Timestamp(spelled) == found, "a date that is read, written and read again is the same instant")
    require(CivilDate(of: found)?.timestamp == found, "splitting an instant loses nothing")
}

private func checkBase64(_ bytes: [UInt8]) {
    let canonical = Base64.decode(bytes, options: .canonical)
    let strict = Base64.decode(bytes, options: [.urlSafe, .unpadded])
    let tolerant = Base64.decode(bytes, options: [.urlSafe, .unpadded, .transported])
    if let canonical {
        require(Array(Base64.encode(canonical).utf8) == bytes, "canonical text has one spelling")
        require(strict == canonical, "wider options decode the same")
    }
    if let strict {
        let standard = Base64.encode(strict)
        let urlSafe = Base64.encodeURLSafe(strict)
        let padding = String(repeating: "=", count: standard.utf8.count - urlSafe.utf8.count)
        let unpadded = standard.prefix(urlSafe.utf8.count)
        let spellings = [standard, String(unpadded), urlSafe, urlSafe + padding]
        require(spellings.contains { Array($0.utf8) == bytes }, "one spelling for each alphabet and padding")
        require(tolerant == strict, "transport changes nothing in a text without white space")
    }
    if let tolerant {
        require(
            Base64.decode(Array(Base64.encode(tolerant).utf8), options: .canonical) == tolerant,
            "what is decoded can be encoded and decoded again"
        )
    }
}

private func checkPercent(_ bytes: [UInt8]) {
    let encoded = Array(Percent.encode(bytes).utf8)
    require(encoded.allSatisfy { $0.isUnreserved || $0 == UInt8(ascii: "%") }, "nothing reserved is left")
    require(Percent.decode(encoded) == bytes, "what is encoded decodes to itself")
    guard let decoded = Percent.decode(bytes) else {
        require(bytes.contains(UInt8(ascii: "%")), "only an escape can be broken")
        return
    }
    require(decoded.count == bytes.count - 2 * bytes.count { $0 == UInt8(ascii: "%") }, "each escape is one byte")
    let spaces = Percent.decode(bytes.span, in: 0..<bytes.count, plusIsSpaceFrom: 0)
    require(spaces?.count == decoded.count, "a plus is one byte, however it is read")
}

private func require(_ holds: Bool, _ claim: StaticString) {
    if !holds { fatalError("broken: \(claim)") }
}
