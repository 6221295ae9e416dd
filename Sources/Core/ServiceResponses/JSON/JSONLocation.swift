// `JSONLocation` is part of this module's API: its errors say with it where in a body they are. With this import,
// `import ServiceResponses` is enough to use it. Symbol graphs have it with
// `-experimental-allowed-reexported-modules=TextCodecs` only, so no article links it.
@_exported public import struct TextCodecs.JSONLocation
