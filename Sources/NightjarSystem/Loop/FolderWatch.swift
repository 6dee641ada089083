import Glibc

/// Calls a handler when files in some folders are created, renamed, rewritten or deleted.
public final class FolderWatch {
  private let sources: [Source]

  /// Begins to watch the folders. A folder that does not exist, or that this process may not read,
  /// is not watched.
  ///
  /// - Throws: `SystemError` with EMFILE or ENOSPC if the user's programs watch too many folders;
  ///   see inotify(7).
  public init(
    _ folders: [String], on loop: EventLoop, _ changed: @escaping () -> Void
  ) throws(SystemError) {
    var sources: [Source] = []
    for folder in folders {
      do {
        sources.append(try loop.watchFolder(folder, changed))
      } catch {
        guard [ENOENT, ENOTDIR, EACCES].contains(error.code) else { throw error }
      }
    }
    self.sources = sources
  }
}
