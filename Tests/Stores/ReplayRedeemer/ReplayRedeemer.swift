import EntitlementValues
import Foundation
import SQLiteStores
import TokenRedemption

/// Redeems IDs in a file, for tests that need processes of their own: to race them, and to kill them.
///
/// Arguments: the file, the first number, how many, the step from one to the next (odd numbers visit all of a power of
/// two), how many redemptions are under way at once, and how many seconds one waits. One line per answer, written
/// before the next redemption: number, answer.
///
/// With `fork` after the file, 1 is redeemed, and then 2 in a fork of the process.
@main
struct ReplayRedeemer {
    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 3, arguments[2] == "fork" { return try await redeemInFork(arguments[1]) }
        let numbers = arguments.dropFirst(2).compactMap { Int($0) }
        guard numbers.count == 5 else {
            FileHandle.standardError.write(Data("ReplayRedeemer FILE FIRST COUNT STEP AT_ONCE PATIENCE\n".utf8))
            exit(64)
        }
        let (first, count, step, atOnce) = (numbers[0], numbers[1], numbers[2], numbers[3])
        let store = try SQLiteReplayStore(path: arguments[1], patience: .seconds(Int64(numbers[4])))
        await withTaskGroup { group in
            for task in 0..<atOnce {
                group.addTask {
                    for turn in stride(from: task, to: count, by: atOnce) {
                        let number = (first + turn * step) % count
                        let answer = await answer(store, number)
                        FileHandle.standardOutput.write(Data("\(number) \(answer)\n".utf8))
                    }
                }
            }
        }
    }

    private static func redeemInFork(_ file: String) async throws {
        let store = try SQLiteReplayStore(path: file)
        print("1 \(await answer(store, 1))")
        fflush(nil)
        // Swift does not import it.
        typealias Fork = @convention(c) () -> pid_t
        guard let symbol = unsafe dlsym(nil, "fork") else { exit(70) }
        let child = unsafe unsafeBitCast(symbol, to: Fork.self)()
        guard child == 0 else {
            _ = waitpid(child, nil, 0)
            return
        }
        // If the redemption is not refused it waits for a thread that the child does not have.
        alarm(120)
        print("2 \(await answer(store, 2))")
        fflush(nil)
        _exit(0)
    }

    private static func answer(_ store: SQLiteReplayStore, _ number: Int) async -> String {
        do throws(ReplayStoreError) {
            return "\(try await store.redeem(.numbered(number), until: .now + .minutes(22), at: .now))"
        } catch {
            return "unavailable \(error)"
        }
    }
}

extension ReplayID {
    /// The ID of a number, the same in every process and in the tests.
    static func numbered(_ number: Int) -> ReplayID {
        var bytes = [UInt8](repeating: 0x5A, count: 32)
        for index in 0..<8 {
            // Spread over the whole range of IDs, like digests.
            bytes[index] = UInt8(truncatingIfNeeded: (number &* 0x1E37_79B9_7F4A_7C15) >> (56 - 8 * index))
            bytes[31 - index] = UInt8(truncatingIfNeeded: number >> (8 * index))
        }
        guard let id = ReplayID(digest: bytes.span) else { preconditionFailure("32 bytes are a digest") }
        return id
    }
}
