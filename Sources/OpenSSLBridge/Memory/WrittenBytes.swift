import HostSystem
import COpenSSL

/// Copies what was written to a memory BIO.
func written(to output: OpaquePointer) -> WipedBytes {
    var start: UnsafePointer<CChar>?
    let count = unsafe copenssl_memory(output, &start)
    guard count > 0, let start = unsafe start else { return WipedBytes(Span<UInt8>()) }
    return unsafe start.withMemoryRebound(to: UInt8.self, capacity: count) {
        unsafe WipedBytes(copying: UnsafeBufferPointer(start: $0, count: count))
    }
}
