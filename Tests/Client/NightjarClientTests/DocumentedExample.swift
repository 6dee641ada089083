import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// The example of the article From Swift, which is this very text.
private func example(_ client: TimerClient) async throws {
  // Documentation: from here
  var tea = Wire.Start(name: "tea", .countdown(.seconds(240)))
  tea.bands = [Wire.Band("soon", remaining: .seconds(60), color: "orange")]
  try await client.start(tea)

  for try await change in client.watch("tea") {
    guard let timer = change.timer else { continue }
    if let band = change.event?.band { print("tea: \(band.name)") }
    if let ring = timer.openRing {
      print("tea rang, late by \(ring.lateness): \(ring.lateCause ?? "on time")")
      break
    }
  }
  // Documentation: to here
}

@Suite(.blocking) struct DocumentedExampleTests {
  @Test func `The example of the article From Swift is this one, and ends when its timer rings`()
    async throws
  {
    #expect(try Documentation.fromSwiftShows(exampleIn: #filePath))

    let daemon = try FakeDaemon { request in
      guard request.method == "Watch" else { return [.reply(["timer": Sample.timer()])] }
      return [
        .reply(["timer": Sample.timer()], continues: true),
        .reply(["synced": true, "seq": 1], continues: true),
        .reply(Sample.change("rang", seq: 2, state: "over", ring: Sample.ring), continues: true),
      ]
    }
    try await NightjarClientTests.example(
      TimerClient(socketPath: daemon.path, timeout: .seconds(300)))
    #expect(daemon.requests.map(\.method) == ["Start", "Watch"])
  }
}
