import Glibc

/// The time zones of this machine: files below `/usr/share/zoneinfo`, or below the folder in
/// `TZDIR`.
public enum ZoneDatabase {
  private static let usualFolder = "/usr/share/zoneinfo"
  /// The size limit for a zone file, in bytes. Real files have up to about 4 KB.
  private static let longestFile = 1 << 20

  /// A sentence that says that a zone does not exist, and what to do.
  package static func absence(of name: String) -> String {
    let isInstalled = access("\(folder)/UTC", R_OK) == 0
    return isInstalled
      ? "there is no zone '\(name)'; they are spelled like Europe/Berlin"
      : "there is no zone '\(name)', and no other: install the package tzdata"
  }

  /// The names of the zones in the file zone.tab and UTC, sorted. zone.tab has the zones that
  /// countries use; the database has more. Empty: no zones are installed. Reads a file.
  public static var names: [String] {
    // The fields of a line are country, coordinates, zone and comments, separated by tabs. `#`
    // begins a comment line.
    guard let bytes = contents(of: "\(folder)/zone.tab") else { return [] }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let names = lines.lazy.filter { $0.first != "#" }.compactMap { line -> String? in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      return fields.count > 2 && isName(String(fields[2])) ? String(fields[2]) : nil
    }
    return (Array(names) + ["UTC"]).sorted()
  }

  static var folder: String {
    let own = getenv("TZDIR").map { String(cString: $0) } ?? ""
    return own.isEmpty ? usualFolder : own
  }

  /// The zone with this name in the database's spelling, such as `Europe/Berlin`; nil: there is
  /// none. Reads a file, except for `UTC`.
  public static func zone(named name: String) -> ZoneRules? {
    if name == "UTC" { return .utc }
    guard isName(name), let bytes = contents(of: "\(folder)/\(name)") else { return nil }
    return ZoneFile.read(bytes, name: name)
  }

  /// The local zone of this process: `TZ` if it is set, else `/etc/localtime`, else UTC.
  public static var local: ZoneRules {
    if let variable = getenv("TZ").map({ String(cString: $0) }) {
      let name = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
      if name.isEmpty { return .utc }
      if name.hasPrefix("/") {
        return contents(of: name).flatMap { ZoneFile.read($0, name: nil) } ?? .utc
      }
      if let zone = zone(named: name) { return zone }
      guard let rule = PosixRule(name.utf8) else { return .utc }
      return ZoneRules(name: nil, transitions: [], first: rule.standard, rule: rule)
    }
    guard let bytes = contents(of: "/etc/localtime") else { return .utc }
    return ZoneFile.read(bytes, name: localName) ?? .utc
  }

  /// The name of the zone to which `/etc/localtime` links, as in localtime(5).
  static var localName: String? {
    guard let path = realpath("/etc/localtime", nil) else { return nil }
    defer { free(path) }
    let text = String(cString: path)
    guard let folder = text.split(separator: "/").last(where: { $0 == "zoneinfo" }) else {
      return nil
    }
    return String(text[folder.endIndex...].dropFirst())
  }

  /// Whether all parts of the name consist of letters, digits, `+`, `-` and `_`. This ensures that
  /// no file outside the folder is read.
  static func isName(_ name: String) -> Bool {
    let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return name.utf8.count <= 255
      && parts.allSatisfy { part in
        !part.isEmpty
          && part.allSatisfy { byte in
            isDigit(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF)
              || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
          }
      }
  }

  static func contents(of path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var contents: [UInt8] = []
    while contents.count <= longestFile {
      let (count, code) = withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
        let count = read(file, buffer.baseAddress, buffer.count)
        let code = errno
        if count > 0 { contents += buffer[..<count] }
        return (count, code)
      }
      if count < 0, code == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { return contents }
    }
    return nil
  }
}
