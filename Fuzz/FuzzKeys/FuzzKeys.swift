// Reads any bytes as a key file: the result is a list of entries or an error, and both keep some promises.

import EntitlementKeys
import OpenSSLBridge

/// Checks one input; libFuzzer calls it.
@c(LLVMFuzzerTestOneInput)
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// The password of the vectors.
private let password = KeyPassword("test-only")

private func check(_ bytes: [UInt8]) {
    var reader = KeyReader(password: password)
    // Low limits keep the runs fast; the limits themselves are tested elsewhere.
    reader.limits.maximumIterations = 20_000
    reader.limits.maximumScryptMemory = 1 << 20
    let open: KeyInventory
    do throws(KeyError) {
        open = try KeyInventory(bytes.span, named: "fuzz", reader: reader)
    } catch {
        checkText(of: error)
        return
    }
    require(!open.entries.isEmpty, "a file that is read holds something")
    for entry in open.entries {
        require((entry.fingerprint == nil) == (entry.kind == .encryptedPrivateKey), "what is open has a fingerprint")
        require(entry.fingerprint.map { $0.utf8.count == 64 } ?? true, "a fingerprint is one of SHA-256")
        if let problem = entry.problem { checkText(of: problem) }
    }
    let prints = Set(open.entries.compactMap(\.fingerprint))

    var locked = KeyReader()
    locked.limits = reader.limits
    if let listed = try? KeyInventory(bytes.span, named: "fuzz", reader: locked) {
        require(listed.entries.count == open.entries.count, "a password adds no entry")
        require(listed.entries.allSatisfy { $0.fingerprint.map(prints.contains) ?? true }, "a password changes no key")
    }
}

private func checkText(of error: KeyError) {
    require(error.file == "fuzz", "an error names the file")
    require(!error.description.contains("test-only"), "an error shows no password")
    require(error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "an error is one line")
}

private func require(_ holds: Bool, _ claim: StaticString) {
    if !holds { fatalError("broken: \(claim)") }
}
