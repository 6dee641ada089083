internal import Glibc

/// What a command's first word stands for now: the one set of rules for whoever runs it, and for whoever
/// says beforehand that it will not run.
public enum ProgramFile: Equatable, Sendable {
  /// Where it is.
  case found(String)
  /// Why it cannot be run.
  case obstructed(Obstacle)

  /// What keeps a program from being run.
  public enum Obstacle: Error, Equatable, Sendable {
    /// No folder that is looked in has it.
    case notInPath
    /// There is no such file, or only a link to what is not there.
    case missing
    /// It is a folder, or something else that is no file.
    case noFile
    /// It may not be executed.
    case notExecutable
    /// The system cannot tell what kind of program it is.
    case unknownFormat
    /// What would run it is not there.
    case noInterpreter
  }

  /// Where is looked if nobody says.
  private static let usualSearch = "/usr/local/bin:/usr/bin:/bin"

  /// Looks for it.
  ///
  /// - Parameters:
  ///   - search: the folders to look in, with colons between them; nil: the usual. Empty ones, which
  ///     would be the present one, and others that are relative are passed over.
  ///   - folder: where a path begins that does not begin with a slash; nil: here.
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
      // As execvp(3) has it: one that may not be executed is passed over, but not forgotten.
      case let obstacle?: self = .obstructed(obstacle)
      }
    }
  }

  /// Where it is.
  ///
  /// - Throws: why it cannot be run.
  public func path() throws(Obstacle) -> String {
    switch self {
    case .found(let path): return path
    case .obstructed(let obstacle): throw obstacle
    }
  }

  /// What keeps the file of a path from being run; nil: nothing that could be seen from outside.
  public static func obstacle(to path: String) -> Obstacle? {
    var status = stat()
    guard stat(path, &status) == 0 else { return errno == EACCES ? .notExecutable : .missing }
    guard status.st_mode & S_IFMT == S_IFREG else { return .noFile }
    return access(path, X_OK) == 0 ? nil : .notExecutable
  }

  /// Whether there is a folder of that path.
  public static func isFolder(_ path: String) -> Bool { kind(path) == S_IFDIR }

  /// Whether there is a file with contents, behind links too.
  public static func isRegular(_ path: String) -> Bool { kind(path) == S_IFREG }

  private static func kind(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }
}

extension ProgramFile.Obstacle {
  /// What execve(2) has refused a file for that is there; nil where that says nothing about the file.
  public init?(execution code: Int32) {
    switch code {
    case ENOENT: self = .noInterpreter
    case EACCES: self = .notExecutable
    case ENOEXEC: self = .unknownFormat
    default: return nil
    }
  }

  /// It, in a sentence about the program.
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
