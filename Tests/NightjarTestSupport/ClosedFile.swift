import Foundation
package import Glibc

/// Writes a file, whose descriptor is close-on-exec from the beginning. Without that, the processes
/// that other tests start in the meantime would have the file open as long as they live. A script
/// could then not be executed (ETXTBSY), and inotify would report that the file was closed only
/// when these processes end.
package func writeFile(_ text: String, to path: String, mode: mode_t = 0o644) throws {
  unlink(path)
  try write(Data(text.utf8), to: path, mode: mode)
}

/// Copies a program, so that a test can run it under another name at once. Does not use
/// FileManager, for the same reason as `writeFile`.
package func copyProgram(_ program: String, to path: String) throws {
  try write(Data(contentsOf: URL(filePath: program), options: .alwaysMapped), to: path, mode: 0o755)
}

private func write(_ content: Data, to path: String, mode: mode_t) throws {
  let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
  do {
    defer { if file >= 0 { close(file) } }
    var isWritten = file >= 0
    content.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while isWritten, !rest.isEmpty {
        let chunk = UnsafeRawBufferPointer(rebasing: rest)
        let count = Glibc.write(file, chunk.baseAddress, chunk.count)
        isWritten = count > 0
        if isWritten { rest = rest.dropFirst(count) }
      }
    }
    guard isWritten else {
      throw Unmet(description: "\(path) cannot be written: \(String(cString: strerror(errno)))")
    }
  }
  try awaitNoWriter(of: path)
}

/// Waits until no process has the file open for writing, because the file could not be executed
/// before. When another thread forks, the child has copies of all descriptors until its exec. The
/// kernel grants a read lease (F_SETLEASE of fcntl(2)) only if no process has the file open for
/// writing.
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
    // The file system has no leases, so this cannot be checked.
    guard errno == EAGAIN else { return }
    poll(nil, 0, 1)
  }
  throw Unmet(description: "a process has \(path) open for writing all the time")
}
