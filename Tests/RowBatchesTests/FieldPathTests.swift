import RowBatches
import Testing

@Suite struct FieldPathTests {
    @Test(arguments: ["zip", "user.zip", "items.*.zip", "items.0", "*", "a\\.b", "\\*", "\\\\", "é.ü"])
    func pathsAreRead(_ path: String) {
        #expect(FieldPath(path)?.text == path)
    }

    @Test(arguments: ["", ".", "a.", ".a", "a..b", "\\", "a\\", "a\\b", "\\é"])
    func pathsWithAnEmptyNameOrAStrayBackslashAreRefused(_ path: String) {
        #expect(FieldPath(path) == nil)
    }
}
