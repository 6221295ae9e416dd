/// Says why a text is not a form.
///
/// No case holds a part of the text, which may hold secrets.
package enum FormFault: Error, Hashable, Sendable {
    /// A `%` in a name or value does not have two hexadecimal digits after it.
    case brokenEscape(offset: Int)
    /// A name or value is not UTF-8.
    case notUTF8(offset: Int)
    /// A field has the name of an earlier one; the first field is number 1.
    case repeatedField(number: Int)
    /// The form has more fields than are read.
    case tooManyFields(limit: Int)
}

extension FormFault: CustomStringConvertible {
    /// What is wrong, and where.
    package var description: String {
        switch self {
        case .brokenEscape(let offset): "the name or value at byte \(offset) has a % without two hexadecimal digits"
        case .notUTF8(let offset): "the name or value at byte \(offset) is not UTF-8"
        case .repeatedField(let number): "field \(number) has the name of an earlier one"
        case .tooManyFields(let limit): "more than \(limit) fields"
        }
    }
}
