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
              tve session inspect --form cat < token.txt

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
            try edge.refusePath(beside: text)
            let request = Result { () throws(PlaybackSessionError) in
                try edge.request(text, cookies: cookies)
            }
            return try edge.inspect(request, output: output)
        }
        let found: UnverifiedPlaybackSession
        do throws(PlaybackSessionError) {
            found = try UnverifiedPlaybackSession(parsing: text)
        } catch {
            return try error.showMisreading(in: output)
        }
        let more = [
            ("issuer", found.issuer), ("bound to a client", found.isBound ? "yes" : "no"),
            ("signature", "the header says \(found.algorithm.rawValue) with the key \(found.keyID)"),
        ]
        let heading = "UNVERIFIED  a playback session, parsed without a key; anyone can write such a text\n"
        try Console.show(heading + aligned(found.session.lines + more), in: output) { object in
            object.member("verified", false)
            object.member("type", "playback-session")
            object.member("algorithm", found.algorithm.rawValue)
            object.member("keyID", found.keyID)
            object.member("issuer", found.issuer)
            object.members(of: found.session)
            object.member("bound", found.isBound)
        }
    }
}
#endif
