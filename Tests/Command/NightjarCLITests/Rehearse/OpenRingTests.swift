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

  /// The rows of the contract (SEMANTICS, 10), and a few more.
  static let scripts = [
    Script(
      testDescription: "Tuesday's alarm rings after Monday's snooze was slept over",
      lines: snoozed("--late 1h") + "sleep until tomorrow 7:20\nlist",
      end: [
        "+1d 00:25:00 up: rang, 20 min late: the machine slept, 2 expiries since Mon 23 Nov 07:00:00",
        "up\trunning\t23:40:00\tWed 25 Nov 07:00:00\tringing, due 07:00, 20 min late: the machine slept, 2 "
          + "expiries since Mon 07:00\tdaily 07:00",
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
      end: [
        "up\trunning\t23:40:00\tThu 26 Nov 07:00:00\trang Mon 07:00, unanswered; did not ring 2 times, "
          + "last due 07:00, 20 min late: the machine slept"
      ]),
    Script(
      testDescription: "with each, Tuesday's and Wednesday's ring, each with its own lateness",
      lines: snoozed("--missed each") + "sleep until Wed 7:20\nlist",
      end: [
        "+2d 00:25:00 up: rang, 1 d late: the machine slept",
        "+2d 00:25:00 up: rang, 20 min late: the machine slept",
        "up\trunning\t23:40:00\tThu 26 Nov 07:00:00\tringing, due 07:00, 20 min late: the machine slept, 3 "
          + "expiries since Mon 07:00",
      ]),
    Script(
      testDescription: "with once, Wednesday's stands for Tuesday's",
      lines: snoozed("") + "sleep until Wed 7:20",
      end: ["+2d 00:25:00 up: rang, 20 min late: the machine slept, and stands for 1 more"]),
    Script(
      testDescription: "a snooze that alone was slept over is judged by its own lateness",
      lines: snoozed("--late 1h") + "sleep until 9:00\nlist\nshow up",
      end: [
        "+2:05:00 up: did not ring at the end of the snooze, 1 h 49 min late: the machine slept",
        "up\trunning\t22:00:00\tTue 24 Nov 07:00:00\trang 07:00, unanswered\tdaily 07:00",
        "Rang:      07:00:00, 2 h ago",
      ]),
    Script(
      testDescription: "an expiry that did not ring is shown apart from the ring before it",
      lines: "wait 1h\nalarm c daily 8:00 --late 1min\nwait 10min\nsleep until tomorrow 8:05\nlist",
      end: [
        "+1d 01:10:00 c: did not ring, 5 min late: the machine slept",
        "c\trunning\t23:55:00\tWed 25 Nov 08:00:00\trang Mon 08:00, unanswered; did not ring, due 08:00, 5 "
          + "min late: the machine slept\tdaily 08:00",
      ]),
    Script(
      testDescription: "expiries before the end of a snooze are silent",
      lines: "start r 10min --repeat\nwait 11min\nsnooze r 25min\nwait 30min",
      end: [
        "+0:20:00 r: expired, and joined the snoozed ring",
        "+0:30:00 r: expired, and joined the snoozed ring",
        "+0:36:00 r: the snooze is over, and it rang, 3 expiries since 07:05:00",
        "+0:40:00 r: rang, 4 expiries since 07:05:00",
      ]),
    Script(
      testDescription: "with each, they are silent, too, if the snooze was slept over",
      lines: "start r 10min --repeat --missed each\nwait 11min\nsnooze r 25min\nsleep 27min",
      end: [
        "+0:38:00 r: the snooze is over, and it rang, 2 min late: the machine slept, 3 expiries since 07:05:00"
      ]),
    Script(
      testDescription: "a skipped expiry does not join the ring",
      lines: "start r 10min --repeat\nwait 11min\nsnooze r 25min\nskip r\nwait 30min",
      end: [
        "+0:36:00 r: the snooze is over, and it rang, 2 expiries since 07:05:00",
        "+0:40:00 r: rang, 3 expiries since 07:05:00",
      ]),
    Script(
      testDescription: "stop ends a ring, and without a ring the timer",
      lines: "start r 1h --repeat\nwait 61min\nlist\nstop r\nlist\nstop r\nlist",
      end: [
        "r\trunning\t59:00\t08:55:00\trang 07:55, unanswered\tevery 1 h",
        "+1:01:00 r: the ring was stopped", "r\trunning\t59:00\t08:55:00\t\tevery 1 h",
        "+1:01:00 r: cancelled, 59:00 left", "r\tcancelled\t\t\t\tevery 1 h",
      ]),
    Script(
      testDescription: "one stop reaches each timer once",
      lines: "start p/a 1h --repeat\nwait 61min\nstop p/a p/…\nlist",
      end: ["+1:01:00 p/a: the ring was stopped", "p/a\trunning\t59:00"]),
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
        "+0:05:00 tea: snoozed for 10 min", "tea\tover\t10:00\t\tsnoozed until 07:10",
        "+0:15:00 tea: the snooze is over, and it rang",
      ]),
    Script(
      testDescription: "a pause changes nothing about a ring",
      lines:
        "alarm a daily 7:00 --insist 5min\nwait 6min\npause a\nwait 30min\nresume a\nwait 1min",
      end: [
        "+0:05:00 a: rang", "+0:20:00 a: rang again, for the second time",
        "+0:35:00 a: rang again, for the third time", "+0:36:00 a: resumed",
      ]),
    Script(
      testDescription: "the next step ends the ring of the step before it",
      lines: """
        sequence s work=25min rest=5min --wait
        wait 26min
        snooze s 5min
        wait 1min
        advance s
        wait 6min
        """,
      end: ["+0:27:00 s: continued with rest", "+0:32:00 s: rang"]),
    Script(
      testDescription: "a snooze and a clock that is set forward and back",
      lines: "alarm a daily 7:00\nwait 10min\nsnooze a 5min\nstep +1d\nstep -1d\nwait 1d",
      end: ["+0:15:00 a: the snooze is over, and it rang", "+1d 00:05:00 a: rang"]),
    Script(
      testDescription: "an undo brings a snooze back",
      lines: """
        start tea 4min
        wait 5min
        snooze tea 5min
        stop tea
        undo
        wait 5min
        """,
      end: ["tea is back: snoozed until 07:05", "+0:10:00 tea: the snooze is over, and it rang"]),
    Script(
      testDescription: "a snoozed timer that is over can be dismissed",
      lines: "start tea 4min\nwait 5min\nsnooze tea 5min\ndismiss tea\nwait 10min\nlist",
      end: ["+0:05:00 tea: the ring was dismissed"]),
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
