import NightjarClient
import NightjarTime
import Varlink
import nightjar

/// An event of the machine that a rehearsal shows besides the events of the ledger.
enum MachineAction: Equatable {
  case sleeps(usec: Int64)
  /// A timer has ended the sleep.
  case woke(afterUsec: Int64)
  case stops(usec: Int64)
  case ends(usec: Int64)
  case crashes(usec: Int64)
  case freezes(usec: Int64)
  case reboots(usec: Int64, errorUsec: Int64)
  case synchronizes
  case locks
  case unlocks

  init(_ hiding: Hiding, usec: Int64) {
    switch hiding {
    case .sleep: self = .sleeps(usec: usec)
    case .stop: self = .stops(usec: usec)
    case .down: self = .ends(usec: usec)
    case .crash: self = .crashes(usec: usec)
    case .freeze: self = .freezes(usec: usec)
    case .reboot(let error): self = .reboots(usec: usec, errorUsec: error)
    }
  }

  var sentence: String {
    switch self {
    case .sleeps(let usec): "the machine goes to sleep for \(Self.text(usec))"
    case .woke(let usec):
      "a timer wakes the machine after \(SpanFormat.text(usec: usec, units: 2)), and it stays awake"
    case .stops(let usec): "SIGTSTP stops the daemon for \(Self.text(usec))"
    case .ends(let usec): "the daemon is ended, and started again after \(Self.text(usec))"
    case .crashes(let usec): "the daemon is killed, and started again after \(Self.text(usec))"
    case .freezes(let usec): "everything stands still for \(Self.text(usec))"
    case .reboots(let usec, let error):
      "the machine is rebooted, which takes "
        + "\(Self.text(usec))\(Self.clock(error))"
    case .synchronizes: "the network sets the clock right"
    case .locks: "the screen is locked"
    case .unlocks: "the screen is unlocked"
    }
  }

  var json: JSONValue {
    switch self {
    case .sleeps(let usec): Self.json("sleep", usec)
    case .woke(let usec): Self.json("wake", usec)
    case .stops(let usec): Self.json("stop", usec)
    case .ends(let usec): Self.json("down", usec)
    case .crashes(let usec): Self.json("crash", usec)
    case .freezes(let usec): Self.json("freeze", usec)
    case .reboots(let usec, let error): Self.json("reboot", usec, errorUsec: error)
    case .synchronizes: Self.json("synchronize", nil)
    case .locks: Self.json("lock", nil)
    case .unlocks: Self.json("unlock", nil)
    }
  }

  private static func text(_ usec: Int64) -> String { SpanFormat.text(usec: usec) }

  private static func clock(_ errorUsec: Int64) -> String {
    guard errorUsec != 0 else { return "" }
    let direction = errorUsec < 0 ? "behind" : "ahead"
    return "; its clock comes back \(text(Int64(clamping: errorUsec.magnitude))) \(direction)"
  }

  private static func json(_ does: String, _ usec: Int64?, errorUsec: Int64 = 0) -> JSONValue {
    .members([
      ("does", .string(does)), ("usec", usec.map(JSONValue.integer)),
      ("error_usec", errorUsec == 0 ? nil : .integer(errorUsec)),
    ])
  }
}
