internal import Glibc
internal import NightjarConfig
internal import NightjarInterface
internal import NightjarModel
internal import NightjarSystem
internal import Varlink

/// The file with the sessions in which this machine takes part, so that they survive a restart of
/// the bridge.
final class SessionFile {
  /// The address of a session, and how this machine takes part in the session.
  struct Entry: Equatable {
    let address: SessionAddress
    var part: BridgeWire.Part
  }

  /// The size of the longest file that is read, in bytes. The bridge never writes a longer file.
  private static let mostBytes = 64 * 1024

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
      if let entries = Self.entries(of: bytes) { return entries }
      let aside = "\(path).unreadable"
      guard rename(path, aside) == 0 else {
        noteUnreadable(errno)
        return []
      }
      Log.write(
        .error,
        "the sessions in \(path) make no sense; the file is \(aside) now. Share or join anew")
    } catch {
      noteUnreadable(error.code)
    }
    return []
  }

  private func noteUnreadable(_ code: Int32) {
    let problem = SystemError(operation: "read \(path)", code: code)
    Log.write(.error, "this machine takes part in no session: \(problem)")
    self.problem = problem
  }

  private static func entries(of bytes: [UInt8]) -> [Entry]? {
    guard let json = try? JSONValue.parse(bytes), let list = json["sessions"]?.arrayValue else {
      return nil
    }
    let entries = list.compactMap { value -> Entry? in
      guard let group = value["group"]?.stringValue, let session = value["session"]?.stringValue,
        let address = SessionAddress(group: group, path: session),
        let part = value["part"]?.stringValue.map(BridgeWire.Part.init(rawValue:)),
        [.shared, .joined, .leaving].contains(part)
      else { return nil }
      return Entry(address: address, part: part)
    }
    return entries.count == list.count ? entries : nil
  }

  /// Writes the file. When this returns, the file is on disk, even if the machine crashes.
  func write(_ entries: [Entry]) throws {
    if let problem { throw problem }
    let list = entries.map { entry -> JSONValue in
      [
        "group": .string(entry.address.group), "session": .string(entry.address.path),
        "part": .string(entry.part.rawValue),
      ]
    }
    try ConfigFile.write(JSONValue.object([.init("sessions", .array(list))]).bytes, path: path)
  }
}
