import NightjarClient
import NightjarVarlink

/// How the terminal can be told that a timer rings. What it does not understand, some terminals would print: it
/// is sent only what its variables say that it has.
struct TerminalFeatures: Equatable {
  /// How a notification of the desktop is asked for.
  enum Notification: Equatable {
    /// `OSC 9 ; text`, of iTerm2, kitty, WezTerm and Ghostty.
    case osc9
    /// `OSC 777 ; notify ; title ; text`, of VTE's terminals, foot and rxvt-unicode.
    case osc777
  }

  /// It has a bell.
  var hasBell = false
  /// It shows notifications; nil: not that anybody knows.
  var notification: Notification?
  /// Its title can be set, and set back to what it was.
  var hasTitle = false

  /// It has nothing.
  static let none = TerminalFeatures()

  /// Of the terminal that standard output is; none where it is no terminal.
  static let ofOutput =
    Terminal.isOutput ? TerminalFeatures(environment: Environment.value) : .none

  private init() {}

  /// - Parameter value: a variable of the environment.
  init(environment value: (String) -> String?) {
    func has(_ name: String) -> Bool { !(value(name) ?? "").isEmpty }
    let term = value("TERM") ?? ""
    func isOne(of prefixes: [String]) -> Bool { prefixes.contains { term.hasPrefix($0) } }
    guard !term.isEmpty, term != "dumb" else { return }
    hasBell = true
    // A multiplexer hands on the bell, and keeps variables of a terminal that it may not be on any more. tmux
    // has a title of its own for each pane, and keeps it.
    let isTmux = has("TMUX") || term.hasPrefix("tmux")
    guard !isTmux, !has("STY"), !term.hasPrefix("screen") else {
      hasTitle = isTmux
      return
    }
    let titled = [
      "xterm", "rxvt", "foot", "alacritty", "vte", "gnome", "wezterm", "contour", "mlterm",
    ]
    // Konsole, Windows Terminal, macOS's Terminal and VS Code do not keep the title that they had.
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
  /// Sequences of xterm: the title is kept on a stack, and taken back from it.
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
  ///   - name: the timer's.
  ///   - text: what people are to be told.
  func ring(_ name: String, _ text: String, isSilent: Bool) -> String {
    let bell = hasBell && !isSilent ? "\u{7}" : ""
    switch notification {
    // Behind a digit and a semicolon some terminals have other things than notifications.
    case .osc9:
      return bell + "\u{1B}]9;\(Self.quoted("Timer \(name): \(text)"))\u{1B}\\"
    // A semicolon would begin the text.
    case .osc777:
      let title = Self.quoted(name).replacing(";", with: ",")
      return bell + "\u{1B}]777;notify;\(title);\(Self.quoted(text))\u{1B}\\"
    case nil: return bell
    }
  }

  /// The longest text, in characters: terminals have limits of their own.
  private static let longest = 200

  /// A text that ends no sequence and begins none.
  private static func quoted(_ text: String) -> String {
    String(VisibleText.visible(text).prefix(longest))
  }
}
