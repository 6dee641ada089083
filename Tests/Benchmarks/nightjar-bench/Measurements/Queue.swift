/// Measures a queue of deadlines: insert, cancel and insert again, expire. Compares Nightjar's
/// queue with the one of libev.
struct Queue {
  let setting: Setting

  private static let rows = [Row.queueInsert, .queueMove, .queueExpire]

  func run() throws(Unmeasured) -> [Finding] {
    var (ours, theirs): ([[Double]], [[Double]]) = ([], [])
    for round in 1...setting.rounds {
      Terminal.say("queues of \(setting.timers), round \(round)")
      ours.append(measure())
      let printed = try Running.output(["\(setting.peers)/queue-libev", "\(setting.timers)"])
      let figures = printed.split { $0 == " " || $0 == "\n" }.compactMap { Double($0) }
      guard figures.count == Self.rows.count else { throw Unmeasured(why: "libev: \(printed)") }
      theirs.append(figures)
    }
    return Self.rows.enumerated().map { index, row in
      Finding(row: row, ours: ours.map { $0[index] }, theirs: theirs.map { $0[index] })
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
