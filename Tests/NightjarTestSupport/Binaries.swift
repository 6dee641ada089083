import Foundation
import Glibc

/// The paths of the tested programs.
package enum Binaries {
  /// The folder of the release build, whose programs users get. It is beside the test build, or at
  /// the path in `NIGHTJAR_BINARIES`.
  package static let release: String = {
    let variable = ProcessInfo.processInfo.environment["NIGHTJAR_BINARIES"] ?? ""
    guard variable.isEmpty else { return variable }
    return URL(fileURLWithPath: testProducts).deletingLastPathComponent().path + "/release"
  }()

  /// The folder in which the running tests were built.
  package static let testProducts: String = {
    let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: program ?? "").deletingLastPathComponent().path
  }()

  package static func nightjard() throws -> String { try program("nightjard") }

  package static func nightjar() throws -> String { try program("nightjar") }

  /// The path of a library of the test build, which a test preloads into another program.
  package static func library(_ name: String) throws -> String {
    let path = "\(testProducts)/lib\(name).so"
    guard access(path, R_OK) == 0 else {
      throw Unmet(description: "build all products: \(path) is not there")
    }
    return path
  }

  /// The path of a program of the release build.
  package static func program(_ name: String) throws -> String {
    let path = "\(release)/\(name)"
    guard access(path, X_OK) == 0 else {
      throw Unmet(description: "run `swift build -c release`: there is no program at \(path)")
    }
    return path
  }
}
