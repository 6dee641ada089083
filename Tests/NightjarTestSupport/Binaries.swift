import Foundation
import Glibc

/// Where the programs are that are tested.
package enum Binaries {
  /// The folder of the release build, as `make test` names it; nil: that of the test build serves.
  package static var release: String? {
    ProcessInfo.processInfo.environment["NIGHTJAR_BINARIES"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The folder in which the running tests were built.
  package static let testProducts: String = {
    let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: program ?? "").deletingLastPathComponent().path
  }()

  package static func nightjard() throws -> String { try program("nightjard") }

  package static func nightjar() throws -> String { try program("nightjar") }

  /// A library of the test build's, to be preloaded.
  package static func library(_ name: String) throws -> String {
    let path = "\(testProducts)/lib\(name).so"
    guard access(path, R_OK) == 0 else {
      throw Unmet(description: "build all products: \(path) is not there")
    }
    return path
  }

  private static func program(_ name: String) throws -> String {
    let path = "\(release ?? testProducts)/\(name)"
    guard access(path, X_OK) == 0 else {
      throw Unmet(description: "there is no program at \(path)")
    }
    return path
  }
}
