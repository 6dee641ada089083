import NightjarClient
import NightjarTestSupport
import NightjarTesting
import Testing

/// The example of the README, which is this very text.
@Suite(.timeLimit(.minutes(10))) struct ReadmeExampleTests {
  // README: from here
  @Test func `Tea that is ready while the laptop sleeps is told of, with its lateness`()
    async throws
  {
    let daemon = try TestDaemon()
    let client = TimerClient(socketPath: daemon.socketPath)
    try await client.start("tea", for: .seconds(240))

    try daemon.sleep(for: .seconds(3600))
    let tea = try await client.timer("tea")
    #expect(tea.lateness == .seconds(3360) && tea.lateCause == .sleep)

    try daemon.crash()
    #expect(try await client.timer("tea") == tea)
  }
  // README: to here

  @Test func `The README has it word for word`() throws {
    #expect(try Readme.shows(exampleIn: #filePath))
  }
}
