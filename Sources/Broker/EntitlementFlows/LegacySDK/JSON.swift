#if Client
// `JSON` is part of this module's API: what the operator's library handed to applications. With this import, `import
// EntitlementFlows` is enough to use it. Symbol graphs do not have it, so no article links it.
@_exported public import enum TextCodecs.JSON
#endif
