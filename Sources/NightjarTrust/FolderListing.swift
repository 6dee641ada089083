import Glibc

/// What is in a folder (readdir(3)).
public enum FolderListing {
  /// The names of what is in a folder, without `.` and `..`, in no order.
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

  /// An entry is as long as its name, and the last one can end at the end of mapped memory. Swift may copy
  /// all 256 bytes of `d_name` when it lends them; so the name is read where it stands.
  private static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
    guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else {
      preconditionFailure("dirent has a name")
    }
    let start = UnsafeRawPointer(entry) + offset
    return String(cString: start.assumingMemoryBound(to: CChar.self))
  }
}
