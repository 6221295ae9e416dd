package import Foundation

/// What standard input, output or error of a started program is.
package enum ProgramStream: Sendable {
    /// Nothing is read, or what is written is dropped.
    case nothing
    /// A file that is read, or made anew and written; the test has it not open.
    case file(URL)
    /// What the test has open, and goes on with.
    case open(FileHandle)
    /// A pipe, whose other end the test has.
    case pipe(Pipe)

    /// What `Process` takes for a stream that the program reads.
    func source(noting opened: inout [FileHandle]) throws -> any Sendable {
        guard case .file(let file) = self else { return other }
        let handle = try FileHandle(forReadingFrom: file)
        opened.append(handle)
        return handle
    }

    /// What `Process` takes for a stream that the program writes.
    func target(noting opened: inout [FileHandle]) throws -> any Sendable {
        guard case .file(let file) = self else { return other }
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        opened.append(handle)
        return handle
    }

    private var other: any Sendable {
        switch self {
        case .open(let handle): handle
        case .pipe(let pipe): pipe
        case .nothing, .file: FileHandle.nullDevice
        }
    }
}
