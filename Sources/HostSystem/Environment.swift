import CLibrary

/// Reads a variable of the process's environment; `nil` where it is not set or empty.
package func environmentValue(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
}
