import Foundation
package import Glibc

/// Writes a file that is close-on-exec from birth. The processes of other tests, started meanwhile, would
/// have any other open for as long as they live: a script would not be run (ETXTBSY), and whoever watches
/// the folder would hear of its end only then.
package func writeFile(_ text: String, to path: String, mode: mode_t = 0o644) throws {
  unlink(path)
  let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
  do {
    defer { if file >= 0 { close(file) } }
    guard file >= 0, write(file, text, text.utf8.count) == text.utf8.count else {
      throw Unmet(description: "\(path) cannot be written: \(String(cString: strerror(errno)))")
    }
  }
  try awaitNoWriter(of: path)
}

/// Copies a program, so that it can be run at once under another name.
package func copyProgram(_ program: String, to path: String) throws {
  try FileManager.default.copyItem(atPath: program, toPath: path)
  try awaitNoWriter(of: path)
}

/// A child that another thread has forked, and that is no program yet, has whatever was open, for writing
/// too: the file could not be executed. fcntl(2), F_SETLEASE: a lease for reading is given when nobody has
/// the file open for writing.
private func awaitNoWriter(of path: String) throws {
  let setLease: Int32 = 1024
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return }
  defer { close(file) }
  for _ in 0..<5_000 {
    if fcntl(file, setLease, F_RDLCK) == 0 {
      _ = fcntl(file, setLease, F_UNLCK)
      return
    }
    // No leases on this file system, or not for us: then nobody can tell.
    guard errno == EAGAIN else { return }
    poll(nil, 0, 1)
  }
  throw Unmet(description: "somebody writes to \(path) for ever")
}
