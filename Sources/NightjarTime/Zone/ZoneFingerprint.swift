import Glibc

extension ZoneDatabase {
  /// The folders to watch for changes of the rules. Their contents change when the local zone is
  /// set or the database is updated.
  public static var watchedFolders: [String] { ["/etc", folder] }

  /// A number that stands for the present rules of all zones. It changes when the local zone is set
  /// or the database is updated. It is below 2^60. Reads a file.
  public static var fingerprint: Int64 {
    var hash = Fingerprint()
    hash.combine(getenv("TZ").map { String(cString: $0) } ?? "")
    hash.combine(localName ?? "")
    for byte in contents(of: "/etc/localtime") ?? [] { hash.combine(byte) }
    // An update of the package renames new files into the folder, which changes the time of the
    // folder.
    for path in [folder, "\(folder)/tzdata.zi"] {
      var info = stat()
      guard stat(path, &info) == 0 else { continue }
      hash.combine("\(info.st_mtim.tv_sec).\(info.st_mtim.tv_nsec)")
    }
    return Int64(hash.value & (1 << 59 - 1))
  }
}

/// A hash: FNV-1a with 64 bits (G. Fowler, L. Noll, K.-P. Vo). The result is the same on every
/// machine and in every run.
private struct Fingerprint {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func combine(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
  }

  mutating func combine(_ text: String) {
    for byte in text.utf8 { combine(byte) }
    combine(0)
  }
}
