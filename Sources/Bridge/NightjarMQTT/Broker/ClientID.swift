internal import COpenSSL
internal import NightjarModel

/// The MQTT client ID of a machine. If a client connects with an ID that is in use, the broker
/// ends the other connection, even a connection of another user.
enum ClientID {
  /// The rounds of PBKDF2, which take some milliseconds. Guessing the password from the ID must be
  /// slow, because the broker's log contains the ID.
  private static let rounds: Int32 = 20_000

  /// The client ID: the name of the machine and, if there is a password, 16 hexadecimal digits.
  /// PBKDF2 (RFC 8018, section 5.2) with HMAC-SHA-256 derives the digits from the name and the
  /// password. Another user does not know the password, and so cannot connect with this ID. Two
  /// bridges with the same name of the machine have the same ID.
  static func text(_ address: DeviceAddress, password: String?) -> String {
    let name = "nightjar-\(address.person)-\(address.device)"
    guard let password else { return name }
    var digits = [UInt8](repeating: 0, count: 8)
    let salt = Array(name.utf8)
    let isDerived = PKCS5_PBKDF2_HMAC(
      password, Int32(password.utf8.count), salt, Int32(salt.count), rounds, EVP_sha256(),
      Int32(digits.count), &digits)
    // PBKDF2 fails only if there is no memory or no SHA-256.
    precondition(isDerived == 1, "OpenSSL cannot derive a key")
    return name + "-" + digits.map { hex($0) }.joined()
  }

  private static func hex(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16)
    return byte < 16 ? "0" + text : text
  }
}
