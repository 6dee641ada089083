import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// A disk whose syncs wait until the test releases them. The daemon neither acknowledges a change
/// nor starts a command before the disk has the commit that it depends on.
@Suite(.blocking) struct StalledDiskTests {
  private let rig: Rig
  private let daemon: DaemonProcess
  private let fault: FaultSwitch
  private let client: Connection

  /// Starts a daemon whose disk the test can stall, with one committed timer.
  init() throws {
    rig = try Rig()
    var made: FaultSwitch?
    daemon = try rig.actingDaemon { made = try $0.useFaultyDisk() }
    fault = try #require(made)
    client = try daemon.connect()
    try client.start("egg", usec: hour)
  }

  /// Calls `Start` with an hour on a connection of its own, which is returned.
  private func start(_ name: String, _ more: String = "") throws -> RawSocket {
    let socket = try daemon.rawSocket()
    try socket.send(
      frame: RawSocket.text("Start", #"{"name":"\#(name)","duration_usec":3600000000\#(more)}"#))
    return socket
  }

  private func awaitSync(of what: String) throws {
    try awaitTrue("\(what) is not on its way to the disk") { fault.isSyncWaiting }
  }

  /// A stop that SIGCONT cancels while its commit is stalled; the commit stays stalled.
  private func takeStopBack() throws {
    fault.stallSyncs()
    daemon.process.signal(SIGTSTP)
    try awaitSync(of: "the stop")
    daemon.process.signal(SIGCONT)
    try awaitTrue("the stop is not taken back") { try client.status().openSpan == nil }
  }

  @Test func `Why has a span that is not on disk yet, as it has the events`() throws {
    try takeStopBack()
    let socket = try daemon.rawSocket()
    try socket.send(frame: RawSocket.text("Why", #"{"name":"egg"}"#))
    let spans = try #require(try socket.reply()?.parameters["spans"]?.arrayValue)
    #expect(spans.count == 1 && spans.first?["causes"] == ["stop"])
    #expect(spans.first?["left_usec"]?.integerValue != nil)
    #expect(fault.isSyncWaiting)
    fault.releaseSyncs()
  }

  @Test func `A start with if_absent confirms no timer that is not on disk`() throws {
    fault.stallSyncs()
    let first = try start("tea")
    try awaitSync(of: "the start of tea")
    let second = try start("tea", #","if_absent":true"#)
    // Calls are read in the order in which they came: when this one is answered, that one was read.
    #expect(try client.get("tea").state == .running)

    fault.arm(.syncFails, skip: 0, count: 1)
    fault.releaseSyncs()
    for socket in [first, second] {
      #expect(try socket.reply()?.error == "org.nightjar.Timers.StorageFailed")
    }
    #expect(try client.refusal(of: .get(name: "tea")) == .timerNotFound(name: "tea"))
  }

  @Test func `Each of several changes that could not be committed is refused, in its place`() throws
  {
    fault.stallSyncs()
    let socket = try daemon.rawSocket()
    let calls = (1...3).map {
      RawSocket.text("Start", #"{"name":"t\#($0)","duration_usec":3600000000}"#)
    }
    let question = RawSocket.text("Get", #"{"name":"egg"}"#)
    try socket.send(RawSocket.bytes(calls + [question]))
    try awaitSync(of: "the change")
    fault.arm(.syncFails, skip: 0, count: 1)
    fault.releaseSyncs()
    for _ in calls {
      #expect(try socket.reply()?.error == "org.nightjar.Timers.StorageFailed")
    }
    let answer = try #require(try socket.reply())
    #expect(answer.error == nil && answer.parameters["timer"]?["name"] == "egg")
    #expect(try client.names() == ["egg"])
  }

  @Test func `After a SIGCONT that cancels a stop, the next SIGTSTP still stops the daemon`() throws
  {
    try takeStopBack()
    fault.releaseSyncs()
    try daemon.stop()
    try daemon.proceed()
    #expect(try client.status().openSpan == nil)
  }

  @Test func `A stop waits for its own entry, also after a stop that was cancelled`() throws {
    // The commit of the first stop is stalled until the second stop has begun.
    try takeStopBack()
    daemon.process.signal(SIGTSTP)
    try awaitTrue("the second stop has not begun") { try client.status().openSpan != nil }
    fault.releaseSyncs()
    try daemon.process.changes.next("its stop", within: 30) { $0 == .stopped }
    try daemon.crash()

    let entries = try rig.daemon().ledger().filter { $0.type == .didEnterBackground }
    // Only the two stops hid time before the crash.
    #expect(entries.count { $0.span?.causes.contains(.stop) == true } == 2, "\(entries)")
  }

  @Test func `A change that is on disk with a stop is answered before the daemon stops`() throws {
    // Changes made while a commit is stalled form the next commit: the start of tea and the entry
    // of the stop.
    fault.stallSyncs()
    let rice = try start("rice")
    try awaitSync(of: "the start of rice")
    let tea = try start("tea")
    try awaitTrue("the start of tea was not taken") { try client.names().contains("tea") }
    daemon.process.signal(SIGTSTP)
    try awaitTrue("the stop has not begun") { try client.status().openSpan != nil }
    fault.releaseSyncs()
    try daemon.process.changes.next("its stop", within: 30) { $0 == .stopped }

    // The stopped daemon answers nothing, so these replies were sent before.
    for (socket, name) in [(rice, "rice"), (tea, "tea")] {
      #expect(try socket.reply()?.parameters["timer"]?["name"]?.stringValue == name)
    }
    try daemon.proceed()
  }

  @Test func `A command starts when the record of its start is on disk, and not before`() throws {
    // The commit of the timer's start gets through, the one of the command's start does not.
    fault.stallSyncs(behind: 1)
    try daemon.start("tea", on: [.started], shell: "echo $NIGHTJAR_ATTEMPT >>\(rig.path)/ran")
    try awaitSync(of: "the word about the command")
    try daemon.crash()

    // If it had run, it would run twice.
    #expect(try rig.actingDaemon().end(of: "tea").end == "exited 0")
    #expect(try rig.lines(of: "ran").count == 1)
  }
}
