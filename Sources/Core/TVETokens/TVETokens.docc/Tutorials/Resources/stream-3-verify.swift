import TVETokens

let verifier = MediaTokenVerifier(keys: try VerificationKeys(contentsOfFile: "issuer.pem"))
let expected = TokenExpectations(requestor: "REF30", resource: "REF30")

let token = try verifier.verify(readLine() ?? "", expecting: expected)
print("start the stream for", token.mvpd)
