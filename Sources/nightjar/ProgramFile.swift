import Glibc

/// What a command's first word stands for now, by the daemon's rules.
enum ProgramFile: Equatable {
  /// Where it is.
  case found(String)
  case missing
  /// It is there, and not to be executed.
  case forbidden

  /// Where the daemon looks if nobody says.
  private static let usualSearch = "/usr/local/bin:/usr/bin:/bin"

  /// Looks for it.
  ///
  /// - Parameters:
  ///   - search: the folders to look in, with colons between them; nil: the usual.
  ///   - folder: where a path begins that does not begin with a slash; nil: here.
  init(_ name: String, search: String?, in folder: String? = nil) {
    guard !name.contains("/") else {
      let isAbsolute = name.hasPrefix("/")
      self = Self.look(isAbsolute ? name : folder.map { "\($0)/\(name)" } ?? name)
      return
    }
    self = .missing
    for place in (search ?? Self.usualSearch).split(separator: ":") where place.hasPrefix("/") {
      switch Self.look("\(place)/\(name)") {
      case .found(let path):
        self = .found(path)
        return
      case .forbidden: self = .forbidden
      case .missing: break
      }
    }
  }

  private static func look(_ path: String) -> ProgramFile {
    guard access(path, F_OK) == 0 else { return errno == EACCES ? .forbidden : .missing }
    return isRegular(path) && access(path, X_OK) == 0 ? .found(path) : .forbidden
  }

  /// Whether there is a folder of that path.
  static func isFolder(_ path: String) -> Bool { kind(path) == S_IFDIR }

  /// Whether there is a file with contents, behind links too.
  static func isRegular(_ path: String) -> Bool { kind(path) == S_IFREG }

  private static func kind(_ path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }
}
