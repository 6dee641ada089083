import NightjarTestSupport
import Testing
import Varlink

/// A newer daemon sends fields that this command does not know. Programs that read `--json` get
/// them.
@Suite(.blocking) struct UnknownFieldTests {
  private static let field = JSONValue.Member("colour", ["of": "a newer daemon"])

  /// Each object with the field has one of these.
  private static let ofMarked = [
    #""state":"#, #""silent":"#, #""type":"#, #""entered_usec":1,"#, #""version":"#, #""synced":"#,
  ]

  private static func marked(_ value: JSONValue) -> JSONValue {
    .object((value.objectValue ?? []) + [field])
  }

  private static let fields: JSONValue = marked(["ring": marked(["silent": true])])
  private static let entry = FakeTimers.Entry(
    name: "tea", state: "over", remainingUsec: 0, more: fields)
  private static let paused = FakeTimers.Entry(name: "egg", state: "paused", more: fields)

  private static func event(_ seq: Int64, _ type: String) -> JSONValue {
    let span = marked([
      "span": 1, "causes": ["sleep"], "entered_usec": 1, "elapsed_usec": 1, "estimated": false,
    ])
    return marked([
      "seq": .integer(seq), "time_usec": 1_700_000_000_000_000, "type": .string(type),
      "name": "tea", "id": 1, "late_usec": 0, "span": span,
    ])
  }

  private static let end = FakeDaemon.Answer.error("StorageFailed", ["reason": "enough"])

  private static func answer(
    _ request: FakeDaemon.Request, _ nowUsec: Int64
  ) -> [FakeDaemon.Answer]? {
    let timer = FakeTimers(nowUsec: nowUsec).json(entry)
    switch request.method {
    case "Status": return [.reply(marked(Samples.status(nowUsec: nowUsec, lastSeq: 2)))]
    case "Watch":
      return [
        .reply(["timer": timer], continues: true),
        .reply(marked(["synced": true, "seq": 1, "ledger": "a"]), continues: true),
        .reply(["timer": timer, "event": event(2, "rang")], continues: true), end,
      ]
    case "Events":
      return [
        .reply(["event": event(1, "rang"), "ledger": "a"], continues: true),
        .reply(["event": event(2, "newly_named")], continues: true), end,
      ]
    case "Why": return [.reply(["spans": [], "events": [event(1, "rang")]])]
    case "Start", "Rename": return [.reply(["timer": timer, "created": true])]
    case "Undo":
      return [
        .reply(
          marked([
            "type": "paused", "ago_usec": 1, "timers": [timer], "count": 1, "kept": 0,
            "kept_names": [],
          ]))
      ]
    default: return nil
    }
  }

  @Test(arguments: [
    ["list"], ["show", "tea"], ["status"], ["events"], ["events", "--follow"], ["watch"],
    ["why", "tea"], ["wait", "tea"], ["start", "tea", "4min"], ["dismiss", "tea"],
    ["resume", "egg"], ["rename", "tea", "pie"], ["undo"],
  ])
  func `--json passes on a field that the command does not know`(words: [String]) throws {
    let fixture = try Fixture([Self.entry, Self.paused], answer: Self.answer)
    let result = try fixture.runner.run(words + ["--json"])
    let lines = result.output.split(separator: "\n")
    #expect(!lines.isEmpty, "\(result)")
    for line in lines {
      let sent = Self.ofMarked.reduce(0) { $0 + line.ranges(of: $1).count }
      let passed = line.ranges(of: #""colour":{"of":"a newer daemon"}"#).count
      #expect(sent > 0 && passed == sent, "\(result)")
    }
  }
}
