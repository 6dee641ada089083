internal import Glibc
internal import NightjarTime
internal import NightjarTrust

/// The configuration file. The daemon, the command line and the bridge share it, and each of them
/// reads its own tables.
public struct ConfigFile: Equatable, Sendable {
  public static let maximumBytes = 1024 * 1024

  /// The tables that the file may have; there are no keys outside of tables. Every program that
  /// reads the file checks the names of all tables, and checks the content of its own tables.
  public enum Table: String, CaseIterable, Sendable {
    case daemon
    /// How the daemon treats a wall clock that may be wrong.
    case clock
    /// The tables of the command line, one for each preset.
    case presets
    /// The table of the bridge, `nightjar-mqtt`.
    case mqtt
  }

  public let path: String
  private let nodes: [ConfigNode]

  /// Reads the file.
  ///
  /// - Returns: nil if there is no file.
  /// - Throws: `ConfigError` if the file cannot be read, is not TOML, has an unknown table, or has
  ///   a key outside of tables.
  public static func read(path: String) throws(ConfigError) -> ConfigFile? {
    guard let bytes = try bytes(path: path) else { return nil }
    return try ConfigFile(path: path, bytes: bytes)
  }

  /// Parses the content of a file.
  ///
  /// - Throws: `ConfigError` as `read(path:)` does.
  public init(path: String, bytes: [UInt8]) throws(ConfigError) {
    self.path = path
    nodes = try Self.nodes(bytes, path: path)
    for node in nodes { try Self.checkTable(node, path: path) }
  }

  /// The tables and keys of any TOML document, with any names.
  ///
  /// - Throws: `ConfigError` if the document is not TOML.
  static func nodes(_ bytes: [UInt8], path: String) throws(ConfigError) -> [ConfigNode] {
    if let line = lineThatIsNoText(bytes) {
      throw ConfigError(path: path, line: line, reason: "this is no text in UTF-8")
    }
    if let line = KeyDepth.lineBeyondMaximum(bytes) {
      throw ConfigError(
        path: path, line: line, reason: "this key has more than \(KeyDepth.maximum) levels")
    }
    return try ConfigParser.parse(bytes, path: path)
  }

  private static func checkTable(_ node: ConfigNode, path: String) throws(ConfigError) {
    let names = Table.allCases.map(\.rawValue)
    var isTable = false
    if case .table = node.value { isTable = true }
    guard !isTable || !names.contains(node.key) else { return }
    let list = ConfigTable.list(names.map { "[\($0)]" }, "and")
    let reason =
      if names.contains(node.key) {
        "'\(node.key)' must be a table, not \(node.kind)"
      } else if !isTable {
        "'\(node.key)' stands in no table; there are \(list)"
      } else if let near = NearName.nearest(to: node.key, among: names) {
        "there is no table [\(node.key)]; did you mean [\(near)]?"
      } else {
        "there is no table [\(node.key)]; there are \(list)"
      }
    throw ConfigError(path: path, line: node.line, reason: reason)
  }

  /// A table, to be read key by key. If the file does not have it, the table is empty.
  public func table(_ table: Table) -> ConfigTable {
    var nodes: [ConfigNode] = []
    if let node = self.nodes.first(where: { $0.key == table.rawValue }),
      case .table(let found) = node.value
    {
      nodes = found
    }
    return ConfigTable(path: path, title: "[\(table.rawValue)]", entries: nodes)
  }
}

// MARK: - Writing

extension ConfigFile {
  /// Replaces the content of the file by what `change` makes of it. No other process changes the
  /// file meanwhile: the folder is locked with flock(2), because the file itself is replaced.
  public static func change(
    path: String, _ change: ([UInt8]) throws(ConfigError) -> [UInt8]
  ) throws(ConfigError) {
    let folder = try openFolder(of: try target(of: path))
    defer { close(folder) }
    while flock(folder, LOCK_EX) != 0 {
      guard errno == EINTR else { throw unwritable(path, errno) }
    }
    try write(try change(try bytes(path: path) ?? []), path: path)
  }

  /// Replaces the content of the file atomically: after a crash, the file has the old or the new
  /// content, and the new one if this has returned. If the path is a symbolic link, its target is
  /// replaced. Missing folders are created.
  public static func write(_ bytes: [UInt8], path: String) throws(ConfigError) {
    let target = try target(of: path)
    var status = stat()
    let isThere = stat(target, &status) == 0
    // Only a regular file is replaced. A file of another type, such as /dev/null, would become a
    // regular file.
    guard !isThere || status.st_mode & S_IFMT == S_IFREG else {
      throw ConfigError(path: path, reason: "this is no regular file, so nothing is written to it")
    }
    let mode = isThere ? status.st_mode & 0o7777 : 0o600
    var template = Array("\(target).XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw unwritable(path, errno) }
    let new = template.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { String(cString: $0) } ?? ""
    }
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        defer { unlink(new) }
        throw unwritable(path, errno)
      }
      written += count
    }
    guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0, rename(new, target) == 0 else {
      defer { unlink(new) }
      throw unwritable(path, errno)
    }
    // The new name is on disk only after a sync of the folder (fsync(2)).
    let folder = try openFolder(of: target)
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw unwritable(path, errno) }
  }

  /// The path of the file, or of the target if the path is a symbolic link. Creates missing
  /// folders.
  private static func target(of path: String) throws(ConfigError) -> String {
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      let code = PrivateFolder.make(String(path[..<slash]))
      guard code == 0 else { throw unwritable(path, code) }
    }
    let resolved = realpath(path, nil)
    defer { free(resolved) }
    var status = stat()
    if resolved == nil, lstat(path, &status) == 0 {
      throw ConfigError(path: path, reason: "this is a link that leads to no file")
    }
    return resolved.map { String(cString: $0) } ?? path
  }

  private static func openFolder(of path: String) throws(ConfigError) -> Int32 {
    let parent = path.lastIndex(of: "/").map { path[...$0] } ?? "."
    let folder = open(String(parent), O_RDONLY | O_CLOEXEC | O_DIRECTORY)
    guard folder >= 0 else { throw unwritable(path, errno) }
    return folder
  }

  private static func unwritable(_ path: String, _ code: Int32) -> ConfigError {
    ConfigError(path: path, reason: "this cannot be written: \(String(cString: strerror(code)))")
  }
}

// MARK: - Reading

extension ConfigFile {
  /// The content of the file.
  ///
  /// - Returns: nil if there is no file.
  /// - Throws: `ConfigError` if the file cannot be read, or if another user may have written it.
  public static func bytes(path: String) throws(ConfigError) -> [UInt8]? {
    // With O_NONBLOCK, because opening a named pipe would otherwise block until another process
    // opens it for writing.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw unreadable(path, errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(path, errno) }
    switch status.st_mode & S_IFMT {
    // Character devices are accepted, because users pass /dev/null as an empty file.
    case S_IFREG, S_IFCHR: break
    case S_IFDIR: throw ConfigError(path: path, reason: "this is a folder, not a file")
    default: throw ConfigError(path: path, reason: "this is no ordinary file")
    }
    try checkTrust(path)
    let bytes: [UInt8]
    do throws(ReadFailure) {
      bytes = try FileBytes.read(descriptor, limit: maximumBytes)
    } catch {
      throw unreadable(path, error.code)
    }
    guard bytes.count <= maximumBytes else {
      throw ConfigError(path: path, reason: "this is longer than a configuration may be, 1 MiB")
    }
    return bytes
  }

  /// Throws if another user may be able to write to the file, because it contains commands to run.
  private static func checkTrust(_ path: String) throws(ConfigError) {
    do throws(Distrust) {
      if let slash = path.lastIndex(of: "/") {
        let folder = path[..<slash]
        try TrustRule.namedFolder.check(folder.isEmpty ? "/" : String(folder))
      }
      try TrustRule.readFile.check(path)
    } catch {
      throw ConfigError(path: error.path, reason: "this \(error.reason); \(error.remedy)")
    }
  }

  private static func unreadable(_ path: String, _ code: Int32) -> ConfigError {
    ConfigError(path: path, reason: "this cannot be read: \(String(cString: strerror(code)))")
  }

  /// The number of the first line that is not UTF-8; nil if all lines are UTF-8.
  private static func lineThatIsNoText(_ bytes: [UInt8]) -> Int? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return lines.firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 } ?? 1
  }
}
