import NightjarTestSupport
import Testing

/// What the command shows on a terminal, bit for bit.
@Suite(.blocking) struct TerminalPictureTests {
  private let evening: Evening

  init() throws { evening = try Evening() }

  private func expect(_ name: String, _ title: String, _ cells: [[TerminalScreen.Cell]]) throws {
    try Committed.expect(TerminalPicture(title, cells).svg(), in: Committed.picture(name))
  }

  @Test func `The picture of the live screen is what nightjar watch shows`() throws {
    try expect(
      "watch.svg", "nightjar watch: the oven rings in 84 seconds, and the laundry has rung",
      evening.watch(width: 100, height: 33, keys: "j", selecting: "oven"))
  }

  @Test func `The picture of the list is what nightjar list shows`() throws {
    try expect(
      "list.svg", "nightjar list: one timer has rung, the others are to ring",
      evening.session("nightjar list", width: 110))
  }

  @Test func `The picture of a story is what nightjar why shows`() throws {
    try expect(
      "why.svg", "nightjar why laundry: it rang 12 minutes late, because the machine slept",
      evening.session("nightjar why laundry", width: 100))
  }

  @Test func `The picture of status bars is what nightjar watch prints for them`() throws {
    var terminal = TerminalScreen(width: 100, height: 40)
    for format in ["plain", "tmux", "polybar", "waybar"] {
      let line = try evening.barLine(format)
      terminal.write("\(Evening.prompt)nightjar watch --format \(format)\r\n\(line)\r\n".utf8)
    }
    try expect("bars.svg", "The lines for four status bars", terminal.cells)
  }
}
