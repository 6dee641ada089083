import Foundation

/// What is kept of each release, in `Tests/StabilityTests/Released/VERSION`.
package enum Released {
  package static let folder = "\(Documentation.root)/Tests/StabilityTests/Released"

  package static let versions: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted { $0.compare($1, options: .numeric) == .orderedAscending }
  }()

  /// Whether the change log says that a version is not released yet.
  package static func isNext(_ version: String) throws -> Bool {
    try Documentation.text(of: "CHANGELOG.md").contains("\n## \(version), not yet released\n")
  }

  /// Whether `make release-contracts` asks to write the files of a version anew.
  ///
  /// - Throws: if that version is released, because its files are a promise.
  package static func isWritten(_ version: String) throws -> Bool {
    let asked = ProcessInfo.processInfo.environment["NIGHTJAR_WRITE_RELEASE"]
    guard asked == version else { return false }
    guard try isNext(version) else {
      throw Unmet(description: "\(version) is released; give the next version, see CHANGELOG.md")
    }
    return true
  }

  package static func text(_ file: String, of version: String) throws -> String {
    try String(contentsOfFile: "\(folder)/\(version)/\(file)", encoding: .utf8)
  }
}
