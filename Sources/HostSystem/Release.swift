/// The release of this package, as `tve --version` and the service's `/version` show it.
///
/// `openapi.yaml` has it too, and a test compares them.
package let releaseVersion = "0.1.0"
