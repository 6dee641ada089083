internal import NightjarMirror
internal import NightjarModel
internal import Varlink

/// An answer of the user on this machine to a ring of another machine.
struct GivenAnswer: StateEntry {
  static let listName = "answers"
  static let loss = "A ring that was answered here just before may ring again"

  let key: RingKey
  let answer: RingAnswer
}

extension GivenAnswer {
  init?(_ json: JSONValue) {
    guard let ledger = json["ledger"]?.stringValue, let id = json["id"]?.integerValue,
      let expiry = json["expiry"]?.integerValue,
      let key = RingKey(ledger: ledger, id: id, expiry: expiry),
      let answer = json["answer"].flatMap(RingAnswer.init)
    else { return nil }
    self.init(key: key, answer: answer)
  }

  var json: JSONValue {
    [
      "ledger": .string(key.ledger), "id": .integer(key.id), "expiry": .integer(key.expiry),
      "answer": answer.json,
    ]
  }
}
