import Foundation
import NightjarTestSupport
import NightjarWire
import Testing

/// A rehearsal with what its user has: timers, presets, the daemon's defaults.
@Suite struct OwnTimersTests {
  private static let entries: [FakeTimers.Entry] = [
    .init(name: "tea", remainingUsec: 180_000_000, id: 11),
    .init(
      name: "nap", clock: "awake", durationUsec: 600_000_000, remainingUsec: 300_000_000, id: 12),
    .init(name: "held", state: "paused", remainingUsec: 60_000_000, id: 13),
    .init(
      name: "egg", state: "fired", remainingUsec: 0, firedAgoUsec: 120_000_000,
      lateUsec: 7_200_000_000, lateCause: "sleep", id: 14),
    .init(name: "old", state: "cancelled", remainingUsec: 60_000_000, id: 15),
    .init(
      name: "exam", durationUsec: 600_000_000, remainingUsec: 600_000_000,
      labels: ["room": "4"], id: 16,
      more: [
        "late": "skip", "bands": [["name": "soon", "remaining_usec": 120_000_000]],
      ]),
    .init(
      name: "pomodoro", durationUsec: 300_000_000, remainingUsec: 240_000_000, id: 17,
      kind: "sequence",
      more: [
        "after_sleep": "continue",
        "step": [
          "number": 2, "name": "rest", "break": true, "waits": false, "index": 2, "steps": 3,
          "round": 1, "rounds": 2, "next_name": "talk", "next_duration_usec": 60_000_000,
        ],
        "steps": [
          ["name": "work", "duration_usec": 1_500_000_000],
          ["name": "rest", "duration_usec": 300_000_000, "break": true],
          ["name": "talk", "duration_usec": 60_000_000],
        ],
      ]),
    .init(
      name: "stretch", durationUsec: 2_700_000_000, remainingUsec: 900_000_000, id: 18,
      more: [
        "repeat": ["rung": 3, "period_usec": 2_700_000_000, "rounds": 5, "snoozed": false]
      ]),
    .init(
      name: "run", durationUsec: 0, remainingUsec: -5_000_000, id: 19, kind: "stopwatch",
      more: ["laps": [2_000_000]]),
  ]

  private func fixture(_ entries: [FakeTimers.Entry] = entries) throws -> Fixture {
    try Fixture(entries) { request, nowUsec in
      request.method == "Status" ? [.reply(Samples.status(nowUsec: nowUsec))] : nil
    }
  }

  private func rehearse(
    _ script: String, _ fixture: Fixture, _ arguments: String...
  ) throws -> CommandRunner.Result {
    let path = fixture.runner.folder.path + "/script"
    try Data(script.utf8).write(to: URL(fileURLWithPath: path))
    return try fixture.runner.run(["rehearse", path] + arguments)
  }

  @Test("With --with-timers it begins with the daemon's timers as they are, and touches none")
  func adopts() throws {
    let fixture = try fixture()
    let result = try rehearse("list\ncrash 1s\n", fixture, "--with-timers")
    #expect(result.status == 0, "\(result)")
    // Both clocks have moved on since the fixture's noon, by as much.
    let table = try fixture.run("list")
    let rows = result.output.split(separator: "\n").prefix { !$0.contains("-- ") }
    let own = table.output.split(separator: "\n")
    #expect(
      rows.map { $0.split(separator: "\t").prefix(2) }
        == own.map { $0.split(separator: "\t").prefix(2) })
    #expect(Set(fixture.methods) == ["List", "Status"])
    // Behind a crash all of it was read back from the simulated disk.
    let after = result.output.split(separator: "\n").drop { !$0.contains("back in the") }
      .dropFirst()
    #expect(
      after.map { $0.split(separator: "\t").prefix(2) }
        == rows.map { $0.split(separator: "\t").prefix(2) })
  }

  @Test("They go on as they would: bands, policies, steps, rounds, what remains of each")
  func goesOn() throws {
    let fixture = try fixture()
    let result = try rehearse("sleep 200s\nresume held\nrun\n", fixture, "--with-timers", "--json")
    #expect(result.status == 0, "\(result)")
    let events = try result.output.split(separator: "\n").compactMap { line in
      try JSONValue.parse(String(line))["event"]
    }
    func happened(_ name: String) -> [String] {
      events.filter { $0["name"]?.stringValue == name }.map { event in
        let usec = (event["time_usec"]?.integerValue ?? 0) - fixture.noon.nowUsec
        let more = event["step_name"]?.stringValue ?? event["late_cause"]?.stringValue ?? ""
        return "\(event["type"]?.stringValue ?? "") \((usec + 500_000) / 1_000_000) \(more)"
      }
    }
    #expect(happened("tea").first?.hasSuffix(" sleep") == true)
    #expect(happened("exam").prefix(2) == ["band_crossed 480 ", "fired 600 "])
    #expect(happened("stretch").prefix(2) == ["fired 900 ", "fired 3600 "])
    #expect(
      happened("pomodoro").prefix(5) == [
        "stepped 240 talk", "stepped 300 work", "stepped 1800 rest", "stepped 2100 talk",
        "fired 2160 talk",
      ])
    // The time that was slept does not count.
    let nap = try #require(happened("nap").first)
    #expect(["fired 499 ", "fired 500 ", "fired 501 "].contains(nap))
    #expect(events.first { $0["name"] == "held" }?["type"] == "resumed")
    #expect(events.contains { $0["name"] == "egg" && $0["type"] == "expired" } == false)
  }

  @Test("A machine that the daemon cannot wake is not woken in a rehearsal with its timers")
  func wake() throws {
    let alarm = FakeTimers.Entry(
      name: "up", durationUsec: 600_000_000, remainingUsec: 600_000_000,
      more: ["wake": ["can": false, "reason": "never asked"]])
    let result = try rehearse("sleep 1h\n", try fixture([alarm]), "--with-timers")
    #expect(!result.output.contains("wakes the machine"))
    #expect(result.output.contains("late: the machine slept"))
  }

  @Test("The timers that there are begin now, so at is refused with them")
  func noBegin() throws {
    let result = try rehearse("at 2026-06-01 12:00\n", try fixture(), "--with-timers")
    #expect(result.status == 64)
    #expect(
      result.errors.hasPrefix(
        "nightjar: the timers that there are begin now: leave out --with-timers, or at in "))
  }

  @Test("Presets and the daemon's defaults count as they would; a timer's own word comes first")
  func configuration() throws {
    let script = try RehearsedScript()
    let folder = script.runner.folder.path + "/.config/nightjar"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(
      """
      [daemon]
      late = "skip"
      missed = "each"

      [presets.tea]
      duration = "4min"
      bands = ["1min=soon"]

      [presets.up]
      alarm = "13:00"
      """.utf8
    ).write(to: URL(fileURLWithPath: folder + "/config.toml"))
    let sentences = try script.sentences(
      """
      at 2026-06-01 12:30 UTC
      start tea
      start tea/plain 4min --late fire
      start up
      sleep 5min
      run
      """)
    #expect(
      sentences.filter { $0.first == "+" } == [
        "+0:00:00 tea: started: 4 min", "+0:00:00 tea/plain: started: 4 min",
        "+0:00:00 up: started an alarm for 13:00:00",
        "+0:00:00 -- the machine goes to sleep for 5 min",
        "+0:00:00 went into the background: the machine slept",
        "+0:05:00 back in the foreground after 5 min: the machine slept",
        "+0:05:00 expired in the background: tea, tea/plain",
        "+0:05:00 tea: expired in the background, and did not ring, 1 min late: the machine slept",
        "+0:05:00 tea/plain: rang, 1 min late: the machine slept", "+0:30:00 up: rang",
      ])
  }
}
