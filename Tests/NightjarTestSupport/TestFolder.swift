import Foundation

/// Makes a folder, and the folders around it that are missing.
package func makeFolder(_ path: String) throws {
  try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
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
