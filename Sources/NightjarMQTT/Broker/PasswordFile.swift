internal import Glibc
internal import NightjarConfig
internal import NightjarTrust

/// The file that has a password, which stands in no configuration and on no command line.
enum PasswordFile {
  /// The longest file in bytes.
  private static let maximumBytes = 4096

  /// The first line of a file.
  ///
  /// - Throws: a sentence if it cannot be read, or others can read it.
  static func read(_ path: String) throws(BrokerProblem) -> String {
    let descriptor: Int32
    do throws(Distrust) {
      descriptor = try TrustRule.readFile.open(path, O_RDONLY)
    } catch {
      throw BrokerProblem("the password is not read: \(error)")
    }
    guard descriptor >= 0 else {
      throw BrokerProblem(
        "the password cannot be read: \(path): \(String(cString: strerror(-descriptor)))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & (S_IRGRP | S_IROTH) == 0 else {
      throw BrokerProblem("other users can read the password in \(path); run chmod 600 \(path)")
    }
    let bytes: [UInt8]
    do throws(ReadFailure) {
      bytes = try FileBytes.read(descriptor, limit: maximumBytes)
    } catch {
      throw BrokerProblem(
        "the password cannot be read: \(path): \(String(cString: strerror(error.code)))")
    }
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    guard !line.isEmpty, let password = String(validating: line, as: UTF8.self) else {
      throw BrokerProblem("\(path) has no password in its first line")
    }
    return password
  }
}
