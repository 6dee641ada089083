import Testing
import Varlink

@testable import nightjar

/// The sequences for a terminal, according to its environment variables.
@Suite struct TerminalFeaturesTests {
  private static let terminals:
    [(variables: [String: String], bell: Bool, title: Bool, TerminalFeatures.Notification?)] = [
      ([:], false, false, nil), (["TERM": "dumb"], false, false, nil),
      (["TERM": "linux"], true, false, nil), (["TERM": "vt220"], true, false, nil),
      (["TERM": "xterm"], true, true, nil), (["TERM": "xterm-kitty"], true, true, .osc9),
      (["TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"], true, true, .osc9),
      (["TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"], true, true, .osc9),
      (["TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"], true, true, .osc9),
      (["TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty"], true, true, .osc9),
      (["TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"], true, false, nil),
      (["TERM": "xterm-256color", "TERM_PROGRAM": "vscode"], true, false, nil),
      (["TERM": "xterm-256color", "WT_SESSION": "1"], true, false, nil),
      (["TERM": "xterm-256color", "VTE_VERSION": "7006"], true, true, .osc777),
      (["TERM": "xterm-256color", "VTE_VERSION": ""], true, true, nil),
      (["TERM": "foot"], true, true, .osc777), (["TERM": "foot-extra"], true, true, .osc777),
      (["TERM": "rxvt-unicode-256color"], true, true, .osc777),
      (["TERM": "alacritty"], true, true, nil),
      (["TERM": "xterm-256color", "KONSOLE_VERSION": "230805"], true, false, nil),
      // A multiplexer on a terminal with more features.
      (["TERM": "tmux-256color", "VTE_VERSION": "7006"], true, true, nil),
      (["TERM": "screen-256color", "TMUX": "/tmp/tmux-0/default,1,0"], true, true, nil),
      (["TERM": "screen", "KITTY_WINDOW_ID": "1"], true, false, nil),
      (["TERM": "xterm-256color", "STY": "1.pts", "VTE_VERSION": "7006"], true, false, nil),
    ]

  @Test func `A terminal is sent only sequences that its variables promise`() {
    for (variables, bell, title, notification) in Self.terminals {
      let features = TerminalFeatures { variables[$0] }
      #expect(features.hasBell == bell, "\(variables)")
      #expect(features.hasTitle == title, "\(variables)")
      #expect(features.notification == notification, "\(variables)")
    }
    let none = TerminalFeatures.none
    let sent = none.ring("tea", "x", isSilent: false) + none.title("x")
    #expect(sent + none.saveTitle + none.restoreTitle == "")
  }

  @Test func `No text can end a sequence, begin another, or begin another field`() {
    let hostile = "4;1;50\u{7}\u{1B}]2;owned\u{1B}\\\u{9C}\u{9B}2J\n"
    for name in ["KITTY_WINDOW_ID", "VTE_VERSION"] {
      let features = TerminalFeatures { ["TERM": "xterm", name: "1"][$0] }
      for said in [features.ring(hostile, hostile, isSilent: true), features.title(hostile)] {
        #expect(said.hasPrefix("\u{1B}]") && said.hasSuffix("\u{1B}\\"))
        #expect(!VisibleText.hasUnsafe(String(said.dropFirst().dropLast(2))))
        #expect(!said.hasPrefix("\u{1B}]9;4"))
      }
      #expect(features.ring("x", "y", isSilent: false).first == "\u{7}")
    }
    let long = TerminalFeatures { $0 == "TERM" ? "xterm" : nil }
    #expect(long.title(String(repeating: "x", count: 9_999)).count < 250)
  }
}
