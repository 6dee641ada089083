/// A machine as the broker knows it: a person's device.
///
/// Both are 1 to 32 of `A-Z a-z 0-9 _ -`. They are levels of a topic, and the device is the name of a socket, too.
public struct DeviceAddress: Hashable, Sendable, CustomStringConvertible {
  /// The longest name of a person or a device, in bytes.
  public static let wordBytes = 32

  /// The person.
  public let person: String
  /// The person's device.
  public let device: String

  /// The level of topics that has a person's rings in place of a device: no device has this name.
  public static let ringWord = "ring"

  /// - Returns: nil if one of the two is no such word, or if the device is `ringWord`.
  public init?(person: String, device: String) {
    guard Self.isWord(person), Self.isWord(device), device != Self.ringWord else { return nil }
    self.person = person
    self.device = device
  }

  /// Whether a text can be a person or a device. O(bytes).
  public static func isWord(_ text: some StringProtocol) -> Bool {
    (1...wordBytes).contains(text.utf8.count) && text.utf8.allSatisfy(isWordByte)
  }

  /// Whether a byte can be in such a word.
  static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// `person/device`.
  public var description: String { "\(person)/\(device)" }
}
