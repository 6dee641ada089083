internal import NightjarModel
internal import NightjarSystem
internal import NightjarTime

/// The text of a popup about a ring of another machine's timer.
struct RemoteText {
  /// The ring, with texts that are safe to show.
  let ring: RemoteRing
  /// When this machine began to ring for it, on CLOCK_REALTIME.
  let begunUsec: Int64
  /// Whether the time of the ring has passed without an answer.
  let isOver: Bool
  let snoozeUsec: Int64
  /// Returns an instant as a local time of day, such as `09:30`.
  let wallTime: (_ usec: Int64) -> String

  /// The popup calls a ring late if the ring is later than this, in microseconds. The limit is more
  /// than the 5 s for which this machine waits for the other machine's report.
  private static let lateUsec: Int64 = 10_000_000
  /// An instant within this time, in microseconds, is shown as a time of day. An older instant is
  /// shown as an age.
  private static let dayUsec: Int64 = 86_400_000_000
  /// The most machines that the title of a digest names.
  private static let named = 3

  func notice(sound: Notice.Sound) -> Notice {
    PopupText.notice(
      ring.message.isEmpty ? ring.name : ring.message, lines: lines, isLate: late != nil,
      actions: PopupText.dismissal([PopupText.snooze(byUsec: snoozeUsec)]), sound: sound)
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
    case .noDaemon: "For \(ring.device), whose daemon does not answer."
    case .silent: "For \(ring.device), which did not say that it rang."
    case .elsewhere: "\(ring.device) rings, and may not be noticed there."
    }
  }

  private func state(_ word: String, sinceUsec: Int64?) -> String {
    guard let sinceUsec, let usec = elapsedUsec(since: sinceUsec) else { return "is \(word)" }
    let since =
      usec < Self.dayUsec
      ? "since \(wallTime(sinceUsec))" : "for \(SpanFormat.text(usec: usec, units: 1))"
    return "has been \(word) \(since)"
  }

  private var late: String? {
    guard let usec = elapsedUsec(since: ring.dueUsec), usec > Self.lateUsec else { return nil }
    return LateText.late(usec: usec, cause: nil)
  }

  /// A sentence about later rings of the timer: they wait for the timer's machine. Nil if that
  /// machine is online or the timer has no later rings.
  private var further: String? {
    guard ring.continues, ring.reason != .elsewhere else { return nil }
    return "Its next rings wait until \(ring.device) is back."
  }

  /// The time from an instant to the ring, in microseconds. Nil if the instant is later than the
  /// ring: two machines have two clocks, so this is possible.
  private func elapsedUsec(since usec: Int64) -> Int64? {
    let (difference, isOverflow) = begunUsec.subtractingReportingOverflow(usec)
    return isOverflow || difference < 0 ? nil : difference
  }

  // MARK: Digest

  /// A popup about several rings, in the order in which they began. O(all).
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

  /// The names of machines as a part of a sentence: `laptop`, `laptop and desktop`, `a, b and c`,
  /// `5 machines`.
  private static func list(_ devices: [String]) -> String {
    guard devices.count <= named else { return "\(devices.count) machines" }
    guard let last = devices.last, devices.count > 1 else { return devices.first ?? "" }
    return "\(devices.dropLast().joined(separator: ", ")) and \(last)"
  }
}
