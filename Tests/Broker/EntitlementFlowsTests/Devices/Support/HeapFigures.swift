#if Client && canImport(Glibc)
import Foundation
import Glibc

/// What the C library's allocator has handed out.
enum HeapFigures {
    struct Unknown: Error {}

    /// How many bytes are in use, by `malloc_info`: what came from the system, without what is free.
    ///
    /// Memory that a process has got from the system says little: what is free again seldom goes back.
    static func bytesInUse() throws -> Int {
        // Swift does not import it.
        typealias Info = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
        guard let symbol = unsafe dlsym(nil, "malloc_info") else { throw Unknown() }
        let path = FileManager.default.temporaryDirectory.appending(path: "heap-\(UUID().uuidString)").path
        guard let file = unsafe fopen(path, "w") else { throw Unknown() }
        let result = unsafe unsafeBitCast(symbol, to: Info.self)(0, file)
        unsafe fclose(file)
        defer { try? FileManager.default.removeItem(atPath: path) }
        guard result == 0 else { throw Unknown() }
        // The totals of all arenas come last.
        let totals = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "</heap>").last ?? ""
        func size(_ element: String) throws -> Int {
            guard let line = totals.split(separator: "\n").first(where: { $0.contains(element) }),
                let text = line.split(separator: "size=\"").last?.prefix(while: \.isNumber), let size = Int(text)
            else { throw Unknown() }
            return size
        }
        return try size("<system type=\"current\"") + size("<total type=\"mmap\"") - size("<total type=\"fast\"")
            - size("<total type=\"rest\"")
    }
}
#endif
