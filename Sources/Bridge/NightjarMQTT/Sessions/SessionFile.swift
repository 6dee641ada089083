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
  func write(_ entries: [Entry]) throws(SystemError) {
    if let problem { throw problem }
    let list = entries.map { entry -> JSONValue in
      [
        "group": .string(entry.address.group), "session": .string(entry.address.path),
        "part": .string(entry.part.rawValue),
      ]
    }
    let folder = UnixSocket.parent(of: path)
    try Self.makeFolder(folder)
    let draft = "\(path).new"
    let file = try Self.open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC)
    try Self.write(JSONValue.object([.init("sessions", .array(list))]).bytes, to: file, draft)
    guard rename(draft, path) == 0 else {
      throw SystemError(operation: "rename \(draft)", code: errno)
    }
    // The new name of the file is on disk only after a sync of its folder (fsync(2)).
    let directory = try Self.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard fsync(directory.raw) == 0 else {
      throw SystemError(operation: "fsync \(folder)", code: errno)
    }
  }

  private static func open(_ path: String, _ flags: Int32) throws(SystemError) -> Descriptor {
    let raw = Glibc.open(path, flags, 0o600)
    guard raw >= 0 else { throw SystemError(operation: "open \(path)", code: errno) }
    return Descriptor(owning: raw)
  }

  private static func write(
    _ bytes: [UInt8], to file: borrowing Descriptor, _ path: String
  ) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file.raw, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemError(operation: "write \(path)", code: errno) }
      rest = rest.dropFirst(count)
    }
    guard fsync(file.raw) == 0 else { throw SystemError(operation: "fsync \(path)", code: errno) }
  }

  /// Creates a folder and its parents with mode 0700, like the daemon's state folder.
  private static func makeFolder(_ path: String) throws(SystemError) {
    guard mkdir(path, 0o700) != 0, errno != EEXIST else { return }
    let code = errno
    let parent = UnixSocket.parent(of: path)
    guard code == ENOENT, parent != path else {
      throw SystemError(operation: "make the folder \(path)", code: code)
    }
    try makeFolder(parent)
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw SystemError(operation: "make the folder \(path)", code: errno)
    }
  }
}
