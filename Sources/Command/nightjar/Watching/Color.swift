/// A colour for bars and terminals.
struct Color: Equatable {
  let red: UInt8
  let green: UInt8
  let blue: UInt8

  /// The names of colours in CSS that users write into bands
  /// (https://www.w3.org/TR/css-color-4/#named-colors).
  private static let named: [String: UInt32] = [
    "aqua": 0x00FFFF, "black": 0x000000, "blue": 0x0000FF, "brown": 0xA52A2A, "crimson": 0xDC143C,
    "cyan": 0x00FFFF, "fuchsia": 0xFF00FF, "gold": 0xFFD700, "gray": 0x808080, "green": 0x008000,
    "grey": 0x808080, "indigo": 0x4B0082, "lime": 0x00FF00, "magenta": 0xFF00FF,
    "maroon": 0x800000, "navy": 0x000080, "olive": 0x808000, "orange": 0xFFA500,
    "orchid": 0xDA70D6, "pink": 0xFFC0CB, "purple": 0x800080, "red": 0xFF0000,
    "salmon": 0xFA8072, "silver": 0xC0C0C0, "teal": 0x008080, "tomato": 0xFF6347,
    "turquoise": 0x40E0D0, "violet": 0xEE82EE, "white": 0xFFFFFF, "yellow": 0xFFFF00,
  ]

  /// The names of the colours, in alphabetical order.
  static let names = named.keys.sorted()

  init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// The colour of a text such as `red`, `#f00` or `#ff0000`; nil for any other text.
  init?(_ text: String) {
    let text = text.lowercased()
    if let value = Self.named[text] {
      self.init(value)
      return
    }
    guard text.hasPrefix("#"), let value = UInt32(text.dropFirst(), radix: 16) else { return nil }
    switch text.utf8.count {
    case 4:
      let (red, green, blue) = (value >> 8, value >> 4 & 0xF, value & 0xF)
      self.init(red << 20 | red << 16 | green << 12 | green << 8 | blue << 4 | blue)
    case 7: self.init(value)
    default: return nil
    }
  }

  private init(_ value: UInt32) {
    self.init(
      red: UInt8(value >> 16 & 0xFF), green: UInt8(value >> 8 & 0xFF), blue: UInt8(value & 0xFF))
  }

  /// The colour as text, such as `#ff0000`.
  var hex: String {
    "#"
      + [red, green, blue].map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }
      .joined()
  }
}
