/// The markup of Pango and of Desktop Notifications 1.2. Notification servers and some status bars
/// interpret it.
public enum Markup {
  /// Escapes a text, so that a program that interprets markup shows the text unchanged. O(bytes).
  public static func escaped(_ text: String) -> String {
    // Compare scalars, not characters: for Swift, `<` with a combining mark is another character
    // than `<`, but a parser of markup still sees `<`.
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
