import NightjarClient
import NightjarTestSupport
import NightjarTesting
import Testing

/// The example of the article From Swift, which is this very text.
@Suite(.timeLimit(.minutes(10))) struct DocumentedExampleTests {
  // Documentation: from here
  @Test func `Tea that is ready while the laptop sleeps rings late, and says so`() async throws {
    let daemon = try TestDaemon()
    let client = TimerClient(socketPath: daemon.socketPath)
    try await client.start("tea", for: .seconds(240))

    try daemon.sleep(for: .seconds(3600))
    let tea = try await client.timer("tea")
    #expect(tea.openRing?.lateness == .seconds(3360) && tea.openRing?.lateCause == .sleep)

    try daemon.crash()
    #expect(try await client.timer("tea") == tea)
  }
  // Documentation: to here

  @Test func `The article From Swift has it word for word`() throws {
    #expect(try Documentation.fromSwiftShows(exampleIn: #filePath))
  }
}
