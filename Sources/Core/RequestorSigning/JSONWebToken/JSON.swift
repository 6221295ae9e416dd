// `JSON` is part of this module's API: a claim may be any of it. With this import, `import RequestorSigning` is enough to
// use it. Symbol graphs do not have it, so no article links it.
@_exported public import enum TextCodecs.JSON
