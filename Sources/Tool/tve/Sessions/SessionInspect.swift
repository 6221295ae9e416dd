#if CLI
import ArgumentParser
import MediaTokens
import PlaybackSessions
import TextCodecs

struct SessionInspect: ParsableCommand, OutputChoosing {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what a playback session says, without checking anything.",
        discussion: """
            Examples:
              tve session inspect - < session.txt
              printf %s "$SESSION" | tve session inspect - --output json

              tve session inspect --form edge-token "/live/demo/1.ts?__token__=…"

            Nothing that it shows is verified: anyone can write such a text. tve inspect shows the header and the claims \
            of any JSON Web Token.

            Exit codes: 0 the text has the form of a session; 10 it has not; 74 input or output failed.
            """
    )

    @Argument(help: "The session; - or nothing reads it from standard input.")
    var session: String?

    @OptionGroup var edge: EdgeOptions

    @Option(
        name: .long,
        help: ArgumentHelp("The Cookie field of the request, if cookies carry the grant.", valueName: "text"))
    var cookies = ""

    @Option(name: .long, help: ArgumentHelp("How to show it: text or json.", valueName: "form"))
    var output = OutputForm.text

    func run() throws {
        let text = try TokenInput.sessionText(session)
        guard edge.form == .jws else {
            let request = Result { () throws(PlaybackSessionError) in
                try EdgeRequest(target: text, cookies: cookies)
            }
            return try edge.inspect(request, output: output)
        }
        let parsed = Result { () throws(PlaybackSessionError) in try UnverifiedPlaybackSession(parsing: text) }
        switch parsed {
        case .success(let session): try Console.write(session.shown(as: output))
        case .failure(let error):
            try Console.write(error.shown(as: output), endingWith: ExitCode(error.status.exitCode))
        }
    }
}

extension UnverifiedPlaybackSession {
    fileprivate func shown(as form: OutputForm) -> [UInt8] {
        guard form == .json else {
            let more = [
                ("issuer", issuer), ("bound to a client", isBound ? "yes" : "no"),
                ("signature", "the header says \(algorithm.rawValue) with the key \(keyID)"),
            ]
            return Array(
                ("UNVERIFIED  a playback session, parsed without a key; anyone can write such a text\n"
                    + aligned(session.lines + more)).utf8)
        }
        var object = JSONWriter()
        object.member("verified", false)
        object.member("type", "playback-session")
        object.member("algorithm", algorithm.rawValue)
        object.member("keyID", keyID)
        object.member("issuer", issuer)
        object.members(of: session)
        object.member("bound", isBound)
        return object.finished + [UInt8(ascii: "\n")]
    }
}

extension PlaybackSessionError {
    func shown(as form: OutputForm) -> [UInt8] {
        guard form == .json else { return Array("\(status.rawValue)  \(self) [\(code)]\n".utf8) }
        var object = JSONWriter()
        object.member("verified", false)
        object.member("code", code)
        object.member("detail", description)
        return object.finished + [UInt8(ascii: "\n")]
    }
}
#endif
