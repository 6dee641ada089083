/// Measures a queue of deadlines: insert, cancel and insert again, expire. Compares Nightjar's
/// queue with those of the libraries.
struct Queue {
  let setting: Setting

  private static let libraries = ["libev", "libevent", "libuv"]
  private static let works = [
    ("insert", "insert"), ("move", "cancel and insert"), ("expire", "expire"),
  ]

  func run() -> [Finding] {
    var ours: [[Double]] = [[], [], []]
    var theirs = [String: [[Double]]]()
    for round in 1...setting.rounds {
      setting.say("queues, round \(round)")
      for (work, nsec) in measure().enumerated() { ours[work].append(nsec) }
      for library in Self.libraries {
        let figures = required(
          try Command.output(["\(setting.peers)/queue-\(library)", "\(setting.timers)"])
        ).split { $0 == " " || $0 == "\n" }.compactMap { Double($0) }
        guard figures.count == 3 else { fail("queue-\(library) failed") }
        for (work, nsec) in figures.enumerated() {
          theirs[library, default: [[], [], []]][work].append(nsec)
        }
      }
    }
    return Self.works.enumerated().map { work, names in
      let best = Self.libraries.min {
        (theirs[$0]?[work] ?? []).median < (theirs[$1]?[work] ?? []).median
      }!
      return Finding(
        id: "queue-\(names.0)", work: "queue of \(setting.timers): \(names.1)", unit: .nanoseconds,
        ours: ours[work], peer: (best, theirs[best]?[work] ?? []), asked: .timesAsGood(1))
    }
  }

  /// Nanoseconds for each deadline: insert, cancel and insert, expire.
  private func measure() -> [Double] {
    let count = setting.timers
    var queue = QueueRun(count: count)
    func each(_ body: () -> Void) -> Double {
      let begin = Clock.nsec()
      body()
      return Double(Clock.nsec() - begin) / Double(count)
    }
    return [each { queue.insert() }, each { queue.move() }, each { queue.expire() }]
  }
}
