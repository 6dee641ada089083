import CSystemd
import Glibc
import Synchronization
import Varlink

/// The daemon's log. If standard error is the journal (`JOURNAL_STREAM`, systemd.exec(5)), entries
/// go to journald with fields. Otherwise they are plain lines on standard error.
///
/// Libraries throw errors; only the daemon logs. All functions may be called from any thread.
public struct Log {
  /// The importance of an entry; the raw value is syslog's (sd-daemon(3)).
  public enum Level: UInt8, Sendable {
    /// A requested operation failed.
    case error = 3
    /// A failure that the daemon survived and that the user should know about.
    case warning = 4
    /// A normal event that the user should see.
    case notice = 5
    /// An ordinary event.
    case info = 6
  }

  /// Writes one entry.
  ///
  /// - Parameter fields: journal fields beside the message. A name consists of capital letters,
  ///   digits and underscores, and begins with a letter; journald drops fields with other names. In
  ///   a plain line the fields follow the message in brackets.
  public static func write(
    _ level: Level, _ message: String, _ fields: [(key: StaticString, value: String)] = []
  ) {
    if standardErrorIsJournal, sendToJournal(level, message, fields) { return }
    writeLine(line(message, fields))
  }

  // MARK: The journal

  private static let standardErrorIsJournal: Bool = {
    guard let stream = getenv("JOURNAL_STREAM") else { return false }
    var status = stat()
    guard fstat(STDERR_FILENO, &status) == 0 else { return false }
    return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
  }()

  private static func sendToJournal(
    _ level: Level, _ message: String, _ fields: [(key: StaticString, value: String)]
  ) -> Bool {
    var text: [UInt8] = []
    var lengths: [Int] = []
    func append(_ key: String, _ value: String) {
      let start = text.count
      text.append(contentsOf: key.utf8)
      text.append(UInt8(ascii: "="))
      text.append(contentsOf: value.utf8)
      lengths.append(text.count - start)
    }
    // journalctl(1) prints the message, so it is escaped. The other fields are not escaped, because
    // programs look for a timer by its exact name.
    append("MESSAGE", VisibleText.visible(message, keepsTabs: true))
    append("PRIORITY", "\(level.rawValue)")
    append("SYSLOG_IDENTIFIER", identifier)
    for field in fields { append(field.key.description, field.value) }
    return text.withUnsafeMutableBytes { bytes in
      var start = bytes.baseAddress!
      let vectors = lengths.map { length in
        defer { start += length }
        return iovec(iov_base: start, iov_len: length)
      }
      return sd_journal_sendv(vectors, Int32(vectors.count)) >= 0
    }
  }

  // MARK: Lines

  private static let program = Mutex("nightjard")

  /// Sets the program's name in the entries. It is `nightjard` unless it was set.
  public static func setProgram(_ name: String) { program.withLock { $0 = name } }

  private static var identifier: String { program.withLock { $0 } }

  /// An entry as one line. Characters that would break the line or control a terminal are escaped,
  /// because a message may quote a client's input or a command's output.
  static func line(
    _ message: String, _ fields: [(key: StaticString, value: String)]
  ) -> String {
    let details = fields.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    let text = details.isEmpty ? message : "\(message) [\(details)]"
    return "\(identifier): \(VisibleText.visible(text, keepsTabs: true))\n"
  }

  private static func writeLine(_ line: String) {
    var line = line
    line.withUTF8 { bytes in
      // A single call, so that lines of two threads do not mix. If it fails, the failure cannot be
      // reported anywhere.
      _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    }
  }
}
