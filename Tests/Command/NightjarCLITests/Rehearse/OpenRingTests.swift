import NightjarTestSupport
import Testing

/// Scripts about rings that nobody has answered, and about snoozes. They begin on a Monday at 6:55.
@Suite(.blocking) struct OpenRingTests {
  struct Script: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var lines: String
    /// The end of the output: sentences of events, and lines of `list`.
    var end: [String]
  }

  /// An alarm that rang on Monday at 7:00 and is snoozed at 7:01 for ten minutes.
  private static func snoozed(_ options: String) -> String {
    "alarm up daily 7:00 \(options)\nwait until 7:01\nsnooze up 10min\n"
  }

  static let scripts = [
    Script(
      testDescription: "Tuesday's alarm rings after Monday's snooze was slept over",
      lines: snoozed("--late 1h") + "sleep until tomorrow 7:20\nlist",
      end: [
        "+1d 00:25:00 up: rang, 20 min late: the machine slept",
        "up\tringing\t23:40:00\tWed 25 Nov 07:00:00\tdaily 07:00, rang just now, 20 min late",
      ]),
    Script(
      testDescription: "without a policy, too, and nothing is a day late",
      lines: snoozed("") + "sleep until tomorrow 7:20",
      end: ["+1d 00:25:00 up: rang, 20 min late: the machine slept"]),
    Script(
      testDescription: "with skip, too, because one expiry alone is not several",
      lines: snoozed("--missed skip") + "sleep until tomorrow 7:20",
      end: ["+1d 00:25:00 up: rang, 20 min late: the machine slept"]),
    Script(
      testDescription: "with skip, two expiries do not ring",
      lines: snoozed("--missed skip") + "sleep until Wed 7:20\nlist",
      end: ["up\trunning\t23:40:00\tThu 26 Nov 07:00:00"]),
    Script(
      testDescription: "with each, Tuesday's and Wednesday's ring, each with its own lateness",
      lines: snoozed("--missed each") + "sleep until Wed 7:20",
      end: [
        "+2d 00:25:00 up: rang, 1 d late: the machine slept",
        "+2d 00:25:00 up: rang, 20 min late: the machine slept",
      ]),
    Script(
      testDescription: "with once, Wednesday's stands for Tuesday's",
      lines: snoozed("") + "sleep until Wed 7:20",
      end: ["+2d 00:25:00 up: rang, 20 min late: the machine slept, and stands for 1 more"]),
    Script(
      testDescription: "a snooze that alone was slept over is judged by its own lateness",
      lines: snoozed("--late 1h") + "sleep until 9:00\nlist",
      end: ["up\trunning\t22:00:00\tTue 24 Nov 07:00:00"]),
    Script(
      testDescription: "the last round after a snooze that was slept over is not lost",
      lines: """
        start r 10min --repeat --rounds 3 --late 5min
        wait 11min
        snooze r 5min
        sleep 11min
        wait 20min
        """,
      end: [
        "+0:22:00 r: rang, 2 min late: the machine slept",
        "+0:30:00 r: rang",
      ]),
    Script(
      testDescription: "expiries before the end of a snooze are silent",
      lines: "start r 10min --repeat\nwait 11min\nsnooze r 25min\nwait 30min",
      end: ["+0:36:00 r: rang, and stands for 2 more", "+0:40:00 r: rang"]),
    Script(
      testDescription: "with each, they are silent, too, if the snooze was slept over",
      lines: "start r 10min --repeat --missed each\nwait 11min\nsnooze r 25min\nsleep 27min",
      end: ["+0:38:00 r: rang, 2 min late: the machine slept, and stands for 2 more"]),
    Script(
      testDescription: "stop ends a ring, and without a ring the timer",
      lines: "start r 1h --repeat\nwait 61min\nlist\nstop r\nlist\nstop r\nlist",
      end: [
        "r\tringing\t59:00\t08:55:00\tevery 1 h, rang 1 min ago",
        "+1:01:00 r: the ring was dismissed", "r\trunning\t59:00\t08:55:00\tevery 1 h",
        "+1:01:00 r: cancelled, 59:00 left", "r\tcancelled\t\t\tevery 1 h",
      ]),
    Script(
      testDescription: "one stop reaches each timer once",
      lines: "start p/a 1h --repeat\nwait 61min\nstop p/a p/…\nlist",
      end: ["+1:01:00 p/a: the ring was dismissed", "p/a\trunning\t59:00"]),
    Script(
      testDescription: "a snoozed countdown is snoozed again, and rings once",
      lines: """
        start tea 4min
        wait 5min
        snooze tea 5min
        snooze tea 10min
        list
        wait 11min
        """,
      end: [
        "+0:05:00 tea: snoozed for 10 min", "tea\trunning\t10:00\t07:10:00\tsnoozed",
        "+0:15:00 tea: rang",
      ]),
    Script(
      testDescription: "also after a crash of the daemon and a pause",
      lines: """
        start tea 4min
        wait 5min
        snooze tea 5min
        crash 3s
        pause tea
        resume tea
        snooze tea 10min
        wait 11min
        """,
      end: ["+0:15:03 tea: rang"]),
    Script(
      testDescription: "a snoozed timer that is over can be dismissed",
      lines: "start tea 4min\nwait 5min\nsnooze tea 5min\ndismiss tea\nwait 10min\nlist",
      end: ["+0:05:00 tea: dismissed"]),
  ]

  @Test(arguments: scripts)
  func `A ring is open until somebody answers it`(_ script: Script) throws {
    let text = "at 2026-11-23 6:55 UTC\n\(script.lines)\n"
    let lines = try RehearsedScript().sentences(text)
    var rest = lines[...]
    for line in script.end {
      let index = rest.firstIndex { $0.hasPrefix(line) }
      #expect(index != nil, "\(line)\nis not in\n\(lines.joined(separator: "\n"))")
      rest = rest[(index.map { $0 + 1 } ?? rest.endIndex)...]
    }
    #expect(!rest.contains { $0.contains(": rang") }, "\(lines.joined(separator: "\n"))")
  }
}
