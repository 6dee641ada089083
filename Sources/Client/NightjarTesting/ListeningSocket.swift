internal import CLinux
internal import Glibc
internal import Varlink

/// A listening socket in a folder of its own. The socket and the folder are removed with this
/// object.
final class ListeningSocket {
  /// The path of the socket.
  let path: String
  /// The descriptor of the socket. It is open as long as this object exists.
  let descriptor: Int32
  private let folder: String

  /// Creates a folder, and a socket in it. The folder is in `TMPDIR`, or in the system's temporary
  /// folder if the path in `TMPDIR` is too long for a socket.
  init() throws(TestDaemonError) {
    let folder = try Self.makeFolder()
    let path = "\(folder)/socket"
    let descriptor: Int32
    do throws(TestDaemonError) {
      descriptor = try Self.listen(at: path)
    } catch {
      rmdir(folder)
      throw error
    }
    (self.folder, self.path, self.descriptor) = (folder, path, descriptor)
  }

  deinit {
    close(descriptor)
    unlink(path)
    rmdir(folder)
  }

  private static func makeFolder() throws(TestDaemonError) -> String {
    let name = "nightjar-XXXXXX"
    var parent = getenv("TMPDIR").map { String(cString: $0) } ?? P_tmpdir
    if "\(parent)/\(name)/socket".utf8.count > VarlinkConnection.longestPath { parent = P_tmpdir }
    // mkdtemp(3) replaces the six letters and creates the folder with mode 0700.
    var template = Array("\(parent)/\(name)".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .system("make a folder in \(parent)", code: errno)
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func listen(at path: String) throws(TestDaemonError) -> Int32 {
    let descriptor = nj_unix_socket()
    guard descriptor >= 0 else { throw .system("socket", code: -descriptor) }
    let bound = nj_unix_bind(descriptor, path)
    guard bound >= 0 else {
      close(descriptor)
      throw .system("bind \(path)", code: -bound)
    }
    guard Glibc.listen(descriptor, SOMAXCONN) == 0 else {
      let code = errno
      close(descriptor)
      unlink(path)
      throw .system("listen on \(path)", code: code)
    }
    return descriptor
  }

  /// Accepts all connections that wait, and calls `body` with the descriptor of each.
  ///
  /// - Returns: false if there was no descriptor for the next connection, which continues to wait.
  func accept(_ body: (Int32) -> Void) -> Bool {
    while true {
      let result = nj_accept(descriptor)
      switch -result {
      case EAGAIN: return true
      // A client closed its connection before it was accepted, and another client may be waiting.
      case EINTR, ECONNABORTED: continue
      default:
        guard result >= 0 else { return false }
        body(result)
      }
    }
  }
}
