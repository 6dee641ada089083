internal import NightjarConfig
internal import NightjarDesktop
internal import NightjarEngine
internal import NightjarLedger
internal import NightjarModel
internal import NightjarParameters
internal import NightjarStore
internal import Varlink

/// The keys of `[daemon]` and `[clock]` in the configuration file. A key that is missing in the
/// file has its built-in value.
struct DaemonSettings: Equatable {
  /// How long the ledger keeps events: `retention_days` and `retention_events`.
  var retention = Retention()
  /// The policies of a timer that is started without a policy: `late` and `missed`.
  var specs = SpecDefaults()
  /// The most timers, counted in all states.
  var maximumTimers = Limits.timers
  /// How the user sees and hears a ring: `notify`, `sound`, `ring_for`, `volume`, `rising`,
  /// `insist`, `disturb` and `snooze`.
  var desktop = DesktopSettings()
  /// `wait` of `[clock]`, in microseconds: how long after its start the daemon waits for a trusted
  /// clock. During that time no timer rings that is due only according to the untrusted
  /// clock.
  var clockWaitUsec = Background.clockWaitUsec

  init() {}

  init(_ file: ConfigFile) throws(ConfigError) {
    try self.init(file.table(.daemon))
    var clock = file.table(.clock)
    if let usec = try clock.usec("wait", from: 0) { clockWaitUsec = usec }
    try clock.finish()
  }

  private init(_ table: consuming ConfigTable) throws(ConfigError) {
    let dayUsec: Int64 = 86_400_000_000
    if let days = try table.integer("retention_days", in: 1...36_525) {
      retention.ageUsec = days * dayUsec
    }
    if let events = try table.integer("retention_events", in: 1...1_000_000_000) {
      retention.events = events
    }
    try specs.read(&table)
    if let count = try table.integer("maximum_timers", in: 1...Int64(Limits.timers)) {
      maximumTimers = Int(count)
    }
    try desktop.read(&table)
    try table.finish()
  }
}
