internal import COpenSSL

/// The id by which the broker knows a connection. A broker ends the connection of the client that has
/// the id already, whoever the two users are.
enum ClientID {
  /// Rounds of PBKDF2, some milliseconds: an id stands in the broker's log, and the password must not
  /// be guessed from it.
  private static let rounds: Int32 = 20_000

  /// The name, and where there is a password 16 hexadecimal digits that are derived from both by
  /// PBKDF2 (RFC 8018, section 5.2) with HMAC-SHA-256. Another user, who does not know the password,
  /// cannot connect with this id; a second bridge of the same machine's name has the same one.
  static func text(_ name: String, password: String?) -> String {
    guard let password else { return name }
    var digits = [UInt8](repeating: 0, count: 8)
    let salt = Array(name.utf8)
    let isDerived = PKCS5_PBKDF2_HMAC(
      password, Int32(password.utf8.count), salt, Int32(salt.count), rounds, EVP_sha256(),
      Int32(digits.count), &digits)
    // It fails where there is no memory, or no SHA-256.
    precondition(isDerived == 1, "OpenSSL cannot derive a key")
    return name + "-" + digits.map { hex($0) }.joined()
  }

  private static func hex(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16)
    return byte < 16 ? "0" + text : text
  }
}
