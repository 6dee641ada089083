import Glibc
import NightjarClient
import NightjarTestSupport
import Testing

/// A bridge in a network namespace that the test changes.
@Suite(.blocking) struct BridgeLinkTests {
  /// Adds an address in a process's network namespace.
  private func addAddress(_ address: String, at pid: Int32, _ rig: Rig) throws {
    let user = geteuid() == 0 ? [] : ["--user", "--preserve-credentials"]
    try rig.tool(
      ["nsenter", "--target", "\(pid)"] + user
        + ["--net", "ip", "address", "add", address, "dev", "lo"],
      package: "iproute2")
  }

  @Test func `A disconnected bridge connects at once when an address is added`() throws {
    let rig = try BridgeRig()
    let laptop = try rig.machine("laptop", wrapper: Role.unshare + ["--net"])
    // A connected bridge does nothing.
    try addAddress("192.0.2.1/32", at: laptop.bridge.pid, rig.rig)
    #expect(try laptop.status().connected)
    #expect(!laptop.bridge.lines.all.contains { $0.contains("connecting at once") })

    try rig.endBroker()
    try rig.awaitLoss(on: laptop)
    try addAddress("192.0.2.2/32", at: laptop.bridge.pid, rig.rig)
    try laptop.bridge.lines.next("the attempt") { $0.contains("connecting at once") }
    try rig.startBroker()
    try rig.awaitConnection(of: laptop)
  }
}
