import CLinux
import Glibc

/// Calls a handler when files in some folders are created, renamed, rewritten or deleted; see
/// inotify(7).
public final class FolderWatch {
  private let descriptor: Descriptor
  private var source: Source?

  /// Begins to watch the folders. A folder that does not exist is not watched.
  public init(
    _ folders: [String], on loop: EventLoop, _ changed: @escaping () -> Void
  ) throws(SystemError) {
    let raw = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard raw >= 0 else { throw SystemError(operation: "inotify_init1", code: errno) }
    descriptor = Descriptor(owning: raw)
    let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE)
    for folder in folders { _ = inotify_add_watch(raw, folder, mask) }
    source = try loop.watchReadable(raw) { [unowned self] in
      drain()
      changed()
    }
  }

  deinit { source?.cancel() }

  /// Reads and drops the kernel's events, because the handler itself looks at the files that it
  /// needs.
  private func drain() {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      while read(descriptor.raw, buffer.baseAddress, buffer.count) > 0 {}
    }
  }
}
