/// The address of a machine at the broker: a person and one of the person's devices.
///
/// The person and the device are words of 1 to 32 bytes of `A-Z a-z 0-9 _ -`. They are levels of a
/// topic; the device is also the file name of a socket.
public struct DeviceAddress: Hashable, Sendable, CustomStringConvertible {
  /// The longest name of a person or a device, in bytes.
  public static let wordBytes = 32

  public let person: String
  public let device: String

  /// A word that stands in the place of the device in the topics of a person's rings. So no device
  /// can have it as its name.
  public static let ringWord = "ring"

  /// - Returns: nil if `person` or `device` is not a valid word (`isWord`), or if the device is
  ///   `ringWord`.
  public init?(person: String, device: String) {
    guard Self.isWord(person), Self.isWord(device), device != Self.ringWord else { return nil }
    self.person = person
    self.device = device
  }

  /// Whether a text can be the name of a person or device. O(bytes).
  public static func isWord(_ text: some StringProtocol) -> Bool {
    (1...wordBytes).contains(text.utf8.count) && text.utf8.allSatisfy(isWordByte)
  }

  /// Whether the name of a person or device may contain this byte.
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
