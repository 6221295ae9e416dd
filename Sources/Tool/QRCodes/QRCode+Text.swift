extension QRCode {
    /// The width of the light border that readers need, in modules.
    package static let quietZone = 4

    /// How many characters a row of ``text`` has.
    package var textColumns: Int { side + 2 * Self.quietZone }

    /// How many lines ``text`` has: two rows of modules in each.
    package var textRows: Int { (side + 2 * Self.quietZone + 1) / 2 }

    /// The code for a terminal, with its quiet zone: half blocks in black on white, a line end after each line.
    ///
    /// The colours are stated (SGR 30 and 107), since a terminal may be dark or light.
    package var text: String {
        let edge = Self.quietZone
        let lines = stride(from: -edge, to: side + edge, by: 2).map { row in
            let line = (-edge..<side + edge).map { column in
                switch (isDark(column: column, row: row), isDark(column: column, row: row + 1)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }
            return "\u{1B}[30;107m\(line.joined())\u{1B}[0m\n"
        }
        return lines.joined()
    }
}
