import Glibc

/// A folder with access for this user alone.
public enum PrivateFolder {
  /// Creates a folder and its missing parents with mode 0700, like mkdir(1) with `-p`.
  ///
  /// - Returns: 0, or an errno.
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
