import NightjarClient
import NightjarTestSupport
import Varlink

/// A client that keeps a daemon busy with changes of its own timers.
final class Load {
  let story: Story
  private var random: SplitMix
  /// So many timers of its own it has at the most.
  private let names: Int
  /// Another in every change, so that none can be taken for another.
  private var sign: Int64 = 0
  /// What waits for its reply.
  private var asked: [Int] = []

  init(prefix: String, names: Int, seed: UInt64) {
    story = Story(prefix: prefix)
    self.names = names
    random = SplitMix(seed: seed)
  }

  /// Asks for changes, many at a time, until `isEnough` after a reply, or until the daemon has
  /// ended.
  ///
  /// - Returns: whether the daemon still answers.
  func run(
    on wire: CallSocket, atOnce: Int = 16, until isEnough: (Story) -> Bool = { _ in false }
  ) throws -> Bool {
    while true {
      var calls: [Call] = []
      for _ in 0...random.below(atOnce) {
        let change = nextChange()
        asked.append(story.ask(change))
        calls.append(change.call)
      }
      wire.send(calls)
      guard try takeReplies(wire) else { return false }
      if isEnough(story) { return true }
    }
  }

  /// Takes the replies to all that was asked; false if the daemon has ended before.
  private func takeReplies(_ wire: CallSocket) throws -> Bool {
    defer { asked = [] }
    for number in asked {
      guard let reply = try wire.reply() else { return false }
      try story.note(reply, for: number)
    }
    return true
  }

  /// Asks for so many more changes.
  func run(on wire: CallSocket, changes: Int) throws -> Bool {
    let start = story.changes.count
    return try run(on: wire) { $0.changes.count >= start + changes }
  }

  private func nextChange() -> Story.Change {
    sign += 1
    let name = "\(story.prefix)/\(random.below(names))"
    // Most run for long; some are due in the midst of all this.
    let isShort = random.oneIn(4)
    let lengthUsec = (isShort ? Int64(random.below(200_000)) : hour) + sign
    switch random.below(12) {
    case 0, 1, 2, 3: return start(name, lengthUsec)
    case 4: return perform(.pause, .paused, name)
    case 5: return perform(.resume, .resumed, name)
    case 6:
      return Story.Change(
        name: name, type: .extended, sign: lengthUsec, call: .extend(name: name, byUsec: lengthUsec)
      )
    case 7: return perform(.cancel, .cancelled, name)
    case 8: return perform(.restart, .restarted, name)
    case 9:
      return random.oneIn(2)
        ? perform(.remove, .removed, name) : perform(.dismiss, .dismissed, name)
    case 10:
      return Story.Change(
        name: name, type: .snoozed, sign: lengthUsec, call: .snooze(name: name, byUsec: lengthUsec))
    default:
      return Story.Change(
        name: name, type: .updated, sign: sign, call: .update(name: name, data: data()))
    }
  }

  private func start(_ name: String, _ lengthUsec: Int64) -> Story.Change {
    var timer = Wire.Start(name: name, .countdown(.microseconds(lengthUsec)))
    (timer.replace, timer.labels) = (true, ["sign": "\(sign)"])
    timer.data = random.oneIn(4) ? RawJSON(data()) : nil
    return Story.Change(name: name, type: .started, sign: sign, call: .start(timer))
  }

  /// From a few bytes to all there may be, so that commits have all sizes.
  private func data() -> JSONValue {
    let filling = String(repeating: "x", count: random.oneIn(4) ? random.below(3500) : 8)
    return .object([.init("sign", .integer(sign)), .init("filling", .string(filling))])
  }

  private func perform(
    _ operation: Wire.Operation, _ type: Wire.EventType, _ name: String
  ) -> Story.Change {
    Story.Change(name: name, type: type, sign: nil, call: .perform(operation, name: name))
  }
}
