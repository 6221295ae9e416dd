#if CLI
import Testing

/// An error of a library, and how the tool ends with it.
struct EdgeRow: Sendable, CustomTestStringConvertible {
    /// The type and the case, as in `KeyError.noKey`; of a structure the type alone.
    let name: String
    let error: any Error & Sendable
    /// What is known at the place where it is thrown.
    let option: String?
    let file: String?

    let exitStatus: Int32
    let code: String
    /// The file that programs are told of.
    let shownFile: String?
    let detail: String

    init(
        _ name: String, _ error: any Error & Sendable, option: String? = nil, file: String? = nil,
        ends exitStatus: Int32, _ code: String, at shownFile: String? = nil, _ detail: String
    ) {
        (self.name, self.error, self.option, self.file) = (name, error, option, file)
        (self.exitStatus, self.code, self.shownFile, self.detail) = (exitStatus, code, shownFile, detail)
    }

    var testDescription: String { name }

    static var all: [EdgeRow] {
        var rows = keys + responses + sessions + stores + messages
        #if Client
        rows += broker + flows
        #endif
        #if Service
        rows += simulation
        #endif
        return rows
    }
}
#endif
