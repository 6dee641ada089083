internal import Glibc
internal import Varlink

/// A listening socket in a folder of its own. The socket and the folder are removed with this
/// object.
final class ListeningSocket {
  /// The path of the socket.
  let path: String
  private let folder: String
  private var listener: VarlinkListener?

  /// Creates a folder, and a socket in it. The folder is in `TMPDIR`, or in the system's temporary
  /// folder if the path in `TMPDIR` is too long for a socket.
  init() throws(TestDaemonError) {
    let folder = try Self.makeFolder()
    let path = "\(folder)/socket"
    do throws(ListenFailure) {
      listener = try VarlinkListener(path: path)
    } catch {
      rmdir(folder)
      throw .system("listen on \(path)", code: error.code)
    }
    (self.folder, self.path) = (folder, path)
  }

  deinit {
    // The folder is empty after that.
    listener = nil
    rmdir(folder)
  }

  /// The descriptor of the socket. It is open as long as this object exists.
  var descriptor: Int32 { listener?.descriptor ?? -1 }

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

  /// Accepts all connections that wait, and calls `body` with the descriptor of each.
  ///
  /// - Returns: false if there was no descriptor for the next connection, which continues to wait.
  func accept(_ body: (Int32) -> Void) -> Bool { listener?.accept(body) ?? true }
}
