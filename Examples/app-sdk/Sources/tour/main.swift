import Foundation

// Walks through the example of `make tv` in the part of a TV, with the calls of the operator's library:
//
//     swift run --package-path Examples/app-sdk tour http://127.0.0.1:8700/
//
// It prints each callback on a line. Once it shows a code, open the address on the line, and sign in as ana.
guard let text = CommandLine.arguments.dropFirst().first, let address = URL(string: text) else {
    FileHandle.standardError.write(Data("usage: tour ADDRESS, the one that `make tv` prints\n".utf8))
    exit(64)
}
do {
    try await Walk(at: address).run()
} catch {
    FileHandle.standardError.write(Data("the walk ends here: \(error)\n".utf8))
    exit(1)
}
