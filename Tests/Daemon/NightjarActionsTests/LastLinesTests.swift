import NightjarModel
import NightjarParameters
import Testing

@testable import NightjarActions

/// What is kept of a command's output, and how a command is called and stored.
@Suite struct LastLinesTests {
  private static let long = String(repeating: "ä", count: 300)
  private static let cut = String(repeating: "ä", count: (Limits.lastLineBytes - 3) / 2) + "…"

  @Test(arguments: [
    ("", []), ("a", ["a"]), ("a\n\n \nb\n", ["a", "b"]),
    ("1\n2\n3\n4\n5\n", ["3", "4", "5"]), ("\u{1B}[31mred\u{1B}[0m\tone", ["red one"]),
    ("10 %\r20 %\r\n", ["20 %"]), ("\u{1B}]0;title\u{7}text", ["text"]),
    ("\u{1B}]0;title without an end\ntext", ["text"]), ("\u{1B}(Bx\u{8}", ["x\\u{08}"]),
    ("\(long)\u{1B}]0;title\u{7}\n", [cut]), ("\u{202E}x", ["\\u{202E}x"]),
  ])
  func `The last lines are as a terminal shows them, escaped and bounded`(
    output: String, lines: [String]
  ) {
    var last = LastLines()
    last.add(output.utf8)
    #expect(last.all == lines)
    // In single bytes.
    var slow = LastLines()
    for byte in output.utf8 { slow.add([byte]) }
    #expect(slow.all == lines)
    last.skip()
    #expect(last.all == [])
  }

  @Test(arguments: [
    (["/bin/sh", "-c", "exit 7"], false, "exit 7", "sh"), (["a", "b\nc"], false, "a b c", "a"),
    (["/home/x/hooks/rang.d/10-a"], true, "hook rang.d/10-a", "10-a"),
    (
      ["/bin/" + String(repeating: "x", count: 200)], false,
      "/bin/" + String(repeating: "x", count: 95), String(repeating: "x", count: 200)
    ),
  ])
  func `A command has a short name, and is stored as it is`(
    exec: [String], isHook: Bool, title: String, program: String
  ) throws {
    for timer in [nil, ActionCommand.Subject(name: "tea", id: 7)] {
      let command = ActionCommand(
        event: "rang", timer: timer, isHook: isHook, exec: exec,
        environment: [.init(name: "A", value: "é\n")], timeoutUsec: 5, unit: "nightjar-1")
      #expect(command.title == title && command.program == program)
      #expect(command.value(of: "A") == "é\n" && command.value(of: "B") == nil)
      #expect(command.lane == (isHook ? .hook(exec[0]) : .timer(timer?.id ?? 0)))
      #expect(ActionCommand(json: command.json) == command)
    }
    for bad in ["", "{}", #"{"event":"rang","exec":[""],"timeout_usec":5,"unit":"u"}"#] {
      #expect(ActionCommand(json: Array(bad.utf8)) == nil)
    }
  }
}
