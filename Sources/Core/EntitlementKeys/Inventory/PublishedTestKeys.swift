/// The keys of this project's own test vectors, whose private halves everybody can read.
///
/// Examples are copied into production, and so are their keys: a verifier that trusts one of these lets anyone sign.
package enum PublishedTestKeys {
    /// Fingerprints, as ``VerificationKey/fingerprint`` has them, of all keys in `Vectors/keys` that can be used.
    package static let fingerprints: Set<String> = [
        "0800638a9f8a71c5fe5a558eb3139e9106579d0772f8b7bf382e7f0599ea18aa",  // issuer-1024
        "a11ec6fc7d70cb0588e985a7b405de038c733552b13c76a1c74947d57efca46f",  // issuer-1025
        "e53325dace595c4093595e9046607df774bded9d640dcc0ca453846b3ee79379",  // issuer-2048
        "1305d87ee2b4dee62db8c4982c01865bcf88b93cc155f649c4ddbe5382bb0720",  // other-2048
        "d5b9c98915716d4b37546b46b27e51a1a8246852ce2e0018bfbc447e6fb58f4c",  // issuer-3072
        "4bc6d18b9f51d8db4496221ee2809eba9cd1d3839b20e15fd3088f1ad2d859c6",  // issuer-4096
        "581d752fc074c24a4c95446c3d583e803334cfbb3b22e2dfdd421e7198bc5fcc",  // issuer-8192
        "3b077b378ad14a25257258ed13099c2d6d8fab6ecd684ede3ce61b1473e92ee4",  // issuer-2048-e3
        "a03df18fd167a7bb514c134661b6644a592ba629548066fe0403481de3102d43",  // issuer-2048-e32bits
        "84a49a35d936292b34938979205a52fc6672014d80c9cdfe9d62cdd12257a91c",  // issuer-2048-high
        "b6080380efd0caf556d232e239d4cb0d69aec0f77b51bf19fc52e27bb3ee6bb7",  // metadata-1536
        "065db288567a4724a03607adcd037eb69e07ceb3b5bbaeca7a5f572006084651",  // metadata-2047
        "d652dac5250f954b1e9232f906269e04b5f0a95ed6fb9b441341d33dd1a4a42f",  // metadata-2056
        "4b761db5f9a4e4d6ff78103db3ea8cbd1a473fcf49178f0e5de8d499d4157fa1",  // ca-2048
        "fb993f901d9ca9e82e6b51c730a8694e2108465acba1850656d19438a8ffe53b",  // p256/session
        "ea939412910bc30cda2318d50081ac67b3093d2330e373a363ff8aacfc005f21",  // p256/other
        "59feb6e36786303cf2a9027a3c99df984c377cfce3d232f4cba9192b08a485c0",  // bad/ec-p256
    ]

    /// Tells whether the private half of a key is published.
    ///
    /// The fingerprint is SHA-256 of the SubjectPublicKeyInfo in DER, 64 lowercase hexadecimal digits.
    package static func contain(_ fingerprint: String) -> Bool { fingerprints.contains(fingerprint) }
}
