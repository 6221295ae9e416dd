import RowBatches
import Testing

@Suite struct FieldPathTests {
    @Test(arguments: ["zip", "user.zip", "items.*.zip", "items.0", "*", "a\\.b", "\\*", "\\\\", "é.ü"])
    func `Paths are read`(_ path: String) {
        #expect(FieldPath(path)?.text == path)
    }

    @Test(arguments: ["", ".", "a.", ".a", "a..b", "\\", "a\\", "a\\b", "\\é"])
    func `Paths with an empty name or a stray backslash are refused`(_ path: String) {
        #expect(FieldPath(path) == nil)
    }
}
