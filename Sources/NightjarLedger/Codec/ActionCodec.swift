internal import NightjarModel

// What the ledger has of commands, packed.

extension ByteWriter {
  mutating func note(_ note: ActionNote) {
    switch note.owner {
    // Which of the two is in the event's type.
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
    switch end.outcome {
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
    natural(end.durationUsec)
    natural(end.printedBytes)
    natural(end.droppedBytes)
  }
}

extension ByteReader {
  mutating func note(hasSubject: Bool) throws(StoreError) -> ActionNote {
    let owner: ActionNote.Owner
    switch hasSubject ? nil : try byte() {
    case nil: owner = .subject
    case 0: owner = .machine
    case 1: owner = .former(name: try name(), id: try natural())
    default: throw .damaged("a command is nobody's")
    }
    let key = PendingAction.Key(seq: try natural(), number: try natural())
    return ActionNote(owner: owner, key: key, attempt: try natural(), command: try string())
  }

  mutating func end() throws(StoreError) -> ActionEnd {
    let outcome: ActionOutcome
    switch try byte() {
    case 1: outcome = .exited(status: try natural())
    case 2: outcome = .signalled(try natural())
    case 3: outcome = .timedOut
    case 4: outcome = .notStarted(try string())
    case 5: outcome = .givenUp
    case 6: outcome = .dropped
    case 7: outcome = .unseen
    default: throw .damaged("a command ended in an unknown way")
    }
    return ActionEnd(
      outcome, durationUsec: try natural(), printedBytes: try natural(),
      droppedBytes: try natural())
  }
}
