import Glibc

/// Separate networks for the broker and for each machine (network_namespaces(7)). A link connects
/// each machine with the broker, and a test can cut the link (veth(4)).
///
/// Users other than root can create these networks, because all of them are in a user namespace.
package final class BridgeNetwork {
  package static let port = 1883

  private let rig: Rig
  /// The process that keeps the broker's network namespace. It does nothing else.
  private let hub: ChildProcess
  /// The names of the links at the broker's side, by machine.
  private var links: [String: String] = [:]

  package init(_ rig: Rig) throws {
    self.rig = rig
    hub = try Self.namespaceProcess(through: Role.unshare + ["--net"], rig)
  }

  private static func namespaceProcess(through wrapper: [String], _ rig: Rig) throws -> ChildProcess
  {
    let namespaceProcess = try rig.start(
      wrapper + ["sh", "-c", "ip link set lo up && echo ready && exec sleep infinity"],
      package: "iproute2")
    try namespaceProcess.lines.next("a network") { $0 == "ready" }
    return namespaceProcess
  }

  /// The command prefix (nsenter(1)) that runs a program in the namespaces of a process.
  private static func entering(_ process: ChildProcess, _ spaces: [String]) -> [String] {
    let user = geteuid() == 0 ? [] : ["--user", "--preserve-credentials"]
    return ["nsenter", "--target", "\(process.pid)"] + user + spaces
  }

  /// The command prefix that runs a program in the broker's network.
  package var ofBroker: [String] { Self.entering(hub, ["--net"]) }

  /// Creates the network of a machine, and the link to the broker.
  ///
  /// - Returns: the URL of the broker for this machine, and the command prefix that runs a program
  ///   in the machine's network.
  package func join(_ machine: String) throws -> (broker: String, wrapper: [String]) {
    let namespaceProcess = try Self.namespaceProcess(
      through: Self.entering(hub, []) + ["unshare", "--net"], rig)
    let number = links.count + 1
    let link = "to\(number)"
    links[machine] = link
    let (there, here) = ("10.0.\(number).1", "10.0.\(number).2")
    let inside = Self.entering(namespaceProcess, ["--net"])
    for command in [
      ofBroker + ["ip", "link", "add", "name", link, "type", "veth", "peer", "name", "eth0"]
        + ["netns", "\(namespaceProcess.pid)"],
      ofBroker + ["ip", "address", "add", "\(there)/24", "dev", link],
      inside + ["ip", "address", "add", "\(here)/24", "dev", "eth0"],
      inside + ["ip", "link", "set", "eth0", "up"],
      ofBroker + ["ip", "link", "set", link, "up"],
    ] {
      try rig.tool(command, package: "iproute2")
    }
    return ("mqtt://\(there):\(Self.port)", inside)
  }

  /// Cuts the link of a machine. Packets are then lost, but no connection is closed.
  package func cut(_ machine: String) throws { try set(machine, "down") }

  package func restore(_ machine: String) throws { try set(machine, "up") }

  private func set(_ machine: String, _ state: String) throws {
    guard let link = links[machine] else {
      throw Unmet(description: "\(machine) has no link")
    }
    try rig.tool(ofBroker + ["ip", "link", "set", link, state], package: "iproute2")
  }
}
