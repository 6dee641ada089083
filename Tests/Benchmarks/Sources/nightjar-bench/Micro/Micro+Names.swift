internal import NightjarEngine
internal import NightjarModel

/// The table of timers, and its index of names.
private final class Names {
  private let names: [String]
  @exclusivity(unchecked) private var table = TimerTable()

  init(count: Int) { names = (0..<count).map { Name.text($0) } }

  func insert() {
    var timer = Timer(
      id: 1, name: "", clock: .elapsed, fullLengthUsec: 1, runLengthUsec: 1, startedUsec: 1,
      phase: .running(deadline: 1))
    for slot in names.indices {
      timer.name = names[slot]
      table.insert(timer, at: slot)
    }
  }

  func find() {
    var random = Xorshift(seed: 3)
    for _ in names.indices {
      let slot = random.draw(below: names.count)
      guard table.slot(named: names[slot]) == slot else { fail("a name was not found") }
    }
  }
}

extension Micro {
  static let names = [
    Micro(name: "name-insert", work: "index of 100,000 names: insert", count: 100_000) { count in
      let names = Names(count: count)
      return { names.insert() }
    },
    Micro(name: "name-find", work: "index of 100,000 names: find", count: 100_000) { count in
      let names = Names(count: count)
      names.insert()
      return { names.find() }
    },
  ]
}
