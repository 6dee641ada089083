import Foundation
import NightjarClient
import NightjarTestSupport
import Varlink

/// The clocks and the timers of the guest's daemon, read one right after the other.
struct GuestReading {
  let status: Wire.Status.Reply
  let timers: [Wire.Timer]

  var clocks: Wire.ClockReading { status.clocks }

  /// How long the machine has slept since its boot.
  var sleptUsec: Int64 { clocks.boottimeUsec - clocks.monotonicUsec }

  /// A timer, which must exist.
  func timer(_ name: String) throws -> Wire.Timer {
    guard let timer = timers.first(where: { $0.name == name }) else {
      throw Unmet(description: "there is no timer \(name); there are \(timers.map(\.name))")
    }
    return timer
  }
}

extension Guest {
  func reading() throws -> GuestReading {
    let lines = try user("nightjar status --json && nightjar list --json").split(separator: "\n")
    guard lines.count > 1 else { throw Unmet(description: "no timers were listed: \(lines)") }
    let pages = try lines.dropFirst().map { try JSONValue.parse(String($0)) }
    return GuestReading(
      status: try Wire.Status.Reply(try JSONValue.parse(String(lines[0]))),
      timers: try pages.flatMap { $0["timers"]?.arrayValue ?? [] }.map { try Wire.Timer($0) })
  }

  /// The ledger's events after `after`. Events that the daemon causes itself may be published
  /// before their commit, and the ledger shows only committed ones; a change is acknowledged only
  /// when it and everything before it is on disk.
  func events(after: Int64) throws -> [Wire.Event] {
    let settling = "nightjar start settled 1h >/dev/null && nightjar remove settled >/dev/null"
    let events = try user("\(settling) && nightjar events --json --after \(after)")
    return try events.split(separator: "\n").map {
      let json = try JSONValue.parse(String($0))
      return try Wire.Event(json["event"] ?? json)
    }
  }

  /// Waits until the ledger has such an event after `after`.
  func awaitEvent(_ type: String, after: Int64, within seconds: Int = 30) throws {
    try user(
      """
      exec 4< <(exec nightjar events --follow --json --after \(after) 2>&1)
      stream=$!
      timeout \(seconds) grep -q -m1 '"type":"\(type)"' <&4
      code=$?
      kill $stream
      exit $code
      """, within: Double(seconds) + 30)
  }
}

// MARK: - Report

/// Prints the changes of each clock and of each timer side by side.
func report(_ title: String, from before: GuestReading, to after: GuestReading) {
  var lines = ["", title]
  let isSameBoot = before.clocks.bootId == after.clocks.bootId
  for (name, reading) in GuestReading.readings {
    let (from, to) = (reading(before), reading(after))
    let change =
      isSameBoot || name == "REALTIME" ? seconds(to - from, signed: true) : "another boot"
    lines.append("  \(pad(name, 11)) \(seconds(from)) → \(seconds(to))   \(change)")
  }
  if isSameBoot {
    lines.append("  \(pad("asleep", 11)) \(seconds(after.sleptUsec - before.sleptUsec))")
  }
  if let span = after.status.lastSpan, span != before.status.lastSpan {
    let kind = span.estimated ? ", estimated" : ""
    lines.append("  span        \(seconds(span.elapsedUsec)), \(span.causes)\(kind)")
  }
  for timer in after.timers {
    let known = before.timers.first { $0.id == timer.id }
    let from = known.map { seconds($0.remainingUsec) } ?? "?"
    let change = known.map { seconds(timer.remainingUsec - $0.remainingUsec, signed: true) } ?? ""
    var line = "  \(pad(timer.name, 11)) \(pad(timer.clock.rawValue, 8))"
    line += "\(pad(timer.state.rawValue, 8)) remaining \(from) → "
    line += "\(seconds(timer.remainingUsec))   \(change)"
    if let ring = timer.openRing {
      line += "   rang at \(seconds(ring.rangUsec)), late by \(seconds(ring.lateUsec))"
      line += ", cause \(ring.lateCause ?? "none")"
    }
    lines.append(line)
  }
  print(lines.joined(separator: "\n"))
}

extension GuestReading {
  fileprivate static let readings: [(String, @Sendable (GuestReading) -> Int64)] = [
    ("REALTIME", { $0.clocks.realtimeUsec }), ("BOOTTIME", { $0.clocks.boottimeUsec }),
    ("MONOTONIC", { $0.clocks.monotonicUsec }),
  ]
}

/// Microseconds as seconds, to the millisecond.
func seconds(_ usec: Int64, signed: Bool = false) -> String {
  String(format: signed ? "%+.3f s" : "%.3f s", Double(usec) / 1e6)
}

private func pad(_ text: String, _ width: Int) -> String {
  text.padding(toLength: max(width, text.count), withPad: " ", startingAt: 0)
}
