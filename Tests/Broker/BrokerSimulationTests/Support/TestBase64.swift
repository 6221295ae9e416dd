#if Client
import TextCodecs

enum TestBase64 {
    static func decode(_ text: String) -> [UInt8]? { Base64.decode(Array(text.utf8), options: .canonical) }
}
#endif
