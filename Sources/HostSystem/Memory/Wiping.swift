import CLibrary

/// Overwrites memory with zeros, also when nothing reads it afterwards: the compiler may not leave these calls out.
func wipe(_ memory: UnsafeMutableBufferPointer<UInt8>) {
    guard let start = memory.baseAddress else { return }
    #if canImport(Darwin)
    _ = unsafe memset_s(start, memory.count, 0, memory.count)
    #else
    unsafe explicit_bzero(start, memory.count)
    #endif
}
