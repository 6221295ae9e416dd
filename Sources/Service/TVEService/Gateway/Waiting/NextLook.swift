#if Service
package import EntitlementValues

/// When a device is worth a look although no request comes.
package struct NextLook: Sendable, Hashable {
    /// What it is good for, from what the device could do without to what protects a user.
    package enum Worth: Int, Sendable, Hashable {
        /// A code ends, of which the device also hears when it asks.
        case codeEnd
        /// A sign-in that was given up is cleared away.
        case clearing
        /// A return was not proved, or nothing has come of it.
        case proof
    }

    package let instant: Timestamp
    package let worth: Worth

    package init(at instant: Timestamp, as worth: Worth) { (self.instant, self.worth) = (instant, worth) }

    /// One look in place of two: the earlier instant, and the higher worth.
    func first(with other: NextLook?) -> NextLook {
        guard let other else { return self }
        return NextLook(
            at: min(instant, other.instant), as: worth.rawValue < other.worth.rawValue ? other.worth : worth)
    }
}

extension DeviceSignIns {
    /// When time alone changes something, so that it is worth a look although no request comes; `nil` if it never does.
    ///
    /// What is due already is not counted.
    package func nextLook(after now: Timestamp) -> NextLook? {
        var looks = spent.map { NextLook(at: $0.clearing, as: .clearing) }
        if let open {
            looks.append(NextLook(at: open.until, as: .codeEnd))
            switch open.phase {
            case .away: break
            case .returned(let at):
                looks.append(NextLook(at: at + OpenSignIn.lateTime, as: .proof))
                looks.append(NextLook(at: at + OpenSignIn.proofTime, as: .proof))
            case .proven(let at): looks.append(NextLook(at: at + OpenSignIn.lateTime, as: .proof))
            }
        }
        return looks.filter { $0.instant > now }.reduce(nil) { $1.first(with: $0) }
    }

    /// The sign-ins that were given up, and are to be cleared away by now.
    package func due(at now: Timestamp) -> [SpentSignIn] { spent.filter { $0.clearing <= now } }
}
#endif
