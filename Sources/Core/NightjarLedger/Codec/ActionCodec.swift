internal import NightjarModel

// Packs and unpacks commands.

extension ByteWriter {
  mutating func note(_ note: ActionNote) {
    switch note.owner {
    // The tag of the event says whether the event has a subject.
    case .subject: break
    case .machine: byte(0)
    case .former(let name, let id):
      byte(1)
      string(name)
      natural(id)
    }
    natural(note.key.seq)
    natural(note.key.number)
    natural(note.attempt)
    string(note.command)
  }

  mutating func end(_ end: ActionEnd) {
    outcome(end.outcome)
    natural(end.durationUsec)
    natural(end.printedBytes)
    natural(end.droppedBytes)
  }

  mutating func lastLines(_ lines: [String]) {
    natural(lines.count)
    for line in lines { string(line) }
  }

  mutating func failure(_ failure: CommandFailure) {
    natural(failure.callingSeq)
    signed(failure.timeUsec)
    string(failure.command)
    outcome(failure.outcome)
    lastLines(failure.lastLines)
  }

  private mutating func outcome(_ outcome: ActionOutcome) {
    switch outcome {
    case .exited(let status):
      byte(1)
      natural(status)
    case .signalled(let number):
      byte(2)
      natural(number)
    case .timedOut: byte(3)
    case .notStarted(let reason):
      byte(4)
      string(reason)
    case .givenUp: byte(5)
    case .dropped: byte(6)
    case .unseen: byte(7)
    }
  }
}

extension ByteReader {
  mutating func note(hasSubject: Bool) throws(StoreError) -> ActionNote {
    let owner: ActionNote.Owner
    switch hasSubject ? nil : try byte() {
    case nil: owner = .subject
    case 0: owner = .machine
    case 1: owner = .former(name: try name(), id: try natural())
    default: throw .damaged("a command has an unknown owner")
    }
    let key = PendingAction.Key(seq: try natural(), number: try natural())
    return ActionNote(owner: owner, key: key, attempt: try natural(), command: try string())
  }

  mutating func end() throws(StoreError) -> ActionEnd {
    ActionEnd(
      try outcome(), durationUsec: try natural(), printedBytes: try natural(),
      droppedBytes: try natural())
  }

  mutating func lastLines() throws(StoreError) -> [String] {
    var lines: [String] = []
    for _ in 0..<(try natural(upTo: Limits.lastLines)) { lines.append(try string()) }
    return lines
  }

  mutating func failure() throws(StoreError) -> CommandFailure {
    CommandFailure(
      callingSeq: try natural(), timeUsec: try signed(), command: try string(),
      outcome: try outcome(), lastLines: try lastLines())
  }

  private mutating func outcome() throws(StoreError) -> ActionOutcome {
    switch try byte() {
    case 1: .exited(status: try natural())
    case 2: .signalled(try natural())
    case 3: .timedOut
    case 4: .notStarted(try string())
    case 5: .givenUp
    case 6: .dropped
    case 7: .unseen
    default: throw .damaged("a command ended in an unknown way")
    }
  }
}
