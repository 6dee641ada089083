import Glibc

/// Calls a handler when files in some folders are created, renamed, rewritten or deleted.
public final class FolderWatch {
  private let sources: [Source]

  /// Begins to watch the folders. A folder that cannot be watched, for example because it does not
  /// exist, is left out.
  ///
  /// - Parameter changed: the handler. It must not replace this watch: events that wait in sd-event
  ///   would be passed to the new watch, and could call the handler without end.
  /// - Throws: `SystemError` with EMFILE or ENOSPC if the user's programs watch too many folders,
  ///   see inotify(7), or if another resource has run out.
  public init(
    _ folders: [String], on loop: EventLoop, _ changed: @escaping () -> Void
  ) throws(SystemError) {
    var sources: [Source] = []
    for folder in folders {
      do {
        sources.append(try loop.watchFolder(folder, changed))
      } catch {
        if error.isShortage { throw error }
        if ![ENOENT, ENOTDIR, EACCES, ELOOP].contains(error.code) {
          Log.write(.warning, "changes in \(folder) are not noticed: \(error)")
        }
      }
    }
    self.sources = sources
  }
}
