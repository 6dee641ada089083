import Foundation

/// What is kept of each release, in `Tests/StabilityTests/Released/VERSION`.
package enum Released {
  package static let folder = "\(Documentation.root)/Tests/StabilityTests/Released"

  /// The versions, the newest last.
  package static let versions: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted { $0.compare($1, options: .numeric) == .orderedAscending }
  }()

  package static func text(_ file: String, of version: String) throws -> String {
    try String(contentsOfFile: "\(folder)/\(version)/\(file)", encoding: .utf8)
  }
}
