/// The release of this package, as `tve --version` and the service's `/version` show it.
///
/// This is the one place to change it. `.ci/release_check.py` compares the files that repeat it.
package let releaseVersion = "0.2.0"
