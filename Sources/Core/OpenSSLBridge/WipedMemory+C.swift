import COpenSSL
package import HostSystem

/// Says that C code did not write what it should; the error queue says why.
private struct NothingWritten: Error {}

extension OutputSpan<UInt8> {
    /// Lets C code write into the unused capacity.
    ///
    /// `fill` returns how many bytes it wrote; `nil` if it failed. Throws if it failed, or says that it wrote more than
    /// fits.
    fileprivate mutating func append(
        writtenBy fill: (UnsafeMutableBufferPointer<UInt8>) -> Int?
    ) throws(NothingWritten) {
        var isDone = false
        unsafe withUnsafeMutableBufferPointer { buffer, initialized in
            guard let count = unsafe fill(buffer), 0...buffer.count ~= count else { return }
            initialized = count
            isDone = true
        }
        guard isDone else { throw NothingWritten() }
    }
}

extension WipedBuffer {
    /// Lets C code append bytes, wipes the unused capacity, and tells whether `fill` succeeded.
    ///
    /// `fill` returns how many bytes it wrote; `nil` if it failed.
    mutating func append(writtenBy fill: (UnsafeMutableBufferPointer<UInt8>) -> Int?) -> Bool {
        do throws(NothingWritten) {
            try append { output throws(NothingWritten) in try unsafe output.append(writtenBy: fill) }
            return true
        } catch {
            return false
        }
    }
}

extension WipedBytes {
    /// Allocates memory for at most `capacity` bytes, and lets C code write into it.
    ///
    /// `fill` returns how many bytes it wrote; `nil` makes the initialiser fail.
    convenience init?(capacity: Int, writtenBy fill: (UnsafeMutableBufferPointer<UInt8>) -> Int?) {
        do throws(NothingWritten) {
            try self.init(capacity: capacity) { output throws(NothingWritten) in
                try unsafe output.append(writtenBy: fill)
            }
        } catch {
            return nil
        }
    }

    /// Copies C memory, which the caller frees.
    convenience init(copying source: UnsafeBufferPointer<UInt8>) {
        self.init(unsafe source.span)
    }

    /// Copies what was written to a memory BIO.
    convenience init(writtenTo output: OpaquePointer) {
        var start: UnsafePointer<CChar>?
        let count = unsafe copenssl_memory(output, &start)
        let memory = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : max(0, count))
        unsafe self.init(copying: memory.bindMemory(to: UInt8.self))
    }

    /// Lends the bytes as C characters with their count; the pointer is never null.
    func withCharacters<Success>(_ body: (UnsafePointer<CChar>, Int32) -> Success) -> Success {
        withSpan { bytes in
            unsafe bytes.withUnsafeBufferPointer { buffer in
                guard let start = buffer.baseAddress, buffer.count > 0 else { return unsafe body("", 0) }
                return unsafe start.withMemoryRebound(to: CChar.self, capacity: buffer.count) {
                    unsafe body($0, Int32(clamping: buffer.count))
                }
            }
        }
    }

    /// Converts a UTF-8 text to UTF-16 in big-endian order, the form in which Java key stores hash passwords.
    ///
    /// The result has no terminating zero. Bytes that are not UTF-8 are read as Latin-1, as OpenSSL does for PKCS#12.
    package func utf16BigEndian() throws(OpenSSLFailure) -> WipedBytes {
        try withCleanErrorQueue { () throws(OpenSSLFailure) in
            var start: UnsafeMutablePointer<UInt8>?
            var count: Int32 = 0
            unsafe withCharacters { characters, length in
                unsafe _ = OPENSSL_utf82uni(characters, length, &start, &count)
            }
            guard let start = unsafe start, count >= 2 else { throw OpenSSLFailure("encoding a password") }
            defer { unsafe copenssl_clear_free(start, Int(count)) }
            // OpenSSL ends the text with a zero character, Java does not.
            return unsafe WipedBytes(copying: UnsafeBufferPointer(start: start, count: Int(count) - 2))
        }
    }
}
