import Glibc
import NightjarTrust

/// Facts about a process from /proc (proc(5)).
enum ProcessState {
  /// Whether a process was stopped by a signal or by a debugger.
  ///
  /// - Parameter name: the beginning of the process's name; if it differs, the result is false.
  static func isStopped(_ id: Int32, named name: String = "") -> Bool {
    guard let text = contents(of: "/proc/\(id)/stat"),
      // The state follows the command's name, which may contain any character, even a parenthesis.
      let begin = text.firstIndex(of: UInt8(ascii: "(")),
      let end = text.lastIndex(of: UInt8(ascii: ")")), begin < end, end + 2 < text.count,
      text[(begin + 1)..<end].starts(with: name.utf8)
    else { return false }
    return [UInt8(ascii: "T"), UInt8(ascii: "t")].contains(text[end + 2])
  }

  /// Whether a process has a name that begins with `name`; false if that is unknown.
  static func isProcess(_ id: Int32, named name: String) -> Bool {
    contents(of: "/proc/\(id)/comm")?.starts(with: name.utf8) ?? false
  }

  /// The process id in the first line of a lock file: that of the process that holds the lock.
  static func holder(of path: String) -> Int32? {
    contents(of: path).flatMap { text in
      Int32(String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
  }

  static var ownExecutable: String? { Note(path: "/proc/self/exe").text }

  private static func contents(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &buffer, buffer.count)
    return count > 0 ? Array(buffer[..<count]) : nil
  }
}
