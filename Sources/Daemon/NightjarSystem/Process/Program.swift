import CLinux
import Glibc

/// A program to start, with its arguments, environment and folder.
public struct Program: Sendable {
  /// The soft limit of open files that a program gets. select(2) cannot handle more files.
  private static let openFiles: UInt64 = 1024

  /// The path of the program's file. `PATH` is not searched.
  public var path: String
  /// The arguments of the program, beginning with its name.
  public var arguments: [String]
  /// All environment variables of the program, as `NAME=value`.
  public var environment: [String]
  /// The working directory of the program.
  public var folder: String

  public init(path: String, arguments: [String], environment: [String], folder: String) {
    self.path = path
    self.arguments = arguments
    self.environment = environment
    self.folder = folder
  }

  /// Starts the program as a child of this process, in a new session. `output` becomes its standard
  /// output and standard error. No signal is blocked or ignored in the child, and it inherits no
  /// other descriptor. Blocks until the kernel has loaded the program.
  ///
  /// - Parameters:
  ///   - input: the standard input of the program; nil: an empty one.
  ///   - endsWithThread: whether the kernel kills the program when the calling thread ends, also if
  ///     this process is killed.
  /// - Returns: the process ID of the child, which is also the ID of its process group.
  /// - Throws: the error of execve(2), or of a step before it.
  public func spawn(
    output: Int32, input: Int32? = nil, endsWithThread: Bool = false
  ) throws(SystemError) -> Int32 {
    let result = withCStrings(arguments) { arguments in
      withCStrings(environment) { environment in
        path.withCString { path in
          folder.withCString { folder in
            var program = nj_program(
              path: path, arguments: arguments, environment: environment, folder: folder,
              output: output, input: input ?? -1, open_files: Self.openFiles,
              ends_with_parent: endsWithThread)
            return nj_spawn(&program)
          }
        }
      }
    }
    return try checked(result, "execve \(path)")
  }

  /// Whether a child has ended. It may still be a zombie, because this does not wait for it.
  public static func hasEnded(_ pid: Int32) -> Bool { nj_has_ended(pid) }

  /// Sends a signal to all processes of a process group.
  public static func signal(group: Int32, _ number: Int32) {
    // An error means that all processes of the group have ended.
    _ = kill(-group, number)
  }
}

/// Passes strings to `body` as a C array of pointers that ends with nil.
private func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
  pointers.append(nil)
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
}
