internal import Glibc

/// Resolves a command's first word to a program. The code that runs commands and the code that
/// predicts failures share these rules.
public enum ProgramFile: Equatable, Sendable {
  case found(String)
  case obstructed(Obstacle)

  public enum Obstacle: Error, Equatable, Sendable {
    /// No folder in PATH contains the program.
    case notInPath
    /// There is no such file, or only a dangling symbolic link.
    case missing
    /// The path is a folder, or another file that is not regular.
    case noFile
    /// The user may not execute the file.
    case notExecutable
    /// The kernel does not recognize the file's format.
    case unknownFormat
    /// The interpreter of the script does not exist.
    case noInterpreter
  }

  private static let usualSearch = "/usr/local/bin:/usr/bin:/bin"

  /// Searches for the program.
  ///
  /// - Parameters:
  ///   - search: the folders to search, separated by colons; nil: the default. Relative and empty
  ///     entries, which mean the working directory, are skipped.
  ///   - folder: the base of relative paths; nil: the working directory.
  public init(_ name: String, search: String?, in folder: String? = nil) {
    guard !name.contains("/") else {
      let isAbsolute = name.hasPrefix("/")
      let path = isAbsolute ? name : folder.map { "\($0)/\(name)" } ?? name
      self = Self.obstacle(to: path).map { .obstructed($0) } ?? .found(path)
      return
    }
    self = .obstructed(.notInPath)
    for place in (search ?? Self.usualSearch).split(separator: ":") where place.hasPrefix("/") {
      switch Self.obstacle(to: "\(place)/\(name)") {
      case nil:
        self = .found("\(place)/\(name)")
        return
      case .missing: break
      // As in execvp(3), a file that is not executable is skipped. It is reported if no other file
      // is found.
      case let obstacle?: self = .obstructed(obstacle)
      }
    }
  }

  /// The path of the program.
  ///
  /// - Throws: why the program cannot run.
  public func path() throws(Obstacle) -> String {
    switch self {
    case .found(let path): return path
    case .obstructed(let obstacle): throw obstacle
    }
  }

  /// Why a file cannot run; nil: no reason is visible before it runs.
  public static func obstacle(to path: String) -> Obstacle? {
    var status = stat()
    guard stat(path, &status) == 0 else { return errno == EACCES ? .notExecutable : .missing }
    guard status.st_mode & S_IFMT == S_IFREG else { return .noFile }
    return access(path, X_OK) == 0 ? nil : .notExecutable
  }

  public static func isFolder(_ path: String) -> Bool { kind(path) == S_IFDIR }

  /// Whether the path is a regular file, or a link to one.
  public static func isRegular(_ path: String) -> Bool { kind(path) == S_IFREG }

  private static func kind(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }
}

extension ProgramFile.Obstacle {
  /// Why execve(2) refused an existing file; nil if the error is not about the file.
  public init?(execution code: Int32) {
    switch code {
    case ENOENT: self = .noInterpreter
    case EACCES: self = .notExecutable
    case ENOEXEC: self = .unknownFormat
    default: return nil
    }
  }

  /// The reason, as part of a sentence about the program.
  public var sentence: String {
    switch self {
    case .notInPath: "no folder of PATH has it"
    case .missing: "there is no such file"
    case .noFile, .notExecutable: "it may not be executed"
    case .unknownFormat: "it is no program, or a script without #! in its first line"
    case .noInterpreter: "what is to run it, as its first line has it, is not there"
    }
  }
}
