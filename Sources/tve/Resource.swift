#if CLI
    import ArgumentParser

    struct Resource: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compare resource identifiers.",
            subcommands: []
        )
    }
#endif
