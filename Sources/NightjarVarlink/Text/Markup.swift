/// The markup of Pango and of Desktop Notifications 1.2, which popups and some status bars read.
public enum Markup {
  /// A text that is shown as it is where markup is read. O(bytes).
  public static func escaped(_ text: String) -> String {
    // By scalars: a sign with a combining mark behind it is one character, and still the sign to a parser.
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
