import NightjarWire

/// What a table `[presets.NAME]` says about a timer. Nothing has to be said: what is nil, or empty,
/// is left to the command line and then to the daemon.
struct Preset: Equatable {
  /// What a timer is called that it is for, and it itself.
  var name: String
  /// Of a countdown, in microseconds.
  var durationUsec: Int64?
  /// Of a countdown, or an alarm: how often it rings; 0: without end; nil: once, or as its time
  /// says.
  var repeatRounds: Int64?
  /// A point in time or a calendar expression.
  var alarm: Alarm?
  /// It counts up.
  var isStopwatch = false
  /// Its steps.
  var sequence: Sequence?
  /// Which time it counts.
  var clock: TimersInterface.Clock?
  /// The one with the most time remaining first.
  var bands: [Band] = []
  /// What becomes of what came due unseen.
  var late: Late?
  /// What becomes of what came due several times unseen.
  var missed: TimersInterface.Missed?
  /// Wake the machine for it.
  var wake: Bool?
  /// In the order of the lines.
  var labels: [Label] = []
  /// An object.
  var data: JSONValue?
  /// What it does beside saying that it rings; nil: nothing.
  var ring: RingWords?
  /// Start anew over a timer of that name.
  var replace: Bool?
  /// Leave a timer of that name.
  var ifAbsent: Bool?

  init(name: String) { self.name = name }

  /// When an alarm rings, as it is written; it has been understood once.
  struct Alarm: Equatable {
    var time: String
    /// Of the zone database.
    var zone: String?
  }

  struct Sequence: Equatable {
    var steps: [Step]
    /// How often they are gone through; 0: without end; nil: once.
    var rounds: Int64?
    var longEvery: Int64?
    var afterSleep: TimersInterface.AfterSleep?
  }

  struct Step: Equatable {
    var name: String
    var durationUsec: Int64
    var waits = false
    /// Nil: as its name says.
    var isBreak: Bool?
    var longUsec: Int64?
  }

  struct Band: Equatable {
    var name: String
    var remainingUsec: Int64
    var color: String?
    var text: String?
    var progress: Progress?

    /// From 0 to 1.
    struct Progress: Equatable {
      var from: Double
      var to: Double
    }
  }

  enum Late: Equatable {
    case fire
    case skip
    case fireWithin(usec: Int64)
  }

  struct Label: Equatable {
    var key: String
    var value: String
  }
}
