public import EntitlementValues
import TextCodecs

/// Says why a text is not a software statement.
@nonexhaustive
public enum SoftwareStatementFault: Error, Sendable, Hashable {
    /// There is nothing.
    case empty
    /// It is longer than allowed, in bytes.
    case tooLong(limit: Int)
    /// White space comes before or after it.
    case whiteSpaceAround
    /// It has white space inside, a line break for example.
    case whiteSpaceInside(offset: Int)
    /// It does not have three parts of Base64url between dots.
    case notAToken
    /// It has an encoding that is not taken off, such as UTF-16.
    case encoded(ForeignEncoding)
    /// The file cannot be read.
    case unreadableFile(file: String, reason: String)
    /// Its header or its claims are not the JSON they must be.
    case badClaims(reason: String)
}

extension SoftwareStatementFault: CustomStringConvertible {
    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .empty: "is empty"
        case .tooLong(let limit): "is longer than \(limit) bytes"
        case .whiteSpaceAround: "has white space before or after it; remove it, and write files with printf %s"
        case .whiteSpaceInside(let offset):
            "has white space at byte \(offset), a line break for example; join its lines to one"
        case .notAToken: "is not a signed JSON Web Token: three parts of Base64url with dots between them"
        case .encoded(let encoding): "is \(encoding)"
        case .unreadableFile(let file, let reason): "cannot be read from \(file.printable): \(reason)"
        case .badClaims(let reason): "has a header or claims that cannot be read: \(reason)"
        }
    }
}
