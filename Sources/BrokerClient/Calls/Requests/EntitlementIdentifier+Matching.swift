#if Client
import EntitlementValues
import TextCodecs

extension EntitlementIdentifier {
    /// Whether an answer means what was asked for: white space around a text and the case of ASCII letters do not count.
    ///
    /// It is not documented whether the broker repeats a name as it was sent, or in its own spelling.
    ///
    /// - Parameter asked: What was asked for.
    /// - Returns: Whether it is the same.
    func means(_ asked: Self) -> Bool { folded.elementsEqual(asked.folded) }

    private var folded: [UInt8] {
        rawValue.utf8.drop(while: \.isWhiteSpace).reversed().drop(while: \.isWhiteSpace).map { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
    }
}
#endif
