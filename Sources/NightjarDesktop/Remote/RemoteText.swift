internal import NightjarModel
internal import NightjarSystem
internal import NightjarTime

/// The text of a popup about a ring of another machine's timer.
struct RemoteText {
  /// The ring, with texts that are safe to show.
  let ring: RemoteRing
  /// When this machine began to ring for it, on CLOCK_REALTIME.
  let begunUsec: Int64
  /// The ring has lasted its full time without an answer.
  let isOver: Bool
  let snoozeUsec: Int64
  /// The wall clock's time at a moment, such as `09:30`.
  let wallTime: (_ usec: Int64) -> String

  /// A ring that is later than this, in microseconds, is called late. The limit is above the 5 s
  /// for which this machine waits for the other machine's report.
  private static let lateUsec: Int64 = 10_000_000
  /// Within this time, in microseconds, a moment is given as a time of day, otherwise as an age.
  private static let dayUsec: Int64 = 86_400_000_000
  /// The most machines that the title of a digest names.
  private static let named = 3

  func notice(sound: Notice.Sound) -> Notice {
    let stop = "Stop"
    return PopupText.notice(
      ring.message.isEmpty ? ring.name : ring.message, lines: lines, isLate: late != nil,
      actions: [.init("default", stop), PopupText.snooze(byUsec: snoozeUsec), .init("stop", stop)],
      sound: sound)
  }

  private var lines: [String] {
    [
      ring.message.isEmpty ? nil : ring.name, isOver ? PopupText.unansweredLine : nil, reason,
      late.map { "\($0)." }, further,
    ]
    .compactMap { $0 }
  }

  // MARK: Why, and how late

  private var reason: String {
    switch ring.reason {
    case .asleep(let usec): "For \(ring.device), which \(state("asleep", sinceUsec: usec))."
    case .offline(let usec): "For \(ring.device), which \(state("offline", sinceUsec: usec))."
    case .silent: "For \(ring.device), which did not say that it rang."
    case .elsewhere: "\(ring.device) rings, and may not be noticed there."
    }
  }

  private func state(_ word: String, sinceUsec: Int64?) -> String {
    guard let sinceUsec, let usec = elapsedUsec(since: sinceUsec) else { return "is \(word)" }
    let since =
      usec < Self.dayUsec
      ? "since \(wallTime(sinceUsec))" : "for \(SpanFormat.people(usec: usec, units: 1))"
    return "has been \(word) \(since)"
  }

  private var late: String? {
    guard let usec = elapsedUsec(since: ring.dueUsec), usec > Self.lateUsec else { return nil }
    return LateText.late(usec: usec, cause: nil)
  }

  /// The timer's next rings wait for its machine, unless that machine is there.
  private var further: String? {
    guard ring.continues, ring.reason != .elsewhere else { return nil }
    return "Its next rings wait until \(ring.device) is back."
  }

  /// The time from a moment to the ring, in microseconds; nil if the moment is later, which is
  /// possible because two machines have two clocks.
  private func elapsedUsec(since usec: Int64) -> Int64? {
    let (difference, isOverflow) = begunUsec.subtractingReportingOverflow(usec)
    return isOverflow || difference < 0 ? nil : difference
  }

  // MARK: Digest

  /// Several rings in one popup, in their order. O(all).
  static func digest(_ all: [RemoteText], sound: Notice.Sound) -> Notice {
    var devices: [String] = []
    for text in all where !devices.contains(text.ring.device) { devices.append(text.ring.device) }
    let lines = all.prefix(Digest.named).map { $0.line(namesDevice: devices.count > 1) }
    return Digest.notice(
      "\(Digest.timers(all.count)) of \(list(devices)) \(all.count == 1 ? "rings" : "ring")",
      lines: lines, of: all.count, sound: sound)
  }

  private func line(namesDevice: Bool) -> String {
    Digest.line(
      namesDevice ? "\(ring.name) (\(ring.device))" : ring.name, message: ring.message, late: late,
      isMissed: isOver)
  }

  /// `laptop`, `laptop and desktop`, `a, b and c`, `5 machines`.
  private static func list(_ devices: [String]) -> String {
    guard devices.count <= named else { return "\(devices.count) machines" }
    guard let last = devices.last, devices.count > 1 else { return devices.first ?? "" }
    return "\(devices.dropLast().joined(separator: ", ")) and \(last)"
  }
}
