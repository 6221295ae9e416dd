import TVETokens

let verifier = MediaTokenVerifier(keys: try VerificationKeys(contentsOfFile: "issuer.pem"))
let expected = TokenExpectations(requestor: "REF30", resource: "REF30")
let used = InMemoryReplayStore()

let token = try await verifier.verify(readLine() ?? "", expecting: expected, redeemingIn: used)
print("start the stream for", token.mvpd)
