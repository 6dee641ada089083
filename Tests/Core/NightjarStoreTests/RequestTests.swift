import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing

@testable import NightjarLedger
@testable import NightjarStore

/// The stored replies to changes with an ID.
@Suite(.blocking) struct RequestTests {
  private let folder: TestFolder
  private let state: StateFolder
  private let writer: LedgerWriter
  private let reader: LedgerReader

  init() throws {
    folder = try TestFolder()
    state = try StateFolder(path: folder.path)
    writer = try LedgerWriter(folder: state, retention: Retention())
    reader = try LedgerReader(folder: state)
  }

  private func request(_ id: String, bytes: Int = 3, atElapsed: Int64 = 0) -> AnsweredRequest {
    AnsweredRequest(
      id: id, method: "org.nightjar.Timers.Pause", reply: Array(repeating: 120, count: bytes),
      atElapsed: atElapsed)
  }

  private func commit(_ requests: [AnsweredRequest]) -> Commit { .with(0, requests: requests) }

  private func count() throws -> Int64? {
    try writer.connection.integer("SELECT count(*) FROM request")
  }

  @Test func `A reply is read as it was committed`() throws {
    let requests = [request("a", bytes: 0), request("ä", bytes: 70_000, atElapsed: 5)]
    try writer.write(commit(requests))
    for request in requests {
      #expect(try reader.request(request.id, since: request.atElapsed) == request)
      #expect(try reader.request(request.id, since: request.atElapsed + 1) == nil)
    }
    #expect(try reader.request("b", since: 0) == nil)
  }

  @Test func `An ID that is used again has the later reply`() throws {
    try writer.write(commit([request("a"), request("b")]))
    try writer.write(commit([request("a", bytes: 9, atElapsed: 7)]))
    #expect(try reader.request("a", since: 0) == request("a", bytes: 9, atElapsed: 7))
    #expect(try count() == 2)
  }

  @Test func `The last 10000 replies are kept`() throws {
    let last = Int(Limits.requests) + 40
    try writer.write(commit((1...last).map { request("\($0)") }))
    #expect(try count() == Limits.requests)
    #expect(try reader.request("40", since: 0) == nil)
    #expect(try reader.request("41", since: 0) != nil)
    try writer.write(commit([request("new")]))
    #expect(try count() == Limits.requests)
    #expect(try reader.request("41", since: 0) == nil)
  }

  @Test func `Replies are kept up to a total length, and the newest always`() throws {
    let most = Int(Limits.requestReplyBytes)
    for number in 1...4 { try writer.write(commit([request("\(number)", bytes: most / 4)])) }
    #expect(try count() == 4)
    try writer.write(commit([request("5", bytes: 1)]))
    #expect(try reader.request("1", since: 0) == nil)
    #expect(try count() == 4)
    try writer.write(commit([request("6", bytes: most + 1)]))
    #expect(try count() == 1)
    #expect(try reader.request("6", since: 0) != nil)
  }

  @Test func `Replies older than a day are pruned when another is stored`() throws {
    let day = Limits.requestUsec
    try writer.write(commit([request("a"), request("b", atElapsed: 1)]))
    try writer.write(commit([request("c", atElapsed: day)]))
    #expect(try count() == 3)
    try writer.write(commit([request("d", atElapsed: day + 1)]))
    #expect(try count() == 3)
    #expect(try reader.request("a", since: 0) == nil)
  }
}
