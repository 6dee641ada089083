import ArgumentParser
import NightjarClient
import Varlink

struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print all data of the daemon as JSON, one object per line.",
    discussion: """
      Each line is an object with one member. The member "event" is an entry of the ledger, in \
      order. The member "span" is a background span, such as a sleep; see nightjard(1). The member \
      "timer" is a timer in its present state.
      """)

  @OptionGroup var socket: SocketOption

  func run() throws {
    let session = try Session.open(socket)
    var spans = SpanCollection()
    try LedgerReader(session: session).read(after: nil) { reply, _ in
      Output.ready(reply.text)
      if let span = reply["event"]?["span"] { spans.add(span) }
    }
    let status = try session.call(Call(Wire.Status()))
    for key in ["last_span", "open_span"] {
      if let span = status[key] { spans.add(span) }
    }
    for span in spans.inOrder { Output.ready(Self.line("span", span)) }
    try session.forEachPage { page in
      for timer in page["timers"]?.arrayValue ?? [] { Output.ready(Self.line("timer", timer)) }
    }
  }

  private static func line(_ key: String, _ value: JSONValue) -> String {
    JSONValue.object([JSONValue.Member(key, value)]).text
  }
}

/// The background spans of the ledger, by number. The ledger repeats a span when the span ends, and
/// when it is corrected, so the last version of each is stored.
private struct SpanCollection {
  private var spans: [Int64: JSONValue] = [:]

  mutating func add(_ span: JSONValue) {
    if let number = span["span"]?.integerValue { spans[number] = span }
  }

  var inOrder: [JSONValue] { spans.sorted { $0.key < $1.key }.map(\.value) }
}
