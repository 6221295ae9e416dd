#if Client
import TextCodecs

/// What is wrong with a world.
@nonexhaustive
public enum WorldFault: Error, Sendable, Hashable {
    /// Two things of a kind have the same name.
    case duplicate(kind: String, name: String)
    /// A thing names another that is not there.
    case missing(kind: String, name: String)
    /// A value that cannot be used.
    case unsuitable(kind: String, name: String)
}

extension WorldFault: CustomStringConvertible {
    /// What is wrong with which thing.
    public var description: String {
        switch self {
        case .duplicate(let kind, let name): "there are two of the \(kind) \(name.printable)"
        case .missing(let kind, let name): "the \(kind) \(name.printable) is named but does not exist"
        case .unsuitable(let kind, let name): "the \(kind) of \(name.printable) cannot be used"
        }
    }
}
#endif
