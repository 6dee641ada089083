import Foundation
import NightjarTestSupport

/// What `make test-packages` has made, in the folder `NIGHTJAR_PACKAGES`: the packages and the
/// archives (`deb`, `dist`), the same once more from a clean clone (`again`), and the package with
/// a higher version (`next`). Bare roots of Debian are in the folder `NIGHTJAR_PACKAGE_ROOTS`.
enum Packages {
  static let isWanted: Bool = {
    guard ProcessInfo.processInfo.environment["NIGHTJAR_PACKAGES"] == nil else {
      return !Root.isMissing(for: "machines on which the packages are installed")
    }
    print("left out, because no packages were made for them: tests; run `make test-packages`")
    return false
  }()

  /// The folder of a bare Debian.
  static func root(_ release: String) throws -> String {
    "\(try folder("NIGHTJAR_PACKAGE_ROOTS"))/\(release)"
  }

  private static func folder(_ variable: String = "NIGHTJAR_PACKAGES") throws -> String {
    guard let folder = ProcessInfo.processInfo.environment[variable] else {
      throw Unmet(description: "\(variable) is not set; run `make test-packages`")
    }
    return folder
  }

  /// The paths of the files below a folder of these that have this ending, in order.
  static func files(in name: String, ending: String) throws -> [String] {
    let folder = "\(try folder())/\(name)"
    return try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(ending) }.sorted().map { "\(folder)/\($0)" }
  }

  /// The one package with programs in a folder of these.
  static func deb(in name: String) throws -> String {
    let packages = try files(in: name, ending: ".deb").filter { !$0.contains("dbgsym") }
    guard packages.count == 1 else { throw Unmet(description: "\(name) has \(packages)") }
    return packages[0]
  }

  /// Boots a bare Debian with files in its folder /opt/files.
  static func boot(_ release: String, with files: [String: String]) throws -> Host {
    let rig = try Rig()
    try rig.tool(["mkdir", "-p", "\(rig.path)/files/opt/files"])
    for (name, path) in files { try rig.tool(["cp", path, "\(rig.path)/files/opt/files/\(name)"]) }
    return try Host(root: root(release), with: "\(rig.path)/files")
  }

  /// Prints how long something took.
  static func timed<Value>(_ what: String, _ body: () throws -> Value) rethrows -> Value {
    let start = ContinuousClock.now
    let value = try body()
    print("  \(what): \(Int(start.duration(to: .now) / .milliseconds(1))) ms")
    return value
  }
}
