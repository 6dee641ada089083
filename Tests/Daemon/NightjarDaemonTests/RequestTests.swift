import NightjarClient
import NightjarTestSupport
import Testing
import Varlink

/// Changes with an ID on a slow disk.
@Suite(.blocking) struct RequestTests {
  private let rig: Rig

  init() throws { rig = try Rig() }

  @Test func `The answer to an ID waits for the disk, also the second time`() throws {
    var fault: FaultSwitch?
    let daemon = try rig.daemon { fault = try $0.useFaultyDisk() }
    let disk = try #require(fault)
    try daemon.connect().start("egg", usec: hour)
    disk.stallSyncs()
    let sockets = try (0..<3).map { _ in try daemon.rawSocket() }
    let start = RawSocket.text("Start", #"{"name":"tea","duration_usec":3600000000,"request":"1"}"#)
    try sockets[0].send(frame: start)
    try awaitTrue("the start of tea is not on its way to the disk") { disk.isSyncWaiting }
    try sockets[1].send(frame: start)
    // A refusal that is remembered waits as well.
    try sockets[2].send(frame: RawSocket.text("Pause", #"{"name":"no","request":"2"}"#))
    // Calls are read in the order in which they came.
    #expect(try daemon.connect().get("tea").state == .running)
    disk.arm(.syncFails, skip: 0, count: 1)
    disk.releaseSyncs()
    for socket in sockets {
      #expect(try socket.reply()?.error == "org.nightjar.Timers.StorageFailed")
    }
    // An answer to a change that did not happen is not remembered.
    let again = try daemon.rawSocket()
    try awaitTrue("the disk takes nothing") {
      try again.call("Start", #"{"name":"tea","duration_usec":3600000000,"request":"1"}"#).error
        == nil
    }
    #expect(try daemon.connect().get("tea").state == .running)
  }
}
