internal import NightjarCore

/// A queue of deadlines: insert, cancel and insert anew, expire; ours beside the libraries'.
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
        let figures = Command.output([
          "\(setting.peers)/queue-\(library)", "\(setting.timers)",
        ]).split { $0 == " " || $0 == "\n" }.compactMap { Double($0) }
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
        ours: ours[work], peer: (best, theirs[best]?[work] ?? []), asked: .timesAsGood(3))
    }
  }

  /// Nanoseconds for each: insert, cancel and insert, expire.
  private func measure() -> [Double] {
    let count = setting.timers
    let queue = DeadlineQueue()
    var random = Xorshift(seed: 1)
    var order: Int64 = 0
    func deadline() -> Int64 { Int64(random.draw(below: 1_000_000)) }
    func each(_ body: () -> Void) -> Double {
      let begin = Clock.nsec()
      body()
      return Double(Clock.nsec() - begin) / Double(count)
    }
    let inserting = each {
      for slot in 0..<count {
        order += 1
        queue.insert(slot, deadline: deadline(), order: order)
      }
    }
    let moving = each {
      for _ in 0..<count {
        let slot = random.draw(below: count)
        queue.remove(slot)
        order += 1
        queue.insert(slot, deadline: deadline(), order: order)
      }
    }
    var expired = 0
    let expiring = each {
      while let slot = queue.firstSlot, let first = queue.first, first < 1_000_000 {
        queue.remove(slot)
        expired += 1
      }
    }
    guard expired == count else { fail("\(expired) of \(count) expired") }
    return [inserting, moving, expiring]
  }
}
