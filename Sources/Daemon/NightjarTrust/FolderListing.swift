import Glibc

/// The contents of a folder (readdir(3)).
public enum FolderListing {
  /// The names of a folder's entries, without `.` and `..`, in no particular order.
  ///
  /// - Returns: nil if the folder cannot be read to its end.
  /// - Complexity: O(n) in the entries of the folder.
  public static func names(in path: String) -> [String]? {
    guard let folder = opendir(path) else { return nil }
    defer { closedir(folder) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(folder) {
      let name = name(of: entry)
      if name != ".", name != ".." { names.append(name) }
      errno = 0
    }
    return errno == 0 ? names : nil
  }

  /// Reads the name in place. Swift may copy all 256 bytes of `d_name`, but an entry is only as
  /// long as its name. So a copy of the last entry could read beyond the end of mapped memory.
  private static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
    guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else {
      preconditionFailure("dirent has a name")
    }
    let start = UnsafeRawPointer(entry) + offset
    return String(cString: start.assumingMemoryBound(to: CChar.self))
  }
}
