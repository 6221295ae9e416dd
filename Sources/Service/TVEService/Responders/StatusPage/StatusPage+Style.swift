#if Service
import HTTPTypes
import Hummingbird
import NIOCore
import OpenSSLBridge
import TextCodecs

extension StatusPage {
    /// The answer that shows the page, with a policy that lets it load nothing.
    var response: Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", .referrerPolicy: "no-referrer",
                .contentSecurityPolicy: Self.policy, .xContentTypeOptions: "nosniff",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    private static let policy: String = {
        let hash = Array(style.utf8).withSpan { try? Digest.sha256.hash($0, in: 0..<$0.count) }
        let source = hash.map { "'sha256-\(Base64.encode($0))'" } ?? "'none'"
        return "default-src 'none'; style-src \(source); img-src data:; form-action 'self'; base-uri 'none'; "
            + "frame-ancestors 'none'"
    }()

    /// Tables that are wider than a phone scroll in a frame of their own, and the page does not.
    static let style = """
        :root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --quiet: #57606a; --line: #d0d7de;
          --ok: #116329; --bad: #b3261e; --soon: #7d4e00; --accent: #0a5cc2 }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --quiet: #9aa4af;
          --line: #30363d; --ok: #56d364; --bad: #ff8a80; --soon: #e3b341; --accent: #6cb0ff } }
        * { box-sizing: border-box }
        body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 1rem; color: var(--ink);
          background: var(--paper); overflow-wrap: anywhere }
        h1 { font-size: 1.4rem; margin: .5rem 0 } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
        form { margin: .5rem 0 }
        button { font: inherit; min-height: 2.75rem; padding: .25rem 1rem; color: var(--ink); background: var(--paper);
          border: 1px solid var(--quiet); border-radius: .375rem; cursor: pointer }
        .wide { overflow-x: auto }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
        table { border-collapse: collapse; width: 100%; overflow-wrap: normal }
        caption { text-align: left; color: var(--quiet); padding-bottom: .25rem }
        th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0;
          border-bottom: 1px solid var(--line) }
        td { white-space: nowrap } tbody th { font-weight: 400; min-width: 8rem; overflow-wrap: anywhere } .n { text-align: right; font-variant-numeric: tabular-nums }
        code { font-size: .9em } #verdicts { display: block; width: 100%; height: 12rem; border-bottom: 1px solid var(--quiet) }
        .axis { display: flex; justify-content: space-between; margin: .25rem 0 1.5rem; font-size: .85rem }
        .swatch { display: inline-block; width: .8em }
        .ok { color: var(--ok) } .bad { color: var(--bad); font-weight: 600 } .soon { color: var(--soon); font-weight: 600 }
        .quiet { color: var(--quiet) }
        """
}

extension HTTPField.Name {
    static let contentSecurityPolicy = HTTPField.Name(known: "Content-Security-Policy")
}
#endif
