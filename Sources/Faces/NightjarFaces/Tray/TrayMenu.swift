internal import NightjarClient
internal import NightjarInterface
internal import NightjarModel
internal import NightjarSystem
internal import NightjarTime
internal import Varlink

/// An entry of the tray's menu, and the menu itself, which is the entry 0.
struct TrayEntry: Equatable {
  enum Action: Equatable {
    case command(FaceCommand)
    /// Starts what the daemon understands by these words.
    case words(String)
  }

  let id: Int32
  /// The text without mnemonics; empty: a line between other entries.
  var label = ""
  var action: Action?
  var isEnabled = true
  var children: [TrayEntry] = []

  /// The entry or the entry below it with this ID; nil: there is none.
  func entry(_ id: Int32) -> TrayEntry? {
    if id == self.id { return self }
    for child in children {
      if let found = child.entry(id) { return found }
    }
    return nil
  }

  /// The entry and all below it.
  var all: [TrayEntry] { [self] + children.flatMap(\.all) }

  /// Whether another menu differs in more than texts.
  func hasShape(of other: TrayEntry) -> Bool {
    id == other.id && isEnabled == other.isEnabled && children.count == other.children.count
      && zip(children, other.children).allSatisfy { $0.hasShape(of: $1) }
  }

  // MARK: On the bus

  /// The properties as com.canonical.dbusmenu has them. An underscore marks a mnemonic there, and
  /// two stand for one.
  var properties: [(key: String, value: BusArgument)] {
    if id != 0, label.isEmpty { return [("type", .string("separator"))] }
    var properties: [(key: String, value: BusArgument)] = []
    if id != 0 { properties.append(("label", .string(Self.withoutMnemonics(label)))) }
    if !isEnabled { properties.append(("enabled", .boolean(false))) }
    if id == 0 || !children.isEmpty { properties.append(("children-display", .string("submenu"))) }
    return properties
  }

  static func withoutMnemonics(_ text: String) -> String {
    // Scalars: for Swift, `_` with a combining mark is another character.
    var escaped = ""
    for scalar in text.unicodeScalars {
      if scalar == "_" { escaped.unicodeScalars.append("_") }
      escaped.unicodeScalars.append(scalar)
    }
    return escaped
  }

  /// The entry with the entries below it, as `GetLayout` gives them.
  ///
  /// - Parameter depth: how many levels below it; below 0: all.
  func layout(depth: Int32) -> BusArgument {
    let below = depth == 0 ? [] : children.map { BusArgument.variant($0.layout(depth: depth - 1)) }
    return .structure([.int32(id), .variants(properties), .array(of: "v", below)])
  }
}

/// Makes the menu of the tray.
struct TrayMenu {
  private static let (line, start, undo, none, more): (Int32, Int32, Int32, Int32, Int32) =
    (1, 2, 3, 4, 5)
  /// The first ID of the entries that start a timer.
  private static let firstStart: Int32 = 10
  private static let startMinutes: [Int64] = [5, 10, 15, 25, 45]
  /// The first ID of the entries of timers, and how many IDs each timer has.
  private static let (firstTimer, step): (Int32, Int32) = (1000, 8)
  /// How many timers the menu shows; a longer menu does not fit on a screen.
  private static let shownTimers = 20
  private static let minuteUsec: Int64 = 60_000_000

  /// The numbers of timers by their IDs. A timer keeps its number, so a click on an old menu never
  /// means another timer.
  private var numbers: [Int64: Int32] = [:]
  private var nextNumber: Int32 = 0

  /// - Parameters:
  ///   - timers: the timers in their order.
  ///   - absence: why the timers are not known; nil: they are.
  mutating func menu(
    _ timers: [ShownTimer], absence: String?, at now: Moment
  ) -> TrayEntry {
    let numbers = Dictionary(uniqueKeysWithValues: timers.map { ($0.timer.id, number(of: $0)) })
    self.numbers = numbers
    var entries = timers.prefix(Self.shownTimers).map { entry($0, at: now) }
    if timers.count > Self.shownTimers {
      let count = timers.count - Self.shownTimers
      entries.append(TrayEntry(id: Self.more, label: "\(count) more", isEnabled: false))
    }
    if timers.isEmpty {
      let label = absence ?? "No timer"
      entries.append(TrayEntry(id: Self.none, label: label, isEnabled: false))
    }
    if absence == nil {
      entries.append(TrayEntry(id: Self.line))
      entries.append(TrayEntry(id: Self.start, label: "Start", children: Self.starts))
      entries.append(
        TrayEntry(
          id: Self.undo, label: "Undo the last change", action: .command(FaceCommand("Undo"))))
    }
    return TrayEntry(id: 0, children: entries)
  }

  private static var starts: [TrayEntry] {
    let lengths = startMinutes.enumerated().map { index, minutes in
      var start = Wire.Start()
      start.durationUsec = minutes * minuteUsec
      return TrayEntry(
        id: firstStart + Int32(index), label: "\(minutes) min", action: .command(FaceCommand(start))
      )
    }
    let id = firstStart + Int32(lengths.count)
    return lengths + [TrayEntry(id: id, label: "Pomodoro", action: .words("pomodoro"))]
  }

  private mutating func number(of shown: ShownTimer) -> Int32 {
    if let number = numbers[shown.timer.id] { return number }
    defer { nextNumber += 1 }
    return nextNumber
  }

  private func entry(_ shown: ShownTimer, at now: Moment) -> TrayEntry {
    let id = Self.firstTimer + (numbers[shown.timer.id] ?? 0) * Self.step
    let children = Self.commands(shown).enumerated().map { index, item in
      TrayEntry(id: id + 1 + Int32(index), label: item.label, action: .command(item.command))
    }
    return TrayEntry(id: id, label: Self.label(shown, at: now), children: children)
  }

  /// The time comes first, so that it is in one column, and a long name does not push it away.
  static func label(_ shown: ShownTimer, at now: Moment) -> String {
    ShownTimer.line(
      shown.isCounting
        ? "\(shown.clock(at: now))  \(shown.visibleName)"
        : "\(shown.visibleName): \(shown.saying)")
  }

  /// What a person can ask of a timer.
  static func commands(_ shown: ShownTimer) -> [(label: String, command: FaceCommand)] {
    let (timer, name) = (shown.timer, shown.name)
    var commands: [(label: String, command: FaceCommand)] = []
    if timer.ringing != nil {
      commands = [
        ("Dismiss", FaceCommand("Dismiss", toRingOf: shown)),
        (
          "Snooze 5 min",
          FaceCommand(
            "Snooze", toRingOf: shown, [.init("by_usec", .integer(5 * minuteUsec))])
        ),
      ]
    }
    switch timer.state {
    case .running: commands.append(("Pause", FaceCommand("Pause", name)))
    case .paused: commands.append(("Resume", FaceCommand("Resume", name)))
    case .waiting: commands.append(("Next step", FaceCommand("Advance", name)))
    default: return commands
    }
    if timer.kind == .countdown || timer.kind == .sequence, timer.state != .waiting {
      let minute = JSONValue.Member("by_usec", .integer(minuteUsec))
      commands.append(("One minute more", FaceCommand("Extend", name, [minute])))
    }
    if timer.calendar != nil {
      // An alarm of every day is not stopped by a slip of the hand.
      commands.append(("Skip the next ring", FaceCommand("Skip", name)))
    } else {
      commands.append(("Stop", FaceCommand("Cancel", name)))
    }
    return commands
  }
}
