import Foundation
import Glibc

/// Makes a folder, and the folders around it that are missing.
package func makeFolder(_ path: String) throws {
  try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
}

/// Makes a folder with a name of its own, and returns its path.
package func makeTemporaryFolder(in parent: String) throws -> String {
  var template = Array("\(parent)/nightjar-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else {
    throw Unmet(description: "cannot make a folder in \(parent)")
  }
  return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// A new folder. It is removed when the last reference to this object is gone.
public final class TestFolder: Sendable {
  public let path: String

  public init() throws {
    path = NSTemporaryDirectory() + "nightjar-\(UUID().uuidString.prefix(13))"
    try makeFolder(path)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
