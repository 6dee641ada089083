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
    #expect(settings.retention.ageUsec == 90 * 86_400 * second)
    #expect(settings.retention.events == 1_000_000)
    #expect(settings.specs.late == .fire && settings.specs.missed == .once)
    #expect(settings.maximumTimers == Limits.timers)
    let desktop = settings.desktop
    #expect(desktop.notifies && desktop.sound == .usual && desktop.snoozeUsec == 300 * second)
  }

  @Test func `A setting that is given applies`() throws {
    let settings = try settings(
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
    #expect(settings.retention.ageUsec == 7 * 86_400 * second)
    #expect(settings.retention.events == 1000)
    #expect(settings.specs.late == .fireWithin(usec: 600 * second))
    #expect(settings.specs.missed == .each)
    #expect(settings.maximumTimers == 50)
    #expect(!settings.desktop.notifies && settings.desktop.snoozeUsec == 600 * second)
    #expect(settings.desktop.sound == .file("/usr/share/sounds/bell.oga"))
    #expect(try self.settings("sound = false").desktop.sound == .none)
    #expect(try self.settings("sound = true").desktop.sound == .usual)
    #expect(try self.settings("late = \"skip\"").specs.late == .skip)
    #expect(try self.settings("late = 0").specs.late == .fireWithin(usec: 0))
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
    #expect(try wait("") == 60 * second)
    #expect(try wait("[clock]\nwait = 0\n") == 0)
    #expect(try wait("[clock]\nwait = \"2min\"\n") == 120 * second)
    #expect(throws: ConfigError.self) { try wait("[clock]\nwait = -1\n") }
    #expect(throws: ConfigError.self) { try wait("[clock]\nwaits = 1\n") }
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
