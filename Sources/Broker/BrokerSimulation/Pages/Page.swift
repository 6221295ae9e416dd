#if Client
import TextCodecs

/// A page of the simulator: it loads nothing but its style sheet, and has no scripts.
struct Page: Sendable {
    let title: String
    let content: HTML
    /// Whether the banner says that other machines can reach the simulator.
    var warnsOfOthers = false

    init(_ title: String, _ content: HTML) { (self.title, self.content) = (title, content) }

    /// What a provider shows after a logout.
    ///
    /// `address` is where the application is, checked; `nil` if it did not say so.
    static func signedOut(backTo address: String?) -> Page {
        let link: HTML = address.map { "<p><a href=\"\($0)\">Back to the application</a></p>" } ?? ""
        return Page(
            "You are signed out", "<p class=\"good\" role=\"status\">Your provider has signed you out.</p>\(link)")
    }

    private static let fields = [
        "Content-Type": "text/html;charset=UTF-8", "Cache-Control": "no-store", "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy":
            "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
    ]

    private var document: HTML {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark"><title>\(title) – simulated broker</title>
        <link rel="icon" href="data:,"><link rel="stylesheet" href="/sim/style.css"></head><body>
        <header><p class="banner">Simulated broker: no real provider, no real account, no protection.</p>\(warning)</header>
        <main><h1>\(title)</h1>
        \(content)
        </main></body></html>

        """
    }

    private var warning: HTML {
        guard warnsOfOthers else { return "" }
        return """

            <p class="banner" role="note">Other machines can reach this simulator (--listen-anywhere): it protects \
            nothing, so let only test data in.</p>
            """
    }

    func reply(status: Int = 200) -> Reply {
        Reply(status: status, fields: Self.fields, body: Array(document.text.utf8))
    }
}

extension SimulatorSite {
    /// Shows a page of this site.
    func show(_ page: Page, status: Int = 200) -> Reply {
        var page = page
        page.warnsOfOthers = settings.isOpenToOthers
        return page.reply(status: status)
    }
}

extension Reply {
    /// How all pages look, in light and dark.
    static let styleSheet = Reply(
        fields: [
            "Content-Type": "text/css;charset=UTF-8", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
        ],
        body: Array(style.utf8))
}

private let style = """
    :root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --quiet: #57606a; --line: #d0d7de;
      --accent: #0a5cc2; --on-accent: #fff; --bad: #b3261e; --wash: #f6f8fa }
    @media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --quiet: #9aa4af; --line: #30363d;
      --accent: #6cb0ff; --on-accent: #06121f; --bad: #ff8a80; --wash: #161b22 } }
    * { box-sizing: border-box }
    body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
    main { max-width: 60rem; margin: 0 auto; padding: 0 1rem 3rem }
    .banner { margin: 0; padding: .5rem 1rem; text-align: center; font-weight: 600; background: #ffd33d; color: #1b1f24 }
    h1 { font-size: 1.5rem; margin: 1.25rem 0 .5rem; overflow-wrap: anywhere }
    h2 { font-size: 1.15rem; margin: 2rem 0 .5rem } h3 { font-size: 1rem; margin: 1rem 0 .25rem }
    p { margin: .5rem 0 } .quiet, small { color: var(--quiet) } small { display: block }
    a { color: var(--accent) }
    code, pre { font-family: ui-monospace, monospace; font-size: .875rem; overflow-wrap: anywhere }
    pre { margin: .25rem 0; padding: .5rem; white-space: pre-wrap; background: var(--wash); border: 1px solid var(--line) }
    .whole { user-select: all; -webkit-user-select: all }
    input, select { padding: .5rem; border: 1px solid var(--quiet); border-radius: .375rem;
      background: var(--paper); color: var(--ink) }
    input, select, button { font: inherit; min-height: 2.75rem; max-width: 100% }
    button { padding: .5rem 1rem; border: 1px solid var(--accent); border-radius: .375rem; background: var(--paper);
      color: var(--accent); cursor: pointer }
    button.main { background: var(--accent); color: var(--on-accent) }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
    .choices { display: grid; gap: .5rem; padding: 0; margin: 1rem 0; list-style: none }
    .choices button { width: 100%; text-align: left } .choices small { color: inherit; opacity: .85 }
    .choices .row button { width: auto } .choices .row { align-items: center; margin: 0 }
    .row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; margin: .5rem 0 }
    label { display: block } .row label { display: grid; grid-template-columns: minmax(0, auto); gap: .25rem;
      max-width: 100% }
    .code { font-size: 1.5rem; letter-spacing: .15em; text-transform: uppercase; width: 12rem }
    .alert { padding: .5rem .75rem; border-left: 4px solid var(--bad); background: var(--wash); color: var(--bad) }
    .good { padding: .5rem .75rem; border-left: 4px solid #2da44e; background: var(--wash) }
    .table { overflow-x: auto } td code, time { white-space: nowrap } table { border-collapse: collapse; width: 100% }
    th, td { text-align: left; vertical-align: top; padding: .375rem .75rem .375rem 0; border-bottom: 1px solid var(--line) }
    .narrow { max-width: 28rem }
    """
#endif
