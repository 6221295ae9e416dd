// Every reader of bodies on any bytes: none may trap, and what they say of one body must fit together.

import MetadataDecryption
import ServiceResponses
import TextCodecs

/// Checks one input; libFuzzer calls it.
@c(LLVMFuzzerTestOneInput)
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

private let kinds: [any ServiceResponse.Type] = [
    ProfilesResponse.self, DecisionsResponse.self, UserMetadataResponse.self, AuthenticationResponse.self,
    AuthorizationResponse.self, EnhancedError.self,
]

private func check(_ bytes: [UInt8]) {
    var codes: Set<String> = []
    for kind in kinds {
        do throws(ServiceResponseError) {
            let response = try kind.init(parsing: bytes.span)
            requireOneLine(String(describing: response))
            if bytes.span.isTextWithoutNUL {
                let again = try kind.init(parsing: String(decoding: bytes, as: UTF8.self))
                require(String(describing: again) == String(describing: response), "bytes and text read alike")
            }
            codes.insert("read")
        } catch {
            requireOneLine(error.description)
            codes.insert(error.code)
        }
    }
    // Whether a body can be read at all does not hang on what it is read as. Only, a reader that knows how many elements there may
    // be ends at one too many, and does not see what is wrong after it.
    codes.remove("too_many")
    for code in ["not_json", "too_deep", "duplicate_member"] {
        require(!codes.contains(code) || codes == [code], "all readers refuse what is not JSON, for one reason")
    }
    checkProfiles(bytes)
    checkUserMetadata(bytes)
}

// MARK: Places

private func checkProfiles(_ bytes: [UInt8]) {
    guard let response = try? ProfilesResponse(parsing: bytes.span), response.faults.allSatisfy(\.isWarning) else {
        return
    }
    guard let places = try? AttributePlaces(profiles: bytes.span) else {
        fatalError("broken: attributes of profiles have places")
    }
    let entries = response.profiles.flatMap(\.attributes.entries)
    compare(entries, places.attributes, bytes)
    let changed = bytes.replacing(places.attributes)
    guard let read = try? ProfilesResponse(parsing: changed.span) else {
        fatalError("broken: a splice keeps JSON whole")
    }
    compareSpliced(read.profiles.flatMap(\.attributes.entries), entries)
}

private func checkUserMetadata(_ bytes: [UInt8]) {
    guard let response = try? UserMetadataResponse(parsing: bytes.span) else { return }
    guard let places = try? AttributePlaces(userMetadata: bytes.span) else {
        fatalError("broken: attributes of user metadata have places")
    }
    compare(response.attributes.entries, places.attributes, bytes)
}

private func compare(_ entries: [UserMetadataEntry], _ places: [AttributePlace], _ bytes: [UInt8]) {
    require(entries.map(\.path) == places.map(\.path), "the same attributes in the same order")
    for (entry, place) in zip(entries, places) {
        requireOneLine(entry.path.description)
        require(entry.state == (try? place.state.get()), "the same state")
        let text = place.value.map { Array(bytes[$0.range]) }
        require(entry.json.map { Array($0.text.utf8) } == text, "the place is that of the value")
        // Typed readings do not trap, whatever is asked.
        let user = [try? entry.value.get().text, entry.looksEncrypted ? "" : nil]
        require(user.count == 2, "values are read")
    }
}

/// Every attribute that has a state and a value becomes another, and the rest stays what it was.
private func compareSpliced(_ read: [UserMetadataEntry], _ before: [UserMetadataEntry]) {
    require(read.map(\.path) == before.map(\.path), "a splice keeps the attributes")
    for (entry, old) in zip(read, before) {
        guard old.state != nil, old.json != nil else { continue }
        require((try? entry.value.get().text) == "spliced", "a splice puts its value in place")
        require(entry.unknownFields == old.unknownFields, "a splice leaves the other members")
    }
}

extension [UInt8] {
    fileprivate func replacing(_ places: [AttributePlace]) -> [UInt8] {
        var changes: [(range: Range<Int>, text: String)] = []
        for place in places {
            guard let value = place.value, let state = place.stateValue else { continue }
            changes += [(value.range, #""spliced""#), (state.range, #""plain""#)]
        }
        var result = self
        for change in changes.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            result.replaceSubrange(change.range, with: change.text.utf8)
        }
        return result
    }
}

// MARK: Claims

private func requireOneLine(_ text: String) {
    require(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "what is shown holds no control characters")
}

private func require(_ holds: Bool, _ claim: StaticString) {
    if !holds { fatalError("broken: \(claim)") }
}
