#if Client
import HTTPTypes
public import ServiceResponses
public import TextCodecs

/// An answer that is not what the endpoint answers with; its body is not kept.
public struct UnreadableAnswer: Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// The type and subtype of the body, in lower case; `nil` if there is none, or if it is not well-formed.
    public let contentType: String?
    /// What is wrong with the body; `nil` if its content type already told that it is not JSON, or if it can be read, and
    /// is not the answer of this status.
    public let fault: ServiceResponseError?

    /// Where in the body the fault is; `nil` if it is about the whole body.
    public var place: JSONLocation? { fault?.path }

    /// Describes an answer, for tests of what an application does about it.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - contentType: The type and subtype of the body, in lower case.
    ///   - fault: What is wrong with the body.
    public init(status: Int, contentType: String? = nil, fault: ServiceResponseError? = nil) {
        (self.status, self.contentType, self.fault) = (status, contentType, fault)
    }

    /// Describes an answer, and what is wrong with its body.
    package init(_ answer: HTTPAnswer, fault: ServiceResponseError? = nil) {
        (status, self.fault) = (answer.head.status.code, fault)
        contentType = answer.mediaType
    }
}

extension UnreadableAnswer: CustomStringConvertible {
    /// The status, the content type, and what is wrong at which place, without values and names that the broker chooses.
    public var description: String {
        let type = contentType ?? "no content type"
        return "status \(status), \(type)" + (fault.map { ": \($0.hidingNames)" } ?? "")
    }
}
#endif
