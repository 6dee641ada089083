import NightjarConfig
import NightjarCore
import NightjarTime
import NightjarWire

extension Preset {
  private static let rounds: ClosedRange<Int64> = 1...1_000_000

  /// Reads a preset's table, and checks what can be told from it alone.
  init(name: String, _ table: consuming ConfigTable) throws(ConfigError) {
    self.init(name: name)
    durationUsec = try table.usec("duration")
    repeatRounds = try Self.repeatRounds(&table)
    alarm = try Self.alarm(&table)
    isStopwatch = try table.boolean("stopwatch") ?? false
    sequence = try Self.sequence(&table)
    clock = try table.word("clock")
    bands = try Self.bands(&table)
    if let (word, usec) = try table.wordOrUsec("late", TimersInterface.Late.self, from: 0) {
      late =
        switch word {
        case .fire: .fire
        case .skip: .skip
        case nil: .fireWithin(usec: usec)
        }
    }
    missed = try table.word("missed")
    wake = try table.boolean("wake")
    labels = try Self.labels(&table)
    data = try Self.data(&table)
    ring = try Self.ring(&table)
    replace = try table.boolean("replace")
    ifAbsent = try table.boolean("if_absent")
    try table.finish()
    try check(table)
  }

  /// What belongs together, and what does not. Each of these sentences is about a key that is there.
  private func check(_ table: ConfigTable) throws(ConfigError) {
    let kinds = [
      durationUsec != nil ? "duration" : nil, alarm != nil ? "alarm" : nil,
      isStopwatch ? "stopwatch" : nil, sequence != nil ? "steps" : nil,
    ].compactMap { $0 }
    if kinds.count > 1 {
      throw Self.error(
        kinds[1], table, "a timer is one thing: '\(kinds[0])' and '\(kinds[1])' are two")
    }
    if isStopwatch {
      for key in ["bands", "late", "missed", "wake", "repeat"] where table.has(key) {
        throw Self.error(key, table, "a stopwatch has no end, so '\(key)' means nothing for it")
      }
    }
    if alarm != nil, clock != nil {
      throw Self.error("clock", table, "an alarm goes by the wall clock; leave 'clock' out")
    }
    if sequence != nil, repeatRounds != nil {
      throw Self.error("repeat", table, "write how often steps are gone through as 'rounds'")
    }
    if wake == true, clock == .awake {
      throw Self.error(
        "wake", table,
        "the clock awake stands still while the machine sleeps; leave out 'wake' or 'clock'")
    }
    if replace == true, ifAbsent == true {
      throw Self.error("if_absent", table, "give 'replace' or 'if_absent', not both")
    }
  }

  private static func error(_ key: String, _ table: ConfigTable, _ reason: String) -> ConfigError {
    guard let node = table.entries.first(where: { $0.key == key }) else {
      return ConfigError(path: table.path, reason: reason)
    }
    return table.error(at: node, reason)
  }

  /// A key that means nothing without another one.
  private static func require(
    _ other: String, for keys: [String], _ table: ConfigTable
  ) throws(ConfigError) {
    for key in keys where table.has(key) {
      throw error(key, table, "'\(key)' belongs to '\(other)', which is not there")
    }
  }

  // MARK: What it does

  private static func repeatRounds(_ table: inout ConfigTable) throws(ConfigError) -> Int64? {
    guard let node = table.node("repeat") else { return nil }
    switch node.value {
    case .boolean(let value): return value ? 0 : nil
    case .integer(let count) where rounds.contains(count): return count
    case .integer(let count):
      throw table.error(
        at: node,
        "'repeat' is true, or how often it rings: from 1 to \(rounds.upperBound), not \(count)")
    case .string, .float, .date, .array, .table:
      throw table.error(at: node, expected: "true, or how often it rings")
    }
  }

  private static func alarm(_ table: inout ConfigTable) throws(ConfigError) -> Alarm? {
    let zone = try table.string("zone")
    guard let time = try table.string("alarm") else {
      try require("alarm", for: ["zone"], table)
      return nil
    }
    if let zone, ZoneDatabase.zone(named: zone) == nil {
      throw error(
        "zone", table, "there is no zone '\(zone)'; they are spelled like Europe/Berlin")
    }
    let local = ZoneDatabase.local
    do throws(TimeError) {
      _ = try CalendarExpression(time, local: local)
    } catch let calendar {
      do throws(TimeError) {
        _ = try Timestamp(time, now: LocalTime.nowUsec(), local: local)
      } catch let point {
        // Whichever parser came farther knows better what was meant.
        let farther = point.position > calendar.position ? point : calendar
        throw error("alarm", table, "\"\(time)\" is no time: \(farther.description)")
      }
    }
    return Alarm(time: time, zone: zone)
  }

  private static func sequence(_ table: inout ConfigTable) throws(ConfigError) -> Sequence? {
    let rounds = try table.integer("rounds", in: 0...Self.rounds.upperBound)
    let longEvery = try table.integer("long_every", in: Self.rounds)
    let afterSleep = try table.word("after_sleep", TimersInterface.AfterSleep.self)
    guard let node = table.node("steps") else {
      try require("steps", for: ["rounds", "long_every", "after_sleep"], table)
      return nil
    }
    guard case .array(let elements) = node.value else {
      throw table.error(at: node, expected: "an array such as [\"work=25min\", \"rest=5min\"]")
    }
    guard !elements.isEmpty else {
      throw table.error(at: node, "a sequence has at least one step, such as \"work=25min\"")
    }
    var steps: [Step] = []
    for element in elements { steps.append(try step(element, in: table)) }
    guard (longEvery != nil) == steps.contains(where: { $0.longUsec != nil }) else {
      throw error(
        longEvery == nil ? "steps" : "long_every", table,
        "'long_every' and the 'long' of a step belong together")
    }
    return Sequence(
      steps: steps, rounds: rounds, longEvery: longEvery, afterSleep: afterSleep)
  }

  private static func step(_ node: ConfigNode, in table: ConfigTable) throws(ConfigError) -> Step {
    // The daemon's own limit: less would do nothing but fill the ledger.
    let shortestUsec: Int64 = 100_000
    if case .string(let text) = node.value {
      guard let (name, span) = pair(text), !name.isEmpty else {
        throw table.error(
          at: node, "a step is written name=span, such as \"work=25min\", not \"\(text)\"")
      }
      return Step(
        name: name, durationUsec: try table.usec(of: span, at: node, from: shortestUsec))
    }
    var own = try table.table(of: node, title: "a step of \(table.title)")
    let (name, usec) = (
      try own.string("name"), try own.usec("duration", from: shortestUsec)
    )
    let (waits, isBreak) = (try own.boolean("waits") ?? false, try own.boolean("break"))
    let longUsec = try own.usec("long", from: shortestUsec)
    try own.finish()
    guard let name, !name.isEmpty, let usec else {
      throw table.error(at: node, "a step has a 'name' and a 'duration'")
    }
    return Step(
      name: name, durationUsec: usec, waits: waits, isBreak: isBreak, longUsec: longUsec)
  }

  // MARK: What it has

  private static func bands(_ table: inout ConfigTable) throws(ConfigError) -> [Band] {
    guard let node = table.node("bands") else { return [] }
    guard case .array(let elements) = node.value else {
      throw table.error(at: node, expected: "an array such as [\"60s=warn\", \"10s=urgent\"]")
    }
    var bands: [Band] = []
    for element in elements {
      let band = try band(element, in: table)
      if let before = bands.last, before.remainingUsec <= band.remainingUsec {
        throw table.error(
          at: element,
          "bands come in the order in which they begin, the most time remaining first: "
            + "'\(band.name)' does not come behind '\(before.name)'")
      }
      bands.append(band)
    }
    return bands
  }

  private static func band(_ node: ConfigNode, in table: ConfigTable) throws(ConfigError) -> Band {
    if case .string(let text) = node.value {
      guard let (span, name) = pair(text), !name.isEmpty, !name.contains(":") else {
        throw table.error(
          at: node,
          "a band is written span=name, such as \"10s=urgent\", or as a table with 'remaining', "
            + "'name', 'color', 'text' and 'progress', not \"\(text)\"")
      }
      return Band(name: name, remainingUsec: try table.usec(of: span, at: node))
    }
    var own = try table.table(of: node, title: "a band of \(table.title)")
    let (name, usec) = (try own.string("name"), try own.usec("remaining"))
    let (color, text) = (try own.string("color"), try own.string("text"))
    let progress = try progress(&own)
    if let color, let node = own.node("color"), let problem = BandArgument.colorProblem(color) {
      throw own.error(at: node, problem)
    }
    try own.finish()
    guard let name, !name.isEmpty, let usec else {
      throw table.error(at: node, "a band has a 'name' and a 'remaining'")
    }
    return Band(
      name: name, remainingUsec: usec, color: color, text: text, progress: progress)
  }

  private static func progress(
    _ table: inout ConfigTable
  ) throws(ConfigError) -> Band.Progress? {
    guard let node = table.node("progress") else { return nil }
    guard case .array(let elements) = node.value else {
      throw table.error(at: node, expected: "from where to where, such as [0.9, 1.0]")
    }
    let numbers = elements.compactMap { element -> Double? in
      switch element.value {
      case .integer(let number): Double(number)
      case .float(let number): number
      case .string, .boolean, .date, .array, .table: nil
      }
    }
    guard elements.count == 2, numbers.count == 2, numbers.allSatisfy((0...1).contains) else {
      throw table.error(at: node, "'progress' is two numbers from 0 to 1, such as [0.9, 1.0]")
    }
    return Band.Progress(from: numbers[0], to: numbers[1])
  }

  /// What stands on both sides of the first equals sign; nil if there is none.
  private static func pair(_ text: String) -> (String, String)? {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    return (String(text[..<equals]), String(text[text.index(after: equals)...]))
  }
}

// MARK: - What it carries

extension Preset {
  private static func labels(_ table: inout ConfigTable) throws(ConfigError) -> [Label] {
    guard let own = try table.table("labels") else { return [] }
    guard own.entries.count <= Limits.labels else {
      throw error("labels", table, "a timer has at most \(Limits.labels) labels")
    }
    var labels: [Label] = []
    for node in own.entries {
      guard case .string(let value) = node.value else {
        throw own.error(at: node, expected: "a text, as every label")
      }
      guard (1...Limits.labelKeyBytes).contains(node.key.utf8.count),
        value.utf8.count <= Limits.labelValueBytes
      else {
        throw own.error(
          at: node,
          "a label has a key of 1 to \(Limits.labelKeyBytes) bytes and a value of at most "
            + "\(Limits.labelValueBytes)")
      }
      labels.append(Label(key: node.key, value: value))
    }
    return labels
  }

  private static func data(_ table: inout ConfigTable) throws(ConfigError) -> JSONValue? {
    guard let own = try table.table("data") else { return nil }
    let data = try object(own.entries, of: own, depth: 1)
    guard data.text.utf8.count <= Limits.dataBytes else {
      throw error("data", table, "'data' is longer than \(Limits.dataBytes) bytes of JSON")
    }
    return data
  }

  private static func object(
    _ nodes: [ConfigNode], of table: ConfigTable, depth: Int
  ) throws(ConfigError) -> JSONValue {
    var members: [JSONValue.Member] = []
    for node in nodes { members.append(.init(node.key, try json(node, of: table, depth: depth))) }
    return .object(members)
  }

  private static func json(
    _ node: ConfigNode, of table: ConfigTable, depth: Int
  ) throws(ConfigError) -> JSONValue {
    switch node.value {
    case .string(let text): return .string(text)
    case .integer(let number): return .integer(number)
    case .boolean(let value): return .bool(value)
    case .float(let number):
      guard number.isFinite else {
        throw table.error(at: node, "JSON has no number for '\(node.key)'")
      }
      return .double(number)
    case .date:
      throw table.error(at: node, "JSON has no dates; write '\(node.key)' as a text in quotes")
    case .array, .table: break
    }
    guard depth < Limits.dataDepth else {
      throw table.error(at: node, "'data' nests deeper than \(Limits.dataDepth)")
    }
    guard case .array(let elements) = node.value else {
      guard case .table(let entries) = node.value else { return .null }
      return try object(entries, of: table, depth: depth + 1)
    }
    var values: [JSONValue] = []
    for element in elements { values.append(try json(element, of: table, depth: depth + 1)) }
    return .array(values)
  }
}
