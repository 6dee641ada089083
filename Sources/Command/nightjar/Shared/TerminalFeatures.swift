import NightjarClient
import Varlink

/// The features of the terminal with which the command can show that a timer rings. Some terminals
/// print sequences that they do not know. So the command sends only the sequences that the terminal
/// knows according to the environment variables.
struct TerminalFeatures: Equatable {
  /// The kinds of sequences that show a desktop notification.
  enum Notification: Equatable {
    /// The sequence `OSC 9 ; text`, which iTerm2, kitty, WezTerm and Ghostty know.
    case osc9
    /// The sequence `OSC 777 ; notify ; title ; text`, which foot, rxvt-unicode and the terminals
    /// with VTE know.
    case osc777
  }

  var hasBell = false
  /// The sequence with which the terminal shows a notification; nil: none is known.
  var notification: Notification?
  /// Whether the title of the terminal can be set and restored.
  var hasTitle = false

  static let none = TerminalFeatures()

  /// The features of the terminal on standard output; `none` if standard output is no terminal.
  static let ofOutput =
    Terminal.isOutput ? TerminalFeatures(environment: Environment.value) : .none

  private init() {}

  init(environment value: (String) -> String?) {
    func has(_ name: String) -> Bool { !(value(name) ?? "").isEmpty }
    let term = value("TERM") ?? ""
    func isOne(of prefixes: [String]) -> Bool { prefixes.contains { term.hasPrefix($0) } }
    guard !term.isEmpty, term != "dumb" else { return }
    hasBell = true
    // A terminal multiplexer passes the bell on. But its variables may describe a terminal to which
    // it is no longer attached, so the other features are not used. tmux has a title for each pane,
    // and does not restore it.
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
  /// The sequences of xterm that store the title on a stack, and restore it from there.
  /// https://invisible-island.net/xterm/ctlseqs/ctlseqs.html
  var saveTitle: String { hasTitle ? "\u{1B}[22;2t" : "" }
  var restoreTitle: String { hasTitle ? "\u{1B}[23;2t" : "" }

  /// The sequence that sets the title.
  func title(_ text: String) -> String {
    hasTitle ? "\u{1B}]2;\(Self.quoted(text))\u{1B}\\" : ""
  }

  /// The sequences for a ring: the bell, unless the timer is silent, and a notification.
  ///
  /// - Parameters:
  ///   - text: the text of the notification.
  func ring(_ name: String, _ text: String, isSilent: Bool) -> String {
    let bell = hasBell && !isSilent ? "\u{7}" : ""
    switch notification {
    // The text begins with `Timer`, because some terminals show no notification if the text begins
    // with a digit and a semicolon.
    case .osc9:
      return bell + "\u{1B}]9;\(Self.quoted("Timer \(name): \(text)"))\u{1B}\\"
    // A semicolon in the title would begin the next field.
    case .osc777:
      let title = Self.quoted(name).replacing(";", with: ",")
      return bell + "\u{1B}]777;notify;\(title);\(Self.quoted(text))\u{1B}\\"
    case nil: return bell
    }
  }

  /// The longest text of a notification, in characters. Terminals limit its length.
  private static let longest = 200

  /// The text without the characters that would begin or end a sequence.
  private static func quoted(_ text: String) -> String {
    String(VisibleText.visible(text).prefix(longest))
  }
}
