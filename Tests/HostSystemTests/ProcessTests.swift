import Foundation
import HostSystem
import Testing

@Suite struct ProcessTests {
    @Test func aVariableThatIsNotSetOrEmptyHasNoValue() {
        let name = "TVE_TEST_\(UUID().uuidString.filter { $0 != "-" })"
        #expect(environmentValue(name) == nil)
        unsafe _ = setenv(name, "", 1)
        #expect(environmentValue(name) == nil)
        unsafe _ = setenv(name, "a value", 1)
        #expect(environmentValue(name) == "a value")
        unsafe _ = unsetenv(name)
    }

    @Test func openFilesAreCounted() throws {
        let before = try #require(ProcessUsage.openFiles)
        let files = (0..<40).map { _ in FileHandle(forReadingAtPath: "/dev/null") }
        // Other tests open and close files, too, but not as many.
        #expect(try #require(ProcessUsage.openFiles) > before + 20)
        for file in files { try file?.close() }
        #expect(try #require(ProcessUsage.residentBytes) > 1 << 20)
        #expect(ProcessUsage.processorNanoseconds > 0)
        ProcessUsage.raiseMaximumOpenFiles()
        var limits = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        #expect(limits.rlim_cur == limits.rlim_max)
        #expect(ProcessUsage.maximumOpenFiles.map { rlim_t($0) } ?? limits.rlim_cur == limits.rlim_cur)
    }

    @Test func thereIsAProcessor() {
        #expect(coreCount >= 1)
    }

    @Test func theWallClockIsTheSystems() {
        let difference = Date().timeIntervalSince1970 * 1000 - Double(SystemClock.epochMilliseconds)
        #expect(abs(difference) < 10_000)
    }

    @Test func processorTimePassesWithWork() {
        let start = SystemClock.threadProcessorNanoseconds
        var sum = 0
        for number in 0..<100_000 { sum &+= number &* number }
        #expect(sum != 1)
        #expect(SystemClock.threadProcessorNanoseconds > start)
    }
}
