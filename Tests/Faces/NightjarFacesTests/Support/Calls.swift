import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Calls with a time limit, and their answers as values.
extension Connection {
  @discardableResult func timer(_ call: Call) throws -> Wire.Timer {
    try Wire.Timer(
      try #require(try self.call(call, deadline: .after(usec: 90 * second))["timer"]))
  }

  func names() throws -> [String] {
    let page = try call(.list(), deadline: .after(usec: 90 * second))
    return try #require(page["timers"]?.arrayValue).compactMap { $0["name"]?.stringValue }
  }
}

extension DaemonProcess {
  /// Waits until a timer is as the test expects it. The present state counts.
  func awaitTimer(_ name: String, where matches: (Wire.Timer) -> Bool) throws {
    let stream = try connect().stream(.watch())
    while true {
      let reply = try #require(try stream.next(deadline: .after(usec: 90 * second)))
      guard let json = reply["timer"], json["name"]?.stringValue == name else { continue }
      if matches(try Wire.Timer(json)) { return }
    }
  }

  /// Waits until no timer has this name.
  func awaitEnd(of name: String) throws {
    let client = try connect()
    try awaitTrue("the end of \(name)") { try !client.names().contains(name) }
  }
}

/// A name as faces show it.
func shownName(_ name: String) -> String {
  let text = VisibleText.visible(name)
  return text.count > 40 ? "\(text.prefix(39))…" : text
}

/// Names with markup, mnemonics and formats, from right to left, that turn text around, and long.
let hostileNames = [
  "<b>bold</b> &amp;", "שלום עולם", "a\u{202E}b", "_mnemonic &x",
  String(repeating: "n", count: 255), "emoji 🫖🏽", "100%s %n",
]
