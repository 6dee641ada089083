/// Names that a shell, a terminal or the command line could misinterpret. The daemon accepts all of
/// them.
enum HostileNames {
  /// More than two hundred.
  static let all: [String] = Array(Set(written + signs)).sorted()

  private static let written = [
    "f`id`", "`touch pwned`", "$(touch pwned)", "${HOME}", "$HOME", "$'x'", "$\"x\"", "$((1+1))",
    "a;touch pwned", "a&&touch pwned", "a|touch pwned", "a||touch pwned", "a&touch pwned",
    "a>pwned", "a>>pwned", "a<pwned", "<(touch pwned)", "(touch pwned)", "{touch,pwned}",
    "'; touch pwned; '", "\"; touch pwned; \"", "x'`touch pwned`'", "x\"$(touch pwned)\"",
    "x'\"'\"'$(touch pwned)", "it's", "my tea", " tea", "tea ", "a  b", "  ", "a:b", "a:b:c", "a=b",
    "a=~root", "x@y", "@x", "~root", "~", "~+", "=ls", "==", "%self", "%1", "!!", "!touch", "a!b",
    "it's a!b", "!", "^a^b", "#c", "a #c", "a#b", "*", "**", "?", "[a-z]", "[]", "a*b?", "{a,b}",
    "{1..3}", "\\", "a\\", "\\x41", "a\\nb", "\\'", "\\$HOME", "'", "''", "\"", "\"\"", "`", "$",
    "$$", "$?", "$#", "$(", "${", "$(touch pwned", "-x", "-", "--", "---", "--all", "--json",
    "--help", "--socket=/x", "-rf", "ü", "日本語", "Käse 🧀", "👩‍💻", "a\u{A0}b", "a\u{200B}b",
    "x'\u{301}$(touch pwned)", "\u{301}x", "'\u{301}", "-\u{301}x", "~\u{301}root",
    "rtl \u{202E}abc", "\u{202E}", "\u{2066}x\u{2069}", "a\u{2028}b", "\u{2029}$HOME",
    "it's\u{202E}!`touch pwned`", "\u{200F}a", "\u{61C}b", "tea\u{200E}", "a\\\u{202E}'",
    "run/4711/$HOME", "a/`touch pwned`/b", "then", "!fi", "if", "a,b", "1>pwned", "2>&1", "a\\ b",
  ]

  /// Each ASCII punctuation character at the beginning, the end, around and inside.
  private static let signs = " !\"#$%&'()*+,-.:;<=>?@[\\]^_`{|}~".flatMap { sign in
    ["\(sign)x", "x\(sign)", "f\(sign)id\(sign)", "a\(sign)'b", "\(sign)\(sign)y"]
  }
}
