import NightjarTestSupport

extension BridgeRig {
  func start(_ words: String, on machine: Machine) throws -> ChildProcess {
    try rig.start(
      [try Binaries.nightjar()] + words.split(separator: " ").map(String.init),
      environment: machine.daemon.clientEnvironment)
  }

  /// The output of `nightjar` with these words on a machine. The command must succeed.
  @discardableResult func said(_ words: String, on machine: Machine) throws -> String {
    let (end, output) = try nightjar(words.split(separator: " ").map(String.init), on: machine)
    guard end == .exited(0) else { throw Unmet(description: "\(words): \(end): \(output)") }
    return output
  }

  func awaitConnection(of machine: Machine) throws {
    try machine.bridge.lines.next("the connection of \(machine.name)", within: 90) {
      $0.hasPrefix("nightjar-mqtt: connected to")
    }
  }
}
