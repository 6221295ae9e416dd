#if CLI
import HostSystem
import Testing
import tve

/// One place gives every error of the libraries its exit code and its words.
@Suite struct EdgeTests {
    @Test(arguments: EdgeRow.all)
    func `Each error ends the tool with its exit code and words`(_ row: EdgeRow) throws {
        let failure = try #require(CommandFailure(any: row.error, option: row.option, file: row.file))
        #expect(failure.exitStatus == row.exitStatus)
        #expect(failure.code == row.code)
        #expect(failure.detail == row.detail)
        #expect(failure.file == row.shownFile)
    }

    @Test func `A file that is missing has an exit code of its own`() throws {
        let missing = try #require(throws: FileFailure.self) { _ = try Files.kind(of: "/nowhere/at-all") }
        let failure = try #require(CommandFailure(any: missing, option: "--world", file: "world.json"))
        #expect(failure.exitStatus == 66)
        #expect(failure.code == "no_such_file")
        #expect(failure.detail == "--world: world.json: no such file or folder")
        #expect(failure.file == "world.json")
    }

    @Test(arguments: [("--world", "world.json", "--world: world.json: too large"), (nil, "a.xml", "a.xml: too large")])
    func `A file that cannot be read is named`(_ option: String?, _ file: String, _ detail: String) throws {
        let failure = try #require(
            CommandFailure(any: FileFailure(reason: "too large"), option: option, file: file))
        #expect(failure.exitStatus == 74)
        #expect(failure.code == "io")
        #expect(failure.detail == detail)
        #expect(failure.file == file)
    }

    @Test func `A failure stays as it is, wherever it passes`() throws {
        let failure = try #require(CommandFailure(any: FileFailure(reason: "too large"), file: "a.xml"))
        let again = try #require(CommandFailure(any: failure, option: "--other", file: "b.xml"))
        #expect(again.detail == failure.detail)
        #expect(again.file == "a.xml")
    }

    @Test func `An error that is not in the table is left to the parser`() {
        #expect(CommandFailure(any: CancellationError()) == nil)
    }

    // MARK: The table is complete

    private static let mapped = Set(EdgeRow.all.map { String($0.name.prefix { $0 != "." }) })

    @Test func `Each type of errors is mapped, or does not come here`() throws {
        let others = Set(ErrorTypes.others.keys)
        // These two have tests of their own.
        let mapped = Self.mapped.union(["CommandFailure", "FileFailure"])
        #expect(mapped.isDisjoint(with: others))
        for type in try ErrorTypes.all() where ErrorTypes.isBuilt(type) {
            #expect(
                mapped.contains(type.name) || others.contains(type.name),
                "\(type.name) (\(type.file)) is a new type of errors: give it an exit code, or say why it needs none")
        }
    }

    @Test func `Each case of a type that is mapped has a row`() throws {
        let rows = Set(EdgeRow.all.map(\.name)).union(ErrorTypes.endedBefore)
        for type in try ErrorTypes.all() where Self.mapped.contains(type.name) {
            #expect(!type.rows.isEmpty)
            for name in type.rows { #expect(rows.contains(name), "\(name) has no row") }
        }
    }
}
#endif
