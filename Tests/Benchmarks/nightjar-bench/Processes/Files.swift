internal import Glibc
internal import NightjarTrust

/// Reads and writes whole files, such as those of /proc and of servers.
enum File {
  /// The text of a file; empty if it cannot be read.
  static func text(_ path: String) -> String {
    guard let file = fopen(path, "re") else { return "" }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Replaces the content of a file. Ends the program if this fails.
  static func write(_ text: String, to path: String) {
    guard let file = fopen(path, "we"), fputs(text, file) >= 0, fclose(file) == 0 else {
      fail("\(path) cannot be written")
    }
  }
}

/// A folder that is removed with its content when the last reference to this object is gone.
final class Folder {
  let path: String

  /// A new one in `TMPDIR`, or /tmp.
  init() {
    let place = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(place)/nightjar-bench-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fail("\(place) cannot be written") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  /// The names of what is in a folder.
  static func names(_ path: String) -> [String] {
    FolderListing.names(in: path) ?? []
  }

  private static func remove(_ path: String) {
    for name in names(path) where unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
    rmdir(path)
  }
}
