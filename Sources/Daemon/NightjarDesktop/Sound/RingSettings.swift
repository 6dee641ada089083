package import NightjarConfig
internal import NightjarEngine
internal import NightjarModel
internal import NightjarTime

/// How long, how loud and how often a ring sounds if its timer does not specify this.
package struct RingSettings: Equatable {
  /// How long the sound of a ring is repeated, in microseconds, by the kind of timer; 0: it sounds
  /// once.
  private var forUsec: [TimerKind: Int64] = [
    .alarm: 600_000_000, .countdown: 60_000_000, .sequence: 60_000_000,
  ]
  /// The volume of rings, within `Limits.volume`.
  private(set) var volume = Limits.volume.upperBound
  /// How long a ring takes to rise from quiet to `volume`, in microseconds.
  private(set) var risingUsec: Int64 = 20_000_000
  /// How long after the end of an unanswered ring the timer rings again, in microseconds; 0: it
  /// does not ring again.
  private(set) var insistUsec: Int64 = 0
  /// The kinds of timers whose rings sound even while the user has paused the notification server.
  private var disturbing: Set<TimerKind> = [.alarm]

  package init() {}

  /// How long the sound of a ring is repeated, in microseconds; 0: it sounds once.
  func forUsec(of kind: TimerKind) -> Int64 { forUsec[kind] ?? 0 }

  /// Whether the rings of a kind of timers sound while the user has paused the notification server.
  func disturbs(_ kind: TimerKind) -> Bool { disturbing.contains(kind) }
}

// MARK: - In the configuration

extension RingSettings {
  /// The kinds of timers that can ring, with their names in the interface.
  private static let kinds: [(key: String, kind: TimerKind)] = [
    ("alarm", .alarm), ("countdown", .countdown), ("sequence", .sequence),
  ]

  /// Reads `ring_for`, `volume`, `rising`, `insist` and `disturb` from a table. If a key is
  /// missing, its property does not change.
  package mutating func read(_ table: inout ConfigTable) throws(ConfigError) {
    if let node = table.node("ring_for") {
      if case .table = node.value {
        var each = try table.table(of: node, title: "'ring_for' of \(table.title)")
        for (key, kind) in Self.kinds {
          if let usec = try each.node(key).map({ (node) throws(ConfigError) in
            try Self.usec(of: node, in: each)
          }) {
            forUsec[kind] = usec
          }
        }
        try each.finish()
      } else {
        let usec = try Self.usec(of: node, in: table)
        for (_, kind) in Self.kinds { forUsec[kind] = usec }
      }
    }
    if let volume = try table.integer("volume", in: Limits.volume) { self.volume = volume }
    if let node = table.node("rising") { risingUsec = try Self.usec(of: node, in: table) }
    if let node = table.node("insist") {
      let usec = try table.usec(of: node, from: 0)
      guard usec == 0 || Limits.insistUsec.contains(usec) else {
        let least = SpanFormat.text(usec: Limits.insistUsec.lowerBound)
        let most = SpanFormat.text(usec: Limits.insistUsec.upperBound)
        throw table.error(
          at: node, "'insist' must be from \(least) to \(most), or 0 for not at all")
      }
      insistUsec = usec
    }
    if let node = table.node("disturb") { disturbing = try Self.kinds(of: node, in: table) }
  }

  private static func usec(
    of node: ConfigNode, in table: ConfigTable
  ) throws(ConfigError) -> Int64 {
    let usec = try table.usec(of: node, from: 0)
    guard usec <= Limits.ringUsec else {
      let longest = SpanFormat.text(usec: Limits.ringUsec)
      throw table.error(at: node, "'\(node.key)' is at most \(longest)")
    }
    return usec
  }

  /// Reads a set of kinds: a list such as `["alarm"]`, or true for all kinds, or false for none.
  private static func kinds(
    of node: ConfigNode, in table: ConfigTable
  ) throws(ConfigError) -> Set<TimerKind> {
    switch node.value {
    case .boolean(let all): return all ? Set(kinds.map(\.kind)) : []
    case .array(let elements):
      let words = kinds.map(\.key)
      return Set(
        try elements.map { (element) throws(ConfigError) in
          let word = try table.word(of: element, among: words)
          return kinds[words.firstIndex(of: word) ?? 0].kind
        })
    case .string, .integer, .float, .date, .table:
      throw table.error(
        at: node, expected: "an array of kinds such as [\"alarm\"], or true or false")
    }
  }
}
