import Glibc
import NightjarConfig

enum InputFile {
  static let standardInput = "-"

  /// The name of a file, for errors.
  static func name(_ path: String) -> String { path == standardInput ? "standard input" : path }

  /// Reads a file, or standard input for `-`.
  ///
  /// - Parameter limit: the largest size, in bytes.
  /// - Throws: `CommandError`: the file cannot be read, or is longer than the limit.
  static func read(_ path: String, limit: Int) throws(CommandError) -> [UInt8] {
    let descriptor =
      path == standardInput ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path, errno) }
    defer { close(descriptor) }
    let bytes: [UInt8]
    do throws(ReadFailure) {
      bytes = try FileBytes.read(descriptor, limit: limit)
    } catch {
      throw unreadable(path, error.code)
    }
    guard bytes.count <= limit else {
      throw .usage("\(name(path)) is longer than \(limit / 1_048_576) MiB; give a shorter file")
    }
    return bytes
  }

  private static func unreadable(_ path: String, _ code: Int32) -> CommandError {
    .usage(
      "\(name(path)) cannot be read: \(SystemError.words(code)); give the path of a file that you "
        + "can read")
  }
}
