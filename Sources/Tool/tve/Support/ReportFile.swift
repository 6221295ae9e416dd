#if CLI
import ArgumentParser
import HostSystem

/// A file that an option names for a report, which takes the place of an older one.
struct ReportFile {
    let option: String
    let path: String

    /// Refuses the dash, which would be a file of this name: the command writes something else to standard output.
    func validate() throws {
        guard path != "-" else {
            throw ValidationError("\(option) takes a file; for standard output, say \(option) /dev/stdout.")
        }
    }

    /// Refuses a report that would take the place of something that the command reads; `-` is standard input.
    func refuse(inputs: [String]) throws(CommandFailure) {
        for input in inputs where Files.replacing(path, loses: input == "-" ? nil : input) {
            let name = input == "-" ? "standard input" : Files.shown(input)
            throw .usage(
                "\(CommandFailure.naming(path, of: option)): the report would take the place of \(name), which is read; "
                    + "name another file",
                file: path)
        }
    }

    /// Tells what cannot be written before the work is done; what stands there stays as it is.
    ///
    /// Throws `CommandFailure`: with the exit code 66 if the file's folder does not exist, with 74 if the path leads to a
    /// folder, or nothing can be written there.
    func requireWritable() throws {
        try concerning(option, file: path) { try Files.checkReplacing(path) }
    }

    /// Writes the report.
    ///
    /// Throws `CommandFailure`.
    func write(_ bytes: [UInt8]) throws {
        // Nothing in it is secret.
        try concerning(option, file: path) { try Files.replace(path, with: bytes, isPrivate: false) }
    }
}
#endif
