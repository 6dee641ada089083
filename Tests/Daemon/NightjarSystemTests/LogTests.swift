import Glibc
import NightjarTestSupport
import Testing
import Varlink

@testable import NightjarSystem

@Suite(.blocking) struct LogTests {
  @Test func `A line has the message, and the fields in brackets`() {
    #expect(Log.line("started", []) == "nightjard: started\n")
    let fields: [(key: StaticString, value: String)] = [("TIMER", "tea"), ("LATE_USEC", "12")]
    #expect(Log.line("rang", fields) == "nightjard: rang [TIMER=tea LATE_USEC=12]\n")
  }

  @Test func `Text of a client cannot break the line or control the terminal`() {
    #expect(
      Log.line("no such timer: a\nb\u{1b}[2J\u{7f}\u{9b}é\u{202e}\u{2028}\tc", [("T", "\u{2066}")])
        == "nightjard: no such timer: a\\nb\\u{1B}[2J\\u{7F}\\u{9B}é\\u{202E}\\u{2028}\tc "
        + "[T=\\u{2066}]\n")
  }

  @Test func `No character that controls a terminal gets into a line`() {
    for scalar in (0...0xFFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) {
      guard VisibleText.isUnsafe(scalar), scalar != "\t" else { continue }
      let line = Log.line("a\(scalar)b", [("NIGHTJAR_TIMER", "\(scalar)")])
      #expect(!VisibleText.hasUnsafe(String(line.dropLast())), "\(scalar.value)")
      #expect(line.last == "\n" && line.contains("b [NIGHTJAR_TIMER=\\"))
    }
  }

  @Test func `Lines are written to standard error, with their fields in brackets`() throws {
    let output = try Role.alone {
      Log.write(.info, "shown")
      Log.write(.error, "failed", [("ERRNO", "28")])
    }
    guard let output else { return }
    let lines = output.split(separator: "\n").filter { $0.hasPrefix("nightjard: ") }
    #expect(lines == ["nightjard: shown", "nightjard: failed [ERRNO=28]"])
  }

  @Test func `If standard error is the journal, entries have fields`() throws {
    if Role.current == "before a journal" {
      let journal = try NotifySocket(path: "/run/systemd/journal/socket")
      var status = stat()
      try #require(fstat(STDERR_FILENO, &status) == 0)
      setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino)", 1)
      Log.write(.warning, "two\nlines \u{202E}", [("NIGHTJAR_TIMER", "tea\u{202E}")])
      let entry = try journal.next()
      #expect(entry.hasPrefix("MESSAGE=two\\nlines \\u{202E}\n"))
      #expect(entry.contains("\nPRIORITY=4\n"))
      #expect(entry.contains("\nSYSLOG_IDENTIFIER=nightjard\n"))
      // journalctl(1) finds the entries of a timer by its exact name.
      #expect(entry.contains("\nNIGHTJAR_TIMER=tea\u{202E}\n"))
      return
    }
    let prepare = "mount -t tmpfs none /run && mkdir -p /run/systemd/journal && exec \"$@\""
    try Role.play(
      "before a journal", inTest: "If standard error is the journal",
      through: Role.unshare + ["--mount", "sh", "-c", prepare, "sh"])
  }

  @Test func `A JOURNAL_STREAM that is not this standard error is ignored`() throws {
    let output = try Role.alone {
      setenv("JOURNAL_STREAM", "1:1", 1)
      Log.write(.notice, "plain")
    }
    guard let output else { return }
    #expect(output.split(separator: "\n").contains("nightjard: plain"))
  }
}
