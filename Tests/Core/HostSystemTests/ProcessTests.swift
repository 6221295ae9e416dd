import Foundation
import HostSystem
import TestVectors
import Testing

@Suite struct ProcessTests {
    /// In a process of its own: a change of the environment moves what other threads read.
    @Test func `A variable that is not set or empty has no value`() async {
        await #expect(processExitsWith: .success) {
            let name = "TVE_TEST_VARIABLE"
            #expect(environmentValue(name) == nil)
            unsafe _ = setenv(name, "", 1)
            #expect(environmentValue(name) == nil)
            unsafe _ = setenv(name, "a value", 1)
            #expect(environmentValue(name) == "a value")
        }
    }

    /// In a process of its own, where no other test opens and closes files.
    @Test func `Open files are counted`() async {
        await #expect(processExitsWith: .success) {
            let before = try #require(ProcessUsage.openFiles)
            let files = (0..<40).map { _ in FileHandle(forReadingAtPath: "/dev/null") }
            let opened = try #require(ProcessUsage.openFiles)
            #expect(opened >= before + 40)
            for file in files { try file?.close() }
            // The system may have opened one or two for itself.
            #expect(try #require(ProcessUsage.openFiles) <= opened - 30)
        }
    }

    @Test func `The use of the process is known`() throws {
        #expect(try #require(ProcessUsage.residentBytes) > 1 << 20)
        #expect(ProcessUsage.processorNanoseconds > 0)
        ProcessUsage.raiseMaximumOpenFiles()
        var limits = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        #expect(limits.rlim_cur == limits.rlim_max)
        #expect(ProcessUsage.maximumOpenFiles.map { rlim_t($0) } ?? limits.rlim_cur == limits.rlim_cur)
    }

    @Test func `There is a processor`() {
        #expect(coreCount >= 1)
    }

    @Test func `The wall clock is the system's`() async throws {
        // Whoever sets the clock between two readings spoils them, so others are taken.
        try await eventually("a reading of the clock between two others") {
            let before = Date().timeIntervalSince1970 * 1000
            let read = Double(SystemClock.epochMilliseconds)
            let after = Date().timeIntervalSince1970 * 1000
            // Of two roundings, each is by a millisecond at most.
            return read >= before - 2 && read <= after + 2
        }
    }

    @Test func `Processor time passes with work`() {
        let start = SystemClock.threadProcessorNanoseconds
        var sum = 0
        for number in 0..<100_000 { sum &+= number &* number }
        #expect(sum != 1)
        #expect(SystemClock.threadProcessorNanoseconds > start)
    }
}
