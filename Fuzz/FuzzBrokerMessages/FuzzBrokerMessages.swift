// Every reader of the broker's messages on any bytes: none may trap, and what is written is read back the same.

import BrokerMessages
import ServiceResponses
import TextCodecs

/// Checks one input; libFuzzer calls it.
@c(LLVMFuzzerTestOneInput)
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    check(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

private func check(_ bytes: [UInt8]) {
    checkAnswers(bytes)
    checkRequests(bytes)
    // Most headers are Base64 of something, which mutations of Base64 seldom hit.
    let encoded = Base64.encode(bytes)
    check(DeviceIdentifier.self, "fingerprint " + encoded)
    check(DeviceInfo.self, encoded)
    check(PartnerFrameworkStatus.self, encoded)
    check(TemporaryIdentity.self, encoded)
    guard bytes.span.isTextWithoutNUL else { return }
    checkHeaders(String(decoding: bytes, as: UTF8.self))
}

// MARK: Answers

private func checkAnswers(_ bytes: [UInt8]) {
    var codes: Set<String> = []
    codes.insert(check(ConfigurationResponse.self, bytes) { ($0.faults, $0.faultCount) })
    codes.insert(check(SessionResponse.self, bytes) { ($0.faults, $0.faultCount) })
    codes.insert(check(SessionStatusResponse.self, bytes) { ($0.faults, $0.faultCount) })
    codes.insert(check(LogoutResponse.self, bytes) { ($0.faults, $0.faultCount) })
    codes.insert(check(ClientCredentials.self, bytes) { ($0.faults, $0.faults.count) })
    codes.insert(check(AccessToken.self, bytes) { ($0.faults, $0.faults.count) })
    codes.insert(check(RegistrationError.self, bytes) { _ in ([], 0) })
    codes.insert(check(EnhancedError.self, bytes) { _ in ([], 0) })
    // Whether a body can be read at all does not depend on what it is read as.
    for code in ["not_json", "too_deep", "duplicate_member"] {
        require(!codes.contains(code) || codes == [code], "all readers refuse what is not JSON, for one reason")
    }
    checkEncoding(ProfilesResponse.self, bytes)
    checkEncoding(DecisionsResponse.self, bytes)
}

/// Reads a body, and compares it with what is read from what was written; gives the code of the outcome.
private func check<Answer: EncodableResponse & Equatable>(
    _ type: Answer.Type,
    _ bytes: [UInt8],
    faults: (Answer) -> ([ServiceResponseError], Int)
) -> String {
    do throws(ServiceResponseError) {
        let answer = try Answer(parsing: bytes.span)
        requireOneLine(String(describing: answer))
        let (listed, count) = faults(answer)
        for fault in listed { requireOneLine(fault.description) }
        require(listed.count >= min(count, ResponseLimits.maximumFaults), "the first faults are listed")
        let read = reread(answer)
        // Faults of parts that were left out do not come again, and those of parts that were taken do.
        let isComplete = count == listed.count && listed.allSatisfy(\.isWarning)
        require(!isComplete || read == answer, "what is written is read back the same")
        require(reread(read) == read, "reading and writing settles at once")
        return "read"
    } catch {
        requireOneLine(error.description)
        return error.code
    }
}

/// Answers that cannot be compared are compared as they are written.
private func checkEncoding<Answer: EncodableResponse>(_ type: Answer.Type, _ bytes: [UInt8]) {
    guard let answer = try? Answer(parsing: bytes.span) else { return }
    requireOneLine(String(describing: answer))
    require(reread(answer).encoded() == answer.encoded(), "what is written is read back the same")
}

private func reread<Answer: EncodableResponse>(_ answer: Answer) -> Answer {
    do {
        return try Answer(parsing: answer.encoded())
    } catch {
        fatalError("broken: what is written can be read: \(error)")
    }
}

// MARK: Requests

private func checkRequests(_ bytes: [UInt8]) {
    check(RegistrationRequest.self, bytes)
    check(AccessTokenRequest.self, bytes)
    check(SessionRequest.self, bytes)
    check(PartnerSessionRequest.self, bytes)
    check(PartnerProfileRequest.self, bytes)
    check(DecisionsRequest.self, bytes)
}

private func check<Request: BrokerRequest>(_ type: Request.Type, _ bytes: [UInt8]) {
    do throws(BrokerRequestError) {
        let request = try Request(parsing: bytes.span)
        let written = request.encoded()
        let read = try? Request(parsing: written.span)
        require(read == request, "a request that is written is read back the same")
        require(read?.encoded() == written, "a request has one spelling")
    } catch {
        requireOneLine(error.description)
    }
}

// MARK: Headers

private func checkHeaders(_ text: String) {
    check(DeviceIdentifier.self, text)
    check(DeviceInfo.self, text)
    check(PartnerFrameworkStatus.self, text)
    check(TemporaryIdentity.self, text)
    check(ServiceToken.self, text)
    check(VisitorIdentifier.self, text)
    check(ClientAddress.self, text)
    check(BearerToken.self, text)
    for name in ["Adobe-Subject-Token", "X-Roku-Reserved-Roku-Connect-Token"] {
        guard let token = try? PlatformToken(name: name, headerValue: text) else { continue }
        require(token.headerValue.utf8.elementsEqual(text.utf8), "a token is kept as it is")
        require(token.name == name, "a token keeps its header")
    }
    if let statement = try? SoftwareStatement(text) {
        require(statement.text.utf8.elementsEqual(text.utf8), "a statement is kept as it is")
    }
}

private func check<Header: BrokerHeader>(_ type: Header.Type, _ text: String) {
    do throws(BrokerHeaderError) {
        let header = try Header(headerValue: text)
        let written = header.headerValue
        requireOneLine(written)
        requireOneLine(String(describing: header))
        let read = try? Header(headerValue: written)
        require(read == header, "a header that is written is read back the same")
        require(read?.headerValue == written, "a header has one spelling")
    } catch {
        requireOneLine(error.description)
        require(error.header == Header.name, "an error names its header")
    }
}

// MARK: Claims

private func requireOneLine(_ text: String) {
    require(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "what is shown holds no control characters")
}

private func require(_ holds: Bool, _ claim: StaticString) {
    if !holds { fatalError("broken: \(claim)") }
}
