import Glibc

/// A short text that a process leaves for the next one: the target of a symbolic link, because a
/// link is read and replaced atomically. Also reads any other link.
package struct Note {
  private let path: String

  package init(path: String) { self.path = path }

  /// The text; nil: there is none.
  package var text: String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &bytes, bytes.count)
    guard count >= 0 else { return nil }
    return String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Replaces the text by another one, of 1 to 4095 bytes.
  ///
  /// - Returns: false if that failed, with errno set.
  @discardableResult
  package func write(_ text: String) -> Bool {
    let draft = "\(path).\(getpid())"
    unlink(draft)
    return symlink(text, draft) == 0 && rename(draft, path) == 0
  }

  package func remove() { unlink(path) }
}
