internal import COpenSSL

/// The MQTT client id of a connection. When a client connects with an id that is in use, the broker
/// ends the other connection, even that of another user.
enum ClientID {
  /// Rounds of PBKDF2. They take some milliseconds, because guessing the password must be slow: the
  /// broker's log contains the ID.
  private static let rounds: Int32 = 20_000

  /// The ID: the name and, if there is a password, 16 hexadecimal digits. PBKDF2 (RFC 8018, section
  /// 5.2) with HMAC-SHA-256 derives the digits from the name and the password. Another user does
  /// not know the password, and so cannot connect with this ID. A second bridge with the same
  /// machine's name has the same ID.
  static func text(_ name: String, password: String?) -> String {
    guard let password else { return name }
    var digits = [UInt8](repeating: 0, count: 8)
    let salt = Array(name.utf8)
    let isDerived = PKCS5_PBKDF2_HMAC(
      password, Int32(password.utf8.count), salt, Int32(salt.count), rounds, EVP_sha256(),
      Int32(digits.count), &digits)
    // It fails only without memory or without SHA-256.
    precondition(isDerived == 1, "OpenSSL cannot derive a key")
    return name + "-" + digits.map { hex($0) }.joined()
  }

  private static func hex(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16)
    return byte < 16 ? "0" + text : text
  }
}
