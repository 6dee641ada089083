import Foundation

extension Rig {
  /// Starts a message bus that allows all messages of all clients, and waits until it listens.
  ///
  /// - Parameters:
  ///   - type: `system` or `session`.
  ///   - services: the path of the folder with the services that the bus can start.
  @discardableResult
  package func startBus(
    type: String, address: String, services: String? = nil
  ) throws -> ChildProcess {
    let configuration = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>\(type)</type>
        <listen>\(address)</listen>
        \(services.map { "<servicedir>\($0)</servicedir>" } ?? "")
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow user="*"/><allow own="*"/>
          <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
        </policy>
      </busconfig>
      """
    let file = "\(path)/\(type).conf"
    try configuration.write(toFile: file, atomically: true, encoding: .utf8)
    let bus = try start(
      ["dbus-daemon", "--config-file=\(file)", "--nofork", "--nopidfile", "--print-address=1"],
      package: "dbus-daemon")
    // The bus prints its address when it listens.
    try bus.lines.next("the \(type) bus") { $0.hasPrefix("unix:") }
    return bus
  }
}
