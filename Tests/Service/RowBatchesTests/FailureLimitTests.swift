import RowBatches
import Testing

@Suite struct FailureLimitTests {
    private func summary(rows: Int, failures: Int, keys: [String: Int] = [:]) -> BatchSummary {
        var summary = BatchSummary(goodCode: "good", otherName: "other")
        var tally = BatchTally()
        tally.codes = ["good": rows - failures, "bad_row": failures]
        tally.failures = failures
        tally.keys = keys
        summary.add(tally)
        return summary
    }

    @Test(arguments: [("0", FailureLimit.rows(0)), ("100", .rows(100)), ("0%", .percent(0)), ("0.5%", .percent(0.5))])
    func `Numbers and percentages are read`(_ text: String, _ limit: FailureLimit) {
        #expect(FailureLimit(text) == limit)
    }

    @Test(arguments: ["", "%", "-1", "1.5", "101%", "-1%", "nan%", "many", "5 %%"])
    func `Other texts are refused`(_ text: String) {
        #expect(FailureLimit(text) == nil)
    }

    @Test(arguments: [(10, 10, false), (11, 10, true), (0, 0, false), (1, 0, true)])
    func `One row more than the limit is too many`(_ failures: Int, _ maximum: Int, _ isExceeded: Bool) {
        for rowsToCome in [nil, 0, 1000] {
            let summary = summary(rows: 100, failures: failures)
            #expect(FailureLimit.rows(maximum).isExceeded(by: summary, rowsToCome: rowsToCome) == isExceeded)
        }
    }

    @Test func `A number may be within a limit or not`() {
        #expect(FailureLimit.rows(3).allows(3, of: 0) && !FailureLimit.rows(3).allows(4, of: 100))
        #expect(FailureLimit.percent(50).allows(2, of: 4) && !FailureLimit.percent(50).allows(2, of: 3))
    }

    @Test(arguments: [(1000, 5, false), (1000, 6, true), (0, 0, false)])
    func `A percentage is judged at the end`(_ rows: Int, _ failures: Int, _ isExceeded: Bool) {
        let summary = summary(rows: rows, failures: failures)
        #expect(FailureLimit.percent(0.5).isExceeded(by: summary, rowsToCome: 0) == isExceeded)
        #expect(!FailureLimit.percent(0.5).isExceeded(by: summary, rowsToCome: nil))
    }

    /// Of 1000 rows, 5 may fail; the sixth one is too many as soon as no more than 1199 rows can be there in all.
    @Test(arguments: [(200, false), (199, true)])
    func `A percentage is exceeded once no rest of the input can keep it`(_ rowsToCome: Int, _ isExceeded: Bool) {
        let summary = summary(rows: 1000, failures: 6)
        #expect(FailureLimit.percent(0.5).isExceeded(by: summary, rowsToCome: rowsToCome) == isExceeded)
    }

    @Test func `A run without a good row is told from one without any row`() {
        #expect(!summary(rows: 0, failures: 0).hasOnlyFailures)
        #expect(summary(rows: 3, failures: 3).hasOnlyFailures)
        #expect(!summary(rows: 3, failures: 2).hasOnlyFailures)
        // A body of a service fails with one of its attributes, while others are decrypted.
        #expect(!summary(rows: 3, failures: 3, keys: ["key": 1]).hasOnlyFailures)
    }
}
