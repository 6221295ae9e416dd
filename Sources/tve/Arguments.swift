#if CLI
    public import ArgumentParser
    public import EntitlementValues
    public import TVETesting

    // How values of the library are written on the command line.

    extension Timestamp: ExpressibleByArgument {
        /// Reads RFC 3339 or epoch milliseconds, here of any length: whoever types a number means milliseconds.
        public init?(argument: String) {
            if let milliseconds = Int64(argument) {
                self.init(milliseconds: milliseconds)
            } else {
                self.init(argument)
            }
        }
    }

    extension TestTokenFault: ExpressibleByArgument {}

    extension TestTokenLayout.Root: ExpressibleByArgument {}

    extension TestTokenLayout.SecondMarker: ExpressibleByArgument {}
#endif
