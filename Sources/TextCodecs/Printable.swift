extension String {
    /// The text with everything escaped that could break a line, hide text or reorder it.
    ///
    /// That is controls, separators, format characters, and characters that Unicode does not define.
    package var printable: String {
        var result = ""
        for scalar in unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default:
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
