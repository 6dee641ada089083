internal import Glibc
internal import NightjarConfig
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// An entry of a `StateFile`.
protocol StateEntry {
  /// The name of the list in the file, in plural.
  static var listName: String { get }
  /// What the user is told if the file cannot be read.
  static var loss: String { get }
  /// - Returns: nil if the entry makes no sense.
  init?(_ json: JSONValue)
  var json: JSONValue { get }
}

/// A file with a list of entries that survive a restart of the bridge, as JSON.
final class StateFile<Entry: StateEntry> {
  /// The size of the longest file that is read, in bytes. The bridge never writes a longer file.
  private static var mostBytes: Int { 64 * 1024 }

  private let path: String
  /// Why the file could not be read; nil: it was read. If it could not be read, it is not
  /// overwritten.
  private var problem: SystemError?

  init(path: String) { self.path = path }

  /// Reads the file. If its content is invalid, the file is renamed, and that is logged.
  func read() -> [Entry] {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno != ENOENT { noteUnreadable(errno) }
      return []
    }
    defer { close(descriptor) }
    do throws(ReadFailure) {
      let bytes = try FileBytes.read(descriptor, limit: Self.mostBytes)
      if let entries = entries(of: bytes) { return entries }
      let aside = "\(path).unreadable"
      guard rename(path, aside) == 0 else {
        noteUnreadable(errno)
        return []
      }
      Log.write(
        .error,
        "the \(Entry.listName) in \(path) make no sense; the file is \(aside) now. \(Entry.loss)")
    } catch {
      noteUnreadable(error.code)
    }
    return []
  }

  private func noteUnreadable(_ code: Int32) {
    let problem = SystemError(operation: "read \(path)", code: code)
    Log.write(.error, "\(problem). \(Entry.loss)")
    self.problem = problem
  }

  private func entries(of bytes: [UInt8]) -> [Entry]? {
    guard let list = (try? JSONValue.parse(bytes))?[Entry.listName]?.arrayValue else {
      return nil
    }
    let entries = list.compactMap(Entry.init)
    return entries.count == list.count ? entries : nil
  }

  /// Writes the file. When this returns, the file is on disk, even if the machine crashes.
  func write(_ entries: [Entry]) throws {
    if let problem { throw problem }
    let list = JSONValue.object([.init(Entry.listName, .array(entries.map(\.json)))])
    try ConfigFile.write(list.bytes, path: path)
  }
}
