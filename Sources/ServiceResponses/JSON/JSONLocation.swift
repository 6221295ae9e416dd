// Errors of this module say where in a body they are; nothing else needs the module that `JSONLocation` comes from.
@_exported public import struct TextCodecs.JSONLocation
