/// The markup of Pango and of Desktop Notifications 1.2, which popups and some status bars
/// interpret.
public enum Markup {
  /// Escapes a text so that markup shows it unchanged. O(bytes).
  public static func escaped(_ text: String) -> String {
    // Compare scalars, not characters: for Swift, `<` with a combining mark is another character,
    // but a parser still sees `<`.
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
