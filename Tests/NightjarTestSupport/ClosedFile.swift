package import Glibc

/// Writes a file that is close-on-exec from birth. The processes of other tests, started meanwhile, would
/// have any other open for as long as they live: a script would not be run (ETXTBSY), and whoever watches
/// the folder would hear of its end only then.
package func writeFile(_ text: String, to path: String, mode: mode_t = 0o644) throws {
  unlink(path)
  let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
  defer { if file >= 0 { close(file) } }
  guard file >= 0, write(file, text, text.utf8.count) == text.utf8.count else {
    throw Unmet(description: "\(path) cannot be written: \(String(cString: strerror(errno)))")
  }
}
