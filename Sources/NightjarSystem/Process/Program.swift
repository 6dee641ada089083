import CLinux
import Glibc

/// A program to be started.
public struct Program: Sendable {
  /// The soft limit of open files that programs expect: those with select(2) take no more.
  private static let openFiles: UInt64 = 1024

  /// Its file: nobody looks for it.
  public var path: String
  /// Its words, the first of which is its name.
  public var arguments: [String]
  /// All of its environment, `NAME=value` each.
  public var environment: [String]
  /// Where it begins.
  public var folder: String

  /// Makes one.
  public init(path: String, arguments: [String], environment: [String], folder: String) {
    self.path = path
    self.arguments = arguments
    self.environment = environment
    self.folder = folder
  }

  /// Starts it as a child of this process, in a session of its own, with `output` for its standard
  /// output and error, no signal blocked or ignored, and no other descriptor. Blocks until the kernel
  /// has loaded it.
  ///
  /// - Parameter input: its standard input; nil: that is empty.
  /// - Returns: its number, which is that of its process group.
  public func spawn(output: Int32, input: Int32? = nil) throws(SystemError) -> Int32 {
    let result = withCStrings(arguments) { arguments in
      withCStrings(environment) { environment in
        path.withCString { path in
          folder.withCString { folder in
            var program = nj_program(
              path: path, arguments: arguments, environment: environment, folder: folder,
              output: output, input: input ?? -1, open_files: Self.openFiles)
            return nj_spawn(&program)
          }
        }
      }
    }
    return try checked(result, "execve \(path)")
  }

  /// Whether a child has ended; it is left to whoever waits for it.
  public static func hasEnded(_ pid: Int32) -> Bool { nj_has_ended(pid) }

  /// Sends a signal to all processes of a group.
  public static func signal(group: Int32, _ number: Int32) {
    // Whoever has ended meanwhile needs none.
    _ = kill(-group, number)
  }
}

/// Lends strings as C wants a list of them: pointers, and nil behind the last.
private func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
  pointers.append(nil)
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
}
