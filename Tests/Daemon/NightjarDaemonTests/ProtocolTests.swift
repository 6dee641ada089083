import NightjarClient
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// Malformed messages.
@Suite(.blocking) struct ProtocolTests {
  private let rig: Rig
  private let daemon: DaemonProcess

  init() throws {
    rig = try Rig()
    daemon = try rig.daemon()
  }

  @Test func `A malformed message ends its connection, and only that`() throws {
    let good = try daemon.rawSocket()
    let values = String(repeating: ",1", count: WireLimits.callValues)
    func data(depth: Int) -> String {
      String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
    }
    for bad in [
      "", "nonsense", #"{"method":"org.nightjar.Timers.Status","surprise":1}"#,
      RawSocket.text("Get", #"{"name":"\ud800"}"#),
      RawSocket.text("Get", #"{"name":"x","numbers":[1\#(values)]}"#),
      // The message and its parameters are two levels around the data.
      RawSocket.text(
        "Start", #"{"duration_usec":9,"data":\#(data(depth: WireLimits.nestingDepth - 1))}"#),
      // As deep as a whole message can be: no code recurses over it.
      String(repeating: "[", count: WireLimits.frameBytes),
    ] {
      let socket = try daemon.rawSocket()
      // A call before it is answered.
      try socket.send(frame: RawSocket.text("org.varlink.service.GetInfo", "{}"))
      try socket.send(frame: bad)
      #expect(try socket.reply()?.parameters["product"] == "nightjard")
      #expect(try socket.frame() == nil, "\(bad.prefix(80))")
      #expect(try good.call("Status", "{}").error == nil)
    }
    #expect(try daemon.connect().names() == [])
  }

  @Test func `A message as long as the limit is read; a longer one ends the connection`() throws {
    let socket = try daemon.rawSocket()
    let call = RawSocket.text("Status", "{}")
    func padded(to count: Int) -> String {
      call.dropLast() + String(repeating: " ", count: count - call.utf8.count) + "}"
    }
    try socket.send(frame: padded(to: WireLimits.frameBytes))
    #expect(try socket.reply()?.error == nil)
    try socket.send(frame: padded(to: WireLimits.frameBytes + 1))
    #expect(try socket.frame() == nil)
    // Even without its end it is refused, and not stored.
    let endless = try daemon.rawSocket()
    let before = try daemon.ownKilobytes
    try endless.send([UInt8](repeating: UInt8(ascii: " "), count: 64 * 1024 * 1024))
    #expect(try endless.frame() == nil)
    #expect(try daemon.ownKilobytes - before < 4096)
  }
}
