import EntitlementValues
import MediaTokens
import Synchronization
package import TokenRedemption

/// The verdict on a row, and the time as of which it was made.
struct RowVerdict: Sendable {
    var verdict: MediaTokenVerdict
    let now: Timestamp
}

/// Redeems the tokens of a batch in the order of its rows, so that of two rows with the same token the first one wins.
///
/// Rows are verified on several cores; then the pieces take turns. Within a piece, different tokens are redeemed at the
/// same time, so that a distant store costs one round trip and not one for each row. A store in memory answers at once; it
/// is asked row by row, so that the first rows get the places it has left.
package struct RowRedemption: Sendable {
    let store: any ReplayStore
    private let order: PieceOrder
    private let maximumAtOnce: Int

    /// Redeems the tokens of a batch in a store.
    ///
    /// If `inOrder` is true, the rows within a piece are also redeemed one after the other. The first piece comes after
    /// so many rows of the input, which were passed over.
    package init(store: any ReplayStore, inOrder: Bool, after rows: Int = 0) {
        self.store = store
        order = PieceOrder(first: rows + 1)
        maximumAtOnce = inOrder ? 1 : 128
    }

    /// Redeems the rows of a piece that are valid so far; a row that could not be read has no verdict.
    func redeem(_ rows: inout [RowVerdict?], of piece: LineCutter.Piece) async {
        await order.turn(of: piece.firstLine)
        var start = 0
        while start < rows.count {
            var ids: Set<ReplayID> = []
            let end = rows[start...].prefix(maximumAtOnce).prefix { row in
                row?.replayID.map { ids.insert($0).inserted } ?? true
            }
            .endIndex
            if end - start == 1 {
                await redeem(&rows[start])
            } else {
                await redeem(&rows, start..<end)
            }
            start = end
        }
        order.pass(to: piece.firstLine + rows.count)
    }

    private func redeem(_ row: inout RowVerdict?) async {
        guard let good = row, good.replayID != nil else { return }
        row?.verdict = await good.verdict.redeemed(in: store, at: good.now)
    }

    private func redeem(_ rows: inout [RowVerdict?], _ range: Range<Int>) async {
        await withTaskGroup(of: RedeemedRow.self) { group in
            for index in range {
                guard let row = rows[index], row.replayID != nil else { continue }
                group.addTask {
                    RedeemedRow(index: index, verdict: await row.verdict.redeemed(in: store, at: row.now))
                }
            }
            for await redeemed in group { rows[redeemed.index]?.verdict = redeemed.verdict }
        }
    }
}

/// The verdict on the row at an index, after its token was redeemed.
///
/// A type of its own, since a task group of tuples with a `Result` loses results in optimised builds (Swift 6.3.1).
private struct RedeemedRow: Sendable {
    let index: Int
    let verdict: MediaTokenVerdict
}

extension RowVerdict {
    /// The ID to redeem; `nil` if the token is refused anyway.
    fileprivate var replayID: ReplayID? { (try? verdict.result.get())?.replayID }
}

/// Lets the pieces of an input take turns, in order.
private final class PieceOrder: Sendable {
    private struct State {
        var next: Int
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state: Mutex<State>

    /// Begins with the piece of a line.
    init(first line: Int) { state = Mutex(State(next: line)) }

    /// Waits until all lines before this one have had their turn.
    func turn(of line: Int) async {
        await withCheckedContinuation { continuation in
            let isNow = state.withLock { state in
                if state.next == line { return true }
                state.waiting[line] = continuation
                return false
            }
            if isNow { continuation.resume() }
        }
    }

    /// Ends the turn, and starts that of the piece which begins with a line.
    func pass(to line: Int) {
        state.withLock { state in
            state.next = line
            return state.waiting.removeValue(forKey: line)
        }?.resume()
    }
}
