/// The rest of the sample's app.
@MainActor
protocol Screen: AnyObject {
    var isSignedIn: Bool { get set }
    func show(_ text: String)
    func choose(among names: [String], then: @escaping @MainActor (Int?) -> Void)
    func openBrowser(_ url: String)
    func sendToServer(_ token: String, _ resource: String)
}
