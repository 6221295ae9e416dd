#if CLI
import HostSystem

/// The file in which failed rows are recorded beside standard output.
///
/// It is made once the input is known to be rows: the empty file of a run that was refused would be in the way of the
/// next one.
struct FailedRowsFile {
    private let path: String
    private let mayExist: Bool

    /// Names the file, and does not make it yet.
    ///
    /// The path may be `/dev/stderr`. Throws if the file is there, unless `mayExist` says that rows may be added to it.
    init(_ path: String, mayExist: Bool) throws(CommandFailure) {
        (self.path, self.mayExist) = (path, mayExist)
        if !mayExist, !isStandardError { try NewFile.refuseExisting([path]) }
    }

    private var isStandardError: Bool { path == "/dev/stderr" }

    /// Makes the file.
    ///
    /// - Throws: `CommandFailure`.
    func open() throws(CommandFailure) -> PrivateFile {
        try using(path, file: path) { () throws(FileFailure) in
            try isStandardError ? .standardError() : PrivateFile(path, mayExist: mayExist)
        }
    }
}
#endif
