import Glibc

/// A folder for this user alone.
public enum PrivateFolder {
  /// Makes a folder and those above it, with mode 0700, if they are not there: mkdir(1) with `-p`.
  ///
  /// - Returns: 0, or the errno.
  public static func make(_ path: String) -> Int32 {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return 0 }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      let failure = make(String(path[..<slash]))
      if failure != 0 { return failure }
    }
    return mkdir(path, 0o700) == 0 || errno == EEXIST ? 0 : errno
  }
}
