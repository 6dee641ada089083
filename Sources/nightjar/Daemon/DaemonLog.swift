import Glibc

/// The file in which a detached daemon's standard error goes.
struct DaemonLog {
  let path: String
  /// Where the file ended before the daemon was started.
  private let start: off_t

  /// How much of the end is read for the last line.
  private static let tailBytes = 4096

  /// Makes the folder and the file where they are not there yet, for the user alone.
  init(folder: String) throws(CommandError) {
    path = "\(folder)/nightjard.log"
    var failure = Self.makeFolders(folder)
    var length: off_t = 0
    if failure == 0 {
      let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
      if descriptor >= 0 {
        length = lseek(descriptor, 0, SEEK_END)
        close(descriptor)
      } else {
        failure = errno
      }
    }
    guard failure == 0 else {
      throw CommandError(
        .noDaemon,
        "the daemon cannot keep its timers in \(folder): \(SystemError.words(failure)); "
          + "make it writable, or set XDG_STATE_HOME")
    }
    start = length
  }

  /// The last line written since; nil if there is none.
  var lastNewLine: String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let end = lseek(descriptor, 0, SEEK_END)
    let from = max(start, end - off_t(Self.tailBytes))
    var buffer = [UInt8](repeating: 0, count: Self.tailBytes)
    let count = pread(descriptor, &buffer, buffer.count, from)
    guard count > 0 else { return nil }
    return buffer[..<count].split(separator: UInt8(ascii: "\n")).last
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// mkdir -p, for the user alone.
  ///
  /// - Returns: 0, or the errno.
  private static func makeFolders(_ path: String) -> Int32 {
    if Environment.directoryExists(path) { return 0 }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      let failure = makeFolders(String(path[..<slash]))
      if failure != 0 { return failure }
    }
    return mkdir(path, 0o700) == 0 || errno == EEXIST ? 0 : errno
  }
}
