import NightjarClient
import NightjarVarlink

/// The ways in which the terminal can show that a timer rings. Some terminals print sequences that
/// they do not know, so the command sends only those that the environment variables promise.
struct TerminalFeatures: Equatable {
  /// The sequence that shows a desktop notification.
  enum Notification: Equatable {
    /// `OSC 9 ; text`, of iTerm2, kitty, WezTerm and Ghostty.
    case osc9
    /// `OSC 777 ; notify ; title ; text`, of VTE's terminals, foot and rxvt-unicode.
    case osc777
  }

  /// It has a bell.
  var hasBell = false
  /// It shows notifications; nil: no sequence is known for it.
  var notification: Notification?
  /// Its title can be set, and restored.
  var hasTitle = false

  /// It has nothing.
  static let none = TerminalFeatures()

  /// The features of the terminal on standard output; none if that is no terminal.
  static let ofOutput =
    Terminal.isOutput ? TerminalFeatures(environment: Environment.value) : .none

  private init() {}

  /// - Parameter value: returns the value of an environment variable.
  init(environment value: (String) -> String?) {
    func has(_ name: String) -> Bool { !(value(name) ?? "").isEmpty }
    let term = value("TERM") ?? ""
    func isOne(of prefixes: [String]) -> Bool { prefixes.contains { term.hasPrefix($0) } }
    guard !term.isEmpty, term != "dumb" else { return }
    hasBell = true
    // A multiplexer forwards the bell, but its variables may describe a terminal to which it is no
    // longer attached. tmux has a title for each pane, and does not restore it.
    let isTmux = has("TMUX") || term.hasPrefix("tmux")
    guard !isTmux, !has("STY"), !term.hasPrefix("screen") else {
      hasTitle = isTmux
      return
    }
    let titled = [
      "xterm", "rxvt", "foot", "alacritty", "vte", "gnome", "wezterm", "contour", "mlterm",
    ]
    // Konsole, Windows Terminal, macOS's Terminal and VS Code cannot restore a title.
    let isForgetful =
      has("KONSOLE_VERSION") || has("WT_SESSION")
      || ["Apple_Terminal", "vscode"].contains(value("TERM_PROGRAM") ?? "")
    hasTitle = isOne(of: titled) && !isForgetful
    let programs = ["iTerm.app", "WezTerm", "ghostty"]
    if isOne(of: ["xterm-kitty", "xterm-ghostty", "wezterm"]) || has("KITTY_WINDOW_ID")
      || programs.contains(value("TERM_PROGRAM") ?? "")
    {
      notification = .osc9
    } else if isOne(of: ["foot", "rxvt-unicode"]) || has("VTE_VERSION") {
      notification = .osc777
    }
  }
}

extension TerminalFeatures {
  /// Sequences of xterm: the title is pushed on a stack, and popped from it.
  /// https://invisible-island.net/xterm/ctlseqs/ctlseqs.html
  var keepTitle: String { hasTitle ? "\u{1B}[22;2t" : "" }
  var restoreTitle: String { hasTitle ? "\u{1B}[23;2t" : "" }

  /// Sets the title.
  func title(_ text: String) -> String {
    hasTitle ? "\u{1B}]2;\(Self.quoted(text))\u{1B}\\" : ""
  }

  /// Rings: a bell unless the timer is silent, and a notification.
  ///
  /// - Parameters:
  ///   - name: the timer's name.
  ///   - text: the text for people.
  func ring(_ name: String, _ text: String, isSilent: Bool) -> String {
    let bell = hasBell && !isSilent ? "\u{7}" : ""
    switch notification {
    // The text begins with `Timer`: if it began with a digit and a semicolon, some terminals would
    // show no notification.
    case .osc9:
      return bell + "\u{1B}]9;\(Self.quoted("Timer \(name): \(text)"))\u{1B}\\"
    // A semicolon would start the next field.
    case .osc777:
      let title = Self.quoted(name).replacing(";", with: ",")
      return bell + "\u{1B}]777;notify;\(title);\(Self.quoted(text))\u{1B}\\"
    case nil: return bell
    }
  }

  /// The longest text, in characters: terminals limit it.
  private static let longest = 200

  /// The text, without characters that end or begin a sequence.
  private static func quoted(_ text: String) -> String {
    String(VisibleText.visible(text).prefix(longest))
  }
}
