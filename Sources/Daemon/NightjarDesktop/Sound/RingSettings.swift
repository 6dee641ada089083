package import NightjarConfig
package import NightjarModel

/// How long, how loud and how often a ring sounds if its timer does not specify this.
package struct RingSettings: Equatable {
  /// How long and how often.
  package private(set) var usual = UsualRing()
  /// The volume of rings, within `Limits.volume`.
  private(set) var volume = Limits.volume.upperBound
  /// How long a ring takes to rise from quiet to `volume`, in microseconds.
  private(set) var risingUsec: Int64 = 20_000_000
  /// The kinds of timers whose rings sound even while the user has paused the notification server.
  private var disturbing: Set<TimerKind> = [.alarm]

  package init() {}

  /// How long the sound of a ring is repeated, in microseconds; 0: it sounds once.
  func forUsec(of kind: TimerKind) -> Int64 { usual.forUsec[kind] ?? 0 }

  /// Whether the rings of a kind of timers sound while the user has paused the notification server.
  func disturbs(_ kind: TimerKind) -> Bool { disturbing.contains(kind) }
}

// MARK: - In the configuration

extension RingSettings {
  /// Reads `ring_for`, `volume`, `rising`, `insist` and `disturb` from a table. If a key is
  /// missing, its property does not change.
  package mutating func read(_ table: inout ConfigTable) throws(ConfigError) {
    try usual.read(&table)
    if let volume = try table.integer("volume", in: Limits.volume) { self.volume = volume }
    if let node = table.node("rising") { risingUsec = try table.ringUsec(of: node) }
    if let node = table.node("disturb") { disturbing = try Self.kinds(of: node, in: table) }
  }

  /// Reads a set of kinds: a list such as `["alarm"]`, or true for all kinds, or false for none.
  private static func kinds(
    of node: ConfigNode, in table: ConfigTable
  ) throws(ConfigError) -> Set<TimerKind> {
    switch node.value {
    case .boolean(let all): return all ? Set(UsualRing.kinds) : []
    case .array(let elements):
      let words = UsualRing.kinds.map { "\($0.name)" }
      return Set(
        try elements.map { (element) throws(ConfigError) in
          let word = try table.word(of: element, among: words)
          return UsualRing.kinds[words.firstIndex(of: word) ?? 0]
        })
    case .string, .integer, .float, .date, .table:
      throw table.error(
        at: node, expected: "an array of kinds such as [\"alarm\"], or true or false")
    }
  }
}
