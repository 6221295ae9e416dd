#if Client
import BrokerMessages
import EntitlementValues
import HTTPTypes
import ServiceResponses
import TextCodecs

extension BrokerCall {
    /// Reads an answer of any status.
    ///
    /// `now` is the time of day, for a date in `Retry-After`. Throws if the status is not one of success, or the body
    /// is not what the endpoint answers with.
    package func value(of answer: HTTPAnswer, at now: Timestamp) throws(BrokerError) -> Answer {
        guard endpoint.successes.contains(answer.head.status.code) else {
            throw endpoint.refusal(of: answer, at: now)
        }
        do throws(BrokerError) {
            return try read(answer)
        } catch .refused(let error, let status) {
            throw endpoint.refusal(error, status: status)
        }
    }
}

extension BrokerEndpoint {
    /// The error that an answer of another status than those of success means.
    ///
    /// `now` is the time of day, for a date in `Retry-After`.
    package func refusal(of answer: HTTPAnswer, at now: Timestamp) -> BrokerError {
        let status = answer.head.status.code
        if family == .registration, let refusal = RegistrationRefusal(by: answer, of: self) {
            return .registration(refusal)
        }
        let object = Result { () throws(ServiceResponseError) in try answer.readEnhancedError() }
        // A session has a `code`, too, which must not be taken for that of an error, and shown. A 401 without a code is
        // that of a server in front of the broker, which knows nothing of the registration.
        if case .success(let error?) = object, status >= 400 || error.status != nil,
            status != 401 || error.code != nil
        {
            return refusal(error, status: status)
        }
        if [408, 502, 503, 504].contains(status) {
            return .unavailable(status: status, retryAfter: answer.retryAfter(at: now))
        }
        let fault: ServiceResponseError? = if case .failure(let fault) = object { fault } else { nil }
        return .unreadable(UnreadableAnswer(answer, fault: fault))
    }

    /// The error that the broker's error object means.
    func refusal(_ error: EnhancedError, status: Int) -> BrokerError {
        // A reset by a client that may not make one, whose logins are none the worse for it.
        let isForbidden = family == .reset && status == 403
        guard isForbidden || endsRegistration(error) else { return .refused(error, status: status) }
        return .registration(
            RegistrationRefusal(
                step: self == .token ? .accessToken : .call,
                decision: isForbidden ? .replaceStatement : .registerAnew, status: status,
                reason: error.code?.rawValue, enhancedError: error))
    }

    /// Whether the broker says that the device's credentials are not valid any more.
    private func endsRegistration(_ error: EnhancedError) -> Bool {
        // Before registration there are no credentials. Older bodies have a code and no action.
        self != .register && error.asks(for: .applicationRegistration)
    }
}

extension ServiceResponse {
    /// Reads the body of an answer of success.
    ///
    /// The broker may answer 200 with its error object; that is an error here, too. Throws `.refused` or `.unreadable`.
    package init(reading answer: HTTPAnswer) throws(BrokerError) {
        guard answer.isJSON else { throw .unreadable(UnreadableAnswer(answer)) }
        do throws(ServiceResponseError) {
            self = try Self(parsing: answer.body)
        } catch {
            if case .refused(let refusal) = error { throw .refused(refusal, status: answer.head.status.code) }
            // An answer of another shape may be an error object, too; without a status it may be anything with a `code`.
            if let refusal = answer.enhancedError, refusal.status != nil {
                throw .refused(refusal, status: answer.head.status.code)
            }
            throw .unreadable(UnreadableAnswer(answer, fault: error))
        }
    }
}

// What an answer's body is: its media type, and the broker's error object.
extension HTTPAnswer {
    private static let maximumTypeLength = 64

    /// The type and subtype of the body, in lower case, without parameters; `nil` if the field is missing, appears twice
    /// or is not well-formed.
    var mediaType: String? {
        guard let field = head.headerFields[.contentType] else { return nil }
        let end = field.utf8.firstIndex(of: UInt8(ascii: ";")) ?? field.utf8.endIndex
        var type = field.utf8[..<end]
        while let last = type.last, last.isBlank { type.removeLast() }
        while let first = type.first, first.isBlank { type.removeFirst() }
        let parts = type.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard type.count <= Self.maximumTypeLength, parts.count == 2,
            parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isMediaTypeCharacter) })
        else { return nil }
        return String(decoding: Array(type), as: UTF8.self).lowercased()
    }

    /// Whether the content type says that the body is JSON.
    package var isJSON: Bool {
        // Nearly all answers have this spelling; the others are looked at more closely.
        if head.headerFields[.contentType] == "application/json" { return true }
        guard let mediaType else { return false }
        return mediaType == "application/json" || mediaType.hasSuffix("+json")
    }

    /// The broker's error object; `nil` if the body is something else.
    var enhancedError: EnhancedError? { try? readEnhancedError() }

    /// Reads the broker's error object; `nil` if the content type says that the body is something else.
    ///
    /// Throws if the body is JSON, and not an error object.
    func readEnhancedError() throws(ServiceResponseError) -> EnhancedError? {
        if isJSON { return try EnhancedError(parsing: errorBody) }
        // Errors that come from in front of the broker may have no content type.
        return head.headerFields[.contentType] == nil ? try? EnhancedError(parsing: errorBody) : nil
    }

    /// The body of an error, with replacement characters for what is not UTF-8.
    ///
    /// A text for people may have another encoding, and must not hide the code beside it.
    var errorBody: [UInt8] { Array(String(decoding: body, as: UTF8.self).utf8) }
}

extension UInt8 {
    /// A space or a tab.
    fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

    /// Whether RFC 6838 §4.2 has the byte in the name of a media type.
    fileprivate var isMediaTypeCharacter: Bool {
        isASCIILetter || isASCIIDigit || "!#$&-^_.+".utf8.contains(self)
    }
}

extension EntitlementIdentifier {
    /// Whether an answer means what was asked for: white space around a text and the case of ASCII letters do not
    /// count.
    ///
    /// It is not documented whether the broker repeats a name as it was sent, or in its own spelling.
    func means(_ asked: Self) -> Bool { folded.elementsEqual(asked.folded) }

    private var folded: [UInt8] {
        rawValue.utf8.drop(while: \.isWhiteSpace).reversed().drop(while: \.isWhiteSpace).map { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
    }
}
#endif
