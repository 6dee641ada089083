import NightjarConfig
import NightjarDesktop
import NightjarLedger
import NightjarModel
import NightjarParameters
import NightjarService
import NightjarStore
import NightjarTestSupport
import Testing
import Varlink

@testable import NightjarDaemon

/// The keys of `[daemon]`.
@Suite(.blocking) struct SettingsTests {
  private func settings(_ lines: String) throws -> DaemonSettings {
    let file = try ConfigFile(path: "c", bytes: Array("[daemon]\n\(lines)\n".utf8))
    return try DaemonSettings(file)
  }

  @Test func `A setting that is not given has its built-in value`() throws {
    let settings = try settings("")
    #expect(settings == DaemonSettings())
    let (retention, desktop) = (settings.retention, settings.desktop)
    #expect(retention.ageUsec == 90 * 86_400 * second && retention.events == 1_000_000)
    #expect(settings.specs == SpecDefaults(late: .fire, missed: .once))
    #expect(settings.maximumTimers == Limits.timers)
    #expect(desktop.notifies && desktop.sound == .usual && desktop.snoozeUsec == 300 * second)
  }

  @Test func `A setting that is given applies`() throws {
    var expected = DaemonSettings()
    (expected.retention.ageUsec, expected.retention.events) = (7 * 86_400 * second, 1000)
    expected.specs = SpecDefaults(late: .fireWithin(usec: 600 * second), missed: .each)
    expected.maximumTimers = 50
    (expected.desktop.notifies, expected.desktop.snoozeUsec) = (false, 600 * second)
    expected.desktop.sound = .file("/usr/share/sounds/bell.oga")
    let given = try settings(
      """
      retention_days = 7
      retention_events = 1000
      late = "10min"
      missed = "each"
      maximum_timers = 50
      notify = false
      sound = "/usr/share/sounds/bell.oga"
      snooze = "10min"
      """)
    #expect(given == expected)
    let sounds = try [false, true].map { try settings("sound = \($0)").desktop.sound }
    #expect(sounds == [RingSound.none, .usual])
    let lates = try ["\"skip\"", "0"].map { try settings("late = \($0)").specs.late }
    #expect(lates == [.skip, .fireWithin(usec: 0)])
  }

  @Test func `The example on its manual page is understood`() throws {
    let file = try ConfigFile(
      path: "nightjar.toml.5", bytes: Array(try Documentation.configuration().utf8))
    #expect(try DaemonSettings(file) != DaemonSettings())
  }

  @Test func `The time that timers wait for an unsynchronized clock is a key of [clock]`() throws {
    func wait(_ text: String) throws -> Int64 {
      try DaemonSettings(ConfigFile(path: "c", bytes: Array(text.utf8))).clockWaitUsec
    }
    let given = try ["", "[clock]\nwait = 0\n", "[clock]\nwait = \"2min\"\n"].map(wait)
    #expect(given == [60 * second, 0, 120 * second])
    for wrong in ["wait = -1", "waits = 1"] {
      #expect(throws: ConfigError.self) { try wait("[clock]\n\(wrong)\n") }
    }
  }

  @Test func `The daemon ignores the tables of the command line`() throws {
    let file = try ConfigFile(path: "c", bytes: Array("[presets.tea]\nno_such_key = 1\n".utf8))
    #expect(try DaemonSettings(file) == DaemonSettings())
  }

  @Test(
    arguments: Row.table(
      #"""
      retention_day = 3 => [daemon] has no key 'retention_day'; did you mean 'retention_days'?
      presets = 3 => [daemon] has no key 'presets'; it can have retention_days, \#
      retention_events, late, missed, maximum_timers, notify, sound, ring_for, insist, volume, \#
      rising, disturb and snooze
      retention_days = 0 => 'retention_days' must be a whole number from 1 to 36525, not 0
      retention_events = "all" => 'retention_events' must be a whole number from 1 to \#
      1000000000, not a text
      maximum_timers = 4000001 => 'maximum_timers' must be a whole number from 1 to 4000000, not \#
      4000001
      late = "fier" => 'late' must be "fire", "skip" or a time span such as "10min", not "fier"; \#
      did you mean "fire"?
      notify = 1 => 'notify' must be true or false, not a whole number
      sound = 3 => 'sound' must be a sound, or false, not a whole number
      sound = "bell.oga" => 'sound' must be chime, marimba, pulse, or the path of a file from \#
      the root or from ~/, not "bell.oga"
      ring_for = "2h" => 'ring_for' is at most 1 h
      ring_for = { alarn = 5 } => 'ring_for' of [daemon] has no key 'alarn'; did you mean 'alarm'?
      volume = 0 => 'volume' must be a whole number from 1 to 100, not 0
      insist = "10ms" => 'insist' must be from 1 s to 1 d, or 0 for not at all
      disturb = ["alarms"] => 'disturb' must be "alarm", "countdown" or "sequence", not \#
      "alarms"; did you mean "alarm"?
      disturb = 1 => 'disturb' must be an array of kinds such as ["alarm"], or true or false, \#
      not a whole number
      snooze = "1ms" => 'snooze' must be from 1 s to 100 years, not "1ms"
      missed = "all" => 'missed' must be "once", "each" or "skip", not "all"
      """#))
  func `A wrong key or value is reported with its line, and what would be right`(row: Row) throws {
    let error = #expect(throws: ConfigError.self) { try settings(row[0]) }
    #expect(error.map { "\($0)" } == "c, line 2: \(row[1])")
  }
}
