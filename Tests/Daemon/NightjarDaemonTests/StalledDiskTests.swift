import Foundation
import Glibc
import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// A disk whose syncs wait until the test releases them. The daemon neither acknowledges a change
/// nor starts a command before the disk has the commit that it depends on.
@Suite(.blocking) struct StalledDiskTests {
  private let rig: Rig

  init() throws { rig = try Rig() }

  /// A daemon whose disk the test can stall, with one committed timer.
  private func faultyDaemon() throws -> (DaemonProcess, FaultSwitch) {
    var fault: FaultSwitch?
    let daemon = try rig.daemon { fault = try $0.useFaultyDisk() }
    try daemon.connect().start("egg", usec: hour)
    return (daemon, try #require(fault))
  }

  /// A stop that SIGCONT cancels while its commit is stalled; the commit stays stalled.
  private func takeStopBack(
    _ daemon: DaemonProcess, _ fault: FaultSwitch, _ client: Connection
  ) throws {
    fault.stallSyncs()
    daemon.process.signal(SIGTSTP)
    try awaitTrue("the stop is not on its way to the disk") { fault.isSyncWaiting }
    daemon.process.signal(SIGCONT)
    try awaitTrue("the stop is not taken back") { try client.status().openSpan == nil }
  }

  @Test func `Why has a span that is not on disk yet, as it has the events`() throws {
    let (daemon, fault) = try faultyDaemon()
    let client = try daemon.connect()
    try takeStopBack(daemon, fault, client)
    let socket = try daemon.rawSocket()
    try socket.send(frame: RawSocket.text("Why", #"{"name":"egg"}"#))
    let spans = try #require(try socket.reply()?.parameters["spans"]?.arrayValue)
    #expect(spans.count == 1 && spans.first?["causes"] == ["stop"])
    #expect(spans.first?["left_usec"]?.integerValue != nil)
    #expect(fault.isSyncWaiting)
    fault.releaseSyncs()
  }

  @Test func `A start with if_absent confirms no timer that is not on disk`() throws {
    let (daemon, fault) = try faultyDaemon()
    let client = try daemon.connect()

    fault.stallSyncs()
    let first = try daemon.rawSocket()
    let start = #"{"name":"tea","duration_usec":3600000000"#
    try first.send(frame: RawSocket.text("Start", start + "}"))
    try awaitTrue("the start of tea is not on its way to the disk") { fault.isSyncWaiting }
    let second = try daemon.rawSocket()
    try second.send(frame: RawSocket.text("Start", start + #","if_absent":true}"#))
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
    let (daemon, fault) = try faultyDaemon()
    let client = try daemon.connect()

    fault.stallSyncs()
    let socket = try daemon.rawSocket()
    let calls = (1...3).map {
      RawSocket.text("Start", #"{"name":"t\#($0)","duration_usec":3600000000}"#)
    }
    let question = RawSocket.text("Get", #"{"name":"egg"}"#)
    try socket.send(RawSocket.bytes(calls + [question]))
    try awaitTrue("the changes are not on their way to the disk") { fault.isSyncWaiting }
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
    let (daemon, fault) = try faultyDaemon()
    let client = try daemon.connect()

    try takeStopBack(daemon, fault, client)
    fault.releaseSyncs()
    try daemon.stop()
    #expect(daemon.process.stateLetter == "T")
    try daemon.proceed()
    #expect(try client.status().openSpan == nil)
  }

  @Test func `A stop waits for its own entry, also after a stop that was cancelled`() throws {
    let (daemon, fault) = try faultyDaemon()
    let client = try daemon.connect()

    // The commit of the first stop is stalled until the second stop has begun.
    try takeStopBack(daemon, fault, client)
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
    let (daemon, fault) = try faultyDaemon()
    let client = try daemon.connect()

    // Changes made while a commit is stalled form the next commit: the start of tea and the entry
    // of the stop.
    fault.stallSyncs()
    let first = try daemon.rawSocket()
    try first.send(frame: RawSocket.text("Start", #"{"name":"rice","duration_usec":3600000000}"#))
    try awaitTrue("the start of rice is not on its way to the disk") { fault.isSyncWaiting }
    let second = try daemon.rawSocket()
    try second.send(frame: RawSocket.text("Start", #"{"name":"tea","duration_usec":3600000000}"#))
    try awaitTrue("the start of tea was not taken") { try client.names().contains("tea") }
    daemon.process.signal(SIGTSTP)
    try awaitTrue("the stop has not begun") { try client.status().openSpan != nil }
    fault.releaseSyncs()
    try daemon.process.changes.next("its stop", within: 30) { $0 == .stopped }

    // The stopped daemon answers nothing, so this reply was sent before.
    #expect(try second.reply()?.parameters["timer"]?["name"] == "tea")
    try daemon.proceed()
  }

  @Test func `A command starts when the record of its start is on disk, and not before`() throws {
    var made: FaultSwitch?
    let first = try rig.actingDaemon { made = try $0.useFaultyDisk() }
    let fault = try #require(made)
    try first.connect().start("egg", usec: hour)

    // The commit of the timer's start gets through, the one of the command's start does not.
    fault.stallSyncs(behind: 1)
    try first.start("tea", usec: hour, shell: "echo $NIGHTJAR_ATTEMPT >>\(rig.path)/ran") { timer in
      timer.ring?.on = [.started]
    }
    try awaitTrue("the word about the command is not on its way to the disk") {
      fault.isSyncWaiting
    }
    try first.crash()

    // If it had run, it would run twice.
    let second = try rig.actingDaemon()
    #expect(try second.end(of: "tea").end == "exited 0")
    let ran = try String(contentsOfFile: "\(rig.path)/ran", encoding: .utf8)
    #expect(ran.split(separator: "\n").count == 1, "\(ran)")
  }
}
