// One import for back ends: everything that needs libcrypto alone.

@_exported public import EntitlementKeys
@_exported public import EntitlementValues
@_exported public import MediaTokens
@_exported public import MetadataDecryption
@_exported public import RequestorSigning
@_exported public import TokenLifetimes
@_exported public import TokenRedemption
