import BrokerMessages
import DeviceRecords
import EntitlementValues
import Foundation
import SQLiteStores
import SealedRecords

/// Changes the record of one device, for tests that need processes of their own: to race them, and to kill them.
///
/// Arguments: the file of records, the file of sealing keys, a number of this process, how many changes, and how many of
/// them are under way at once. One line for each change, written after it was answered: the number of the change, or
/// `failed` and the error.
///
/// Each change raises the epoch of a requestor. Every 500th also brings credentials: for a registration of this
/// process, and for one that all processes want, of which `kept` says whose credentials won.
///
/// With `fork` after the keys, the record is changed once, and then in a fork of the process.
@main
struct RecordChanger {
    static let device: DeviceKey = "the device of all processes"

    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 4, arguments[3] == "fork" { return try await changeInFork(arguments[1], arguments[2]) }
        let numbers = arguments.dropFirst(3).compactMap { Int($0) }
        guard numbers.count == 3 else {
            FileHandle.standardError.write(Data("RecordChanger FILE KEYS NUMBER COUNT AT_ONCE\n".utf8))
            exit(64)
        }
        let (process, count, atOnce) = (numbers[0], numbers[1], numbers[2])
        let directory = try directory(arguments[1], arguments[2])
        await withTaskGroup { group in
            for task in 0..<atOnce {
                group.addTask {
                    for turn in stride(from: task, to: count, by: atOnce) {
                        let line = await change(directory, process: process, turn: turn)
                        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
                    }
                }
            }
        }
    }

    private static func directory(_ file: String, _ keys: String) throws -> DeviceDirectory {
        // Patient enough for a busy machine, where other processes may come first for seconds.
        DeviceDirectory(
            in: try SQLiteRecordStore(path: file, patience: .seconds(60)),
            sealer: RecordSealer(try SealingKeys(contentsOfFile: keys)))
    }

    private static func change(_ directory: DeviceDirectory, process: Int, turn: Int) async -> String {
        // On a slow disk, others may come first for longer than a directory tries.
        for attempt in 1...10 {
            do {
                return try await directory.change(device) { record in
                    let epoch = record["REF30"].raiseEpoch()
                    guard turn.isMultiple(of: 500) else { return "\(epoch)" }
                    record.adopt(credentials(process, turn), for: scope(of: "\(process)", turn))
                    let kept = record.adopt(credentials(process, turn), for: scope(of: "all", turn))
                    return "\(epoch) kept \(turn) \(kept.clientID)"
                }
            } catch DeviceRecordsError.contended where attempt < 10 {
                continue
            } catch {
                return "failed \(error)"
            }
        }
        return "failed without an attempt"
    }

    private static func scope(of owner: String, _ turn: Int) -> RegistrationScope {
        RegistrationScope(origin: "https://broker.example", application: "\(owner)-\(turn)")
    }

    private static func credentials(_ process: Int, _ turn: Int) -> ClientCredentials {
        ClientCredentials(clientID: "client-\(process)-\(turn)", clientSecret: "secret-\(process)-\(turn)")
    }

    private static func changeInFork(_ file: String, _ keys: String) async throws {
        let directory = try directory(file, keys)
        print(await change(directory, process: 0, turn: 1))
        fflush(nil)
        // Swift does not import it.
        typealias Fork = @convention(c) () -> pid_t
        guard let symbol = unsafe dlsym(nil, "fork") else { exit(70) }
        let child = unsafe unsafeBitCast(symbol, to: Fork.self)()
        guard child == 0 else {
            _ = waitpid(child, nil, 0)
            return
        }
        // If the change is not refused it waits for a thread that the child does not have.
        alarm(120)
        print(await change(directory, process: 1, turn: 2))
        fflush(nil)
        _exit(0)
    }
}
