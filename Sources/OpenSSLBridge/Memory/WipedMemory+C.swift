import HostSystem

/// C did not write what it should; why is in the error queue.
private struct NothingWritten: Error {}

extension OutputSpan<UInt8> {
    /// Lets C write into the unused capacity.
    ///
    /// - Parameter fill: Writes, and returns how many bytes count; `nil` if it failed.
    /// - Throws: `NothingWritten` if `fill` returned `nil`, or more than the room it had.
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

extension WipedBytes {
    /// Makes room and lets C write into it.
    ///
    /// - Parameters:
    ///   - capacity: How many bytes may be written at most.
    ///   - fill: Writes, and returns how many bytes count; `nil` makes the initialiser fail.
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
}

extension WipedBuffer {
    /// Lets C append to what is there, and wipes the unused capacity.
    ///
    /// - Parameter fill: Writes, and returns how many bytes count; `nil` if it failed.
    /// - Returns: Whether `fill` returned a number.
    mutating func append(writtenBy fill: (UnsafeMutableBufferPointer<UInt8>) -> Int?) -> Bool {
        do throws(NothingWritten) {
            try append { output throws(NothingWritten) in try unsafe output.append(writtenBy: fill) }
            return true
        } catch {
            return false
        }
    }
}
