import Foundation
import Glibc
import Synchronization

package enum Binaries {
  /// The folder of the release build, whose programs users get. It is beside the test build, or at
  /// the path in `NIGHTJAR_BINARIES`.
  package static let release: String = {
    let variable = ProcessInfo.processInfo.environment["NIGHTJAR_BINARIES"] ?? ""
    guard variable.isEmpty else { return variable }
    return URL(fileURLWithPath: testProducts).deletingLastPathComponent().path + "/release"
  }()

  package static let testProducts: String = {
    let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return URL(fileURLWithPath: program ?? "").deletingLastPathComponent().path
  }()

  package static func nightjard() throws -> String { try program("nightjard") }

  package static func nightjar() throws -> String { try program("nightjar") }

  /// The path of a library that a test preloads into another program (LD_PRELOAD), such as
  /// `FaultyDisk`. The first use in each process compiles the library from its file in `Tests/C`:
  /// a dynamic library of SwiftPM would have to be a product, which other packages could link.
  package static func library(_ name: String) throws -> String {
    try libraries.withLock { made in
      if let path = made[name] { return path }
      let path = "\(testProducts)/lib\(name).so"
      // Another process may preload or compile the library at this moment.
      let own = "\(path).\(getpid())"
      let compiler = try ChildProcess(
        [
          "clang", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror",
          "-I\(sources)/CDiskRecord/include", "\(sources)/\(name).c", "-o", own,
        ], package: "clang")
      guard try compiler.awaitEnd(within: 60) == .exited(0), rename(own, path) == 0 else {
        throw Unmet(description: "cannot make \(path): \(compiler.output)")
      }
      made[name] = path
      return path
    }
  }

  private static let libraries = Mutex<[String: String]>([:])
  private static let sources = "\(Documentation.root)/Tests/C"

  package static func program(_ name: String) throws -> String {
    let path = "\(release)/\(name)"
    guard access(path, X_OK) == 0 else {
      throw Unmet(description: "run `swift build -c release`: there is no program at \(path)")
    }
    return path
  }
}
