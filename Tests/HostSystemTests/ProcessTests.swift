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
