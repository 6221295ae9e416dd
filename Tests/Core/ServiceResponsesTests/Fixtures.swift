import EntitlementKeys
import EntitlementValues
import MediaTokens
import MetadataDecryption
import ServiceResponses
import TVETesting
import TestVectors
import Testing

/// Invented values, encrypted once for the key `test-only-issuer-2048`.
enum Encrypted {
    // `["77754","12345"]`
    static let zipList =
        "C2Qs4A+3vvksCbmUY8GuZ6fpRic8zRSntZaszW1c6Aqi6AoAnx1N63mabkTVGrKm1q7r6p1z/s4pk/ilDxm6ucAyhdgaVHVZnw/4"
        + "IGXd3y+HhZIgP7aHhEGQWW83Z83GfbJSYupM8J/ekXtWGBI2DC2BWzSgBRjzqIsmMHYXuKeSQutVUCpT7OVSIlcSwZ66BjIZQ1f0"
        + "CI3AoelI1upumzzvldM5UEnpL3PSTdQUaAb9Km0tzUnDltBlxOkYvcY66HvyukEORXzU/t217hi2gImUE9DW7esj8YNZYf6muecB"
        + "g9fWGFx4Ukwvzpdj79/hNTPGmksPSQIEcS8dl7kf6g=="
    // `77754`
    static let bareZip =
        "JPSjEUFwhzR8C7ZeXKhquJvkFyJfwJV0ClKirUUDQn8IOddOuJmYqWIYGI+GzsL0FDY6oCiBgnoWlSHLg1WW9ysXPffaYTEntQL7"
        + "DimkElaqKs05aX0Rf2Agmq0kT5iPqbS8BVULk6sgMDZWDr40grdXJ9w64ZYLCmjtGU0U9Sa0fjejQeMZBvG4fwBElVhu9+RmgDui"
        + "fjCzy55X6M797oCx2HtKUl2mNPHIUranI/F61wnkQU6XTBU+em+fCLsudVycSJ1nRxZiF1+gDRcxa0qcq3nGRNMITm/dYSZhP84K"
        + "j0SNBaUowjquLQpOBCRGL/1S/+Hk5Bm/4l/wUzay8A=="
    // `subject-0001`
    static let userID =
        "S5Sh55vVanlK0XJ9Vw98+UAplVbxZ5VhEZw85t+UDI9AwJVmkZTG7wbW7IbkVlUuvN3mW+A1Gm0pjB8mWeu24WOaYF+sxW6XldXN"
        + "6+ixqW7XywhBsCIgCZboIf6enaVE8xHqbpQu0u6M8EOMhjVdvn41IygffqvmVdFD0299ihPwP6vvZNHTjT5SNdoaN3b+3SzVKzIT"
        + "+bFu9PbM9Mb9CsuczHbmFzpByJZGzoaPuQA29OlW3jsXLNOEzTNPjiOqm4f3Qly/JVVOe0vdLO/dM4cYfk5gcp47HVoOW9hDvfrQ"
        + "1xfQqfxag2sbagBus8sdKgnLNH3srmpzFyayLnYFPg=="
    // `{"MPAA":"PG-13","VCHIP":"TV-Y","URL":"https://ratings.example/manage","other":7}`
    static let rating =
        "JTgO+spMPu6YUz1s290W0fvOjGP+Hf2w30IqyQGd478soum4snC6m1aq5k1uaNyHGBfs0NYv6tBapxFj+E+35Y3p6MZ3h9HLBX4d"
        + "YPzn8VyiOj/pqArE+FvgFZjAQ1sKOC1NjisZJSpU4Q6DyUjCDWDKDCtcmKgGbjun3Sz+pk/KZw/kV956XZPCBE3NLMH9y9+8CKCT"
        + "VxYkoCLMmvdRNaJ6QyQ/FBxksYJjuANBlIzPXfxetx49iTw+gM4dcu62j+gF328h2kR1LmKmvhS65Q58lvC6fsvsH3bQ48tx/S7O"
        + "eqgLpfdMLAtP5IuzYfoBWyuowD0NmO9N4u5UTuBsgw=="
    // `true`
    static let flag =
        "fC3cp1VxzT3ZsBBgQ9JlnCTaQEcYw/8DlItypGpU+sTzpRQiurB/pbpZggQkXm/3GkxaZClVczCEqM2rKh6dURsD55elFseLkD4P"
        + "Ze36HcWrgVJ5UkRSxGDs92ee4MKn060irxrL5vjW7uxUDN/XB30RCxAsu2xiRdML6NP28TMNP0bVCIRhc5lHDDZk+XI0yeABT1E1"
        + "OIHzqg04tu5ULhKa2iPZhO6W1b+CeTsLMN253cstMic87ex+3NP/mNtckUdGQhqvLEqxUfr2kgada3wDchqhdXPIz284RMC80ssC"
        + "SAQq3L1gGrfmp0IKISW9z/WJjtCL0vkY8zXK7Rrucw=="
}

enum Fixtures {
    /// 2025-06-15T15:06:40Z.
    static let now = Timestamp(milliseconds: 1_750_000_000_000)

    static func decrypter() throws -> MetadataDecrypter {
        MetadataDecrypter(keys: try DecryptionKeys(contentsOfFile: Vectors.key("test-only-issuer-2048.pkcs8.pem")))
    }

    /// A body of one profile with some attributes.
    static func profiles(attributes: String) -> String {
        #"{"profiles":{"TestMVPD":{"notBefore":1750000000000,"notAfter":1781536000000,"issuer":"TestMVPD","#
            + #""type":"regular","attributes":{\#(attributes)}}}}"#
    }

    static func attributes(_ attributes: String) throws -> UserMetadata {
        try #require(ProfilesResponse(parsing: profiles(attributes: attributes)).profiles.first).attributes
    }
}
