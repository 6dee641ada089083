internal import Glibc
internal import NightjarConfig
internal import NightjarInterface
internal import NightjarTrust

/// Reads the password from a file. The configuration and the command line never contain it.
enum PasswordFile {
  /// The size of the longest file that is read, in bytes.
  private static let maximumBytes = 4096

  /// Reads the first line of a file, which is the password.
  ///
  /// - Parameter key: the key of `[mqtt]` that names the file.
  /// - Throws: one sentence, if the file cannot be read, or if other users can read the file.
  static func read(_ path: String, key: String) throws(BrokerProblem) -> String {
    func unreadable(_ code: Int32) -> BrokerProblem {
      let remedy: Sentence =
        key == "password_file"
        ? "put the password there, or correct the path"
        : "look at LoadCredential= of the unit of nightjar-mqtt"
      return BrokerProblem(
        "'\(key)' names \(path), which cannot be read: \(String(cString: strerror(code)))", remedy)
    }
    let descriptor: Int32
    do throws(Distrust) {
      descriptor = try TrustRule.readFile.open(path, O_RDONLY)
    } catch {
      throw BrokerProblem("'\(key)' names a file that is not read: \(error)")
    }
    guard descriptor >= 0 else { throw unreadable(-descriptor) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & (S_IRGRP | S_IROTH) == 0 else {
      throw BrokerProblem(
        "'\(key)' names \(path), which other users can read", "run chmod 600 \(path)")
    }
    let bytes: [UInt8]
    do throws(ReadFailure) {
      bytes = try FileBytes.read(descriptor, limit: maximumBytes)
    } catch {
      throw unreadable(error.code)
    }
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard !line.isEmpty, let password = String(validating: line, as: UTF8.self) else {
      throw BrokerProblem(
        "'\(key)' names \(path), which has no password in its first line", "write it there")
    }
    return password
  }
}
