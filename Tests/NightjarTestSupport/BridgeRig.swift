import Foundation
import Glibc
package import NightjarClient
internal import NightjarInterface
internal import NightjarModel
package import NightjarVarlink

/// A real mosquitto, and machines on it: each a daemon and a bridge with a folder of their own.
package final class BridgeRig {
  package let rig: Rig
  package private(set) var broker: ChildProcess?
  /// Whether the broker keeps what is retained across a restart.
  private let isPersistent: Bool
  /// Where the broker listens on 127.0.0.1, too; nil: on its UNIX socket only.
  package let port: UInt16?
  /// Whether the bridges connect to that port.
  private let isTCP: Bool
  private let keepaliveSeconds: Int
  /// Those who may connect; each one's password is the name. Empty: whoever wants to.
  private let users: [String]
  private let hasDynamicSecurity: Bool
  /// How many have followed a topic.
  private var followers = 0
  package private(set) var machines: [String: Machine] = [:]
  /// Nil: the bridges reach the broker by a UNIX socket, or by the port.
  package let network: BridgeNetwork?

  /// Where Debian's package mosquitto has it.
  private static let dynamicSecurityPlugin =
    "/usr/lib/x86_64-linux-gnu/mosquitto_dynamic_security.so"

  /// One machine.
  package final class Machine {
    package let name: String
    package fileprivate(set) var daemon: DaemonProcess
    package fileprivate(set) var bridge: ChildProcess
    package let folder: String
    /// The bridge's, without further settings.
    fileprivate let config: String
    /// The bridge's.
    fileprivate let environment: [String: String]
    fileprivate let wrapper: [String]

    fileprivate init(
      name: String, daemon: DaemonProcess, bridge: ChildProcess, folder: String,
      config: String, environment: [String: String], wrapper: [String]
    ) {
      (self.name, self.daemon, self.bridge, self.folder) = (name, daemon, bridge, folder)
      (self.config, self.environment, self.wrapper) = (config, environment, wrapper)
    }

    /// A connection to the socket that this machine has for another.
    package func connect(to other: String) throws -> Connection {
      try Connection(
        path: BridgePaths.device(other, in: folder), deadline: .after(usec: 90 * second))
    }

    /// A connection to the socket that this machine has for a session.
    package func connect(toSession path: String) throws -> Connection {
      try Connection(
        path: BridgePaths.session(SessionAddress.word(of: path), in: folder),
        deadline: .after(usec: 90 * second))
    }

    package func status() throws -> BridgeStatus {
      let connection = try Connection(
        path: BridgePaths.status(in: folder), deadline: .after(usec: 90 * second))
      return try BridgeStatus(
        connection.call(
          Call(method: "\(BridgeInterface.name).Status"), deadline: .after(usec: 90 * second)))
    }
  }

  /// - Parameters:
  ///   - hasPort: the broker listens on a port, too: for machines that are not of this rig.
  ///   - isTCP: the bridges connect to a port of this machine in place of a UNIX socket.
  ///   - hasNetwork: the broker and each machine have a network of their own, with links that a test
  ///     can cut.
  ///   - users: the broker's users; each one's password is the name. Empty: the broker asks for none.
  ///   - rights: what these may read and write, as mosquitto's `acl_file` has it.
  ///   - hasDynamicSecurity: mosquitto's plugin takes the place of files with passwords and rights; its
  ///     administrator is admin with the password admin.
  package init(
    isPersistent: Bool = false, keepaliveSeconds: Int = 5, hasPort: Bool = false,
    isTCP: Bool = false, hasNetwork: Bool = false, users: [String] = [], rights: String = "",
    hasDynamicSecurity: Bool = false
  ) throws {
    rig = try Rig()
    self.users = users
    self.isPersistent = isPersistent
    self.keepaliveSeconds = keepaliveSeconds
    self.isTCP = isTCP
    port = hasPort || isTCP ? try FreePort.find() : nil
    network = hasNetwork ? try BridgeNetwork(rig) : nil
    self.hasDynamicSecurity = hasDynamicSecurity
    if hasDynamicSecurity {
      try rig.tool(
        ["mosquitto_ctrl", "dynsec", "init", dynamicSecurityPath, "admin", "admin"],
        package: "mosquitto")
    } else if !users.isEmpty {
      try Data().write(to: URL(filePath: passwordsPath))
      for user in users {
        try rig.tool(["mosquitto_passwd", "-b", passwordsPath, user, user], package: "mosquitto")
      }
      try write(rights: rights)
    }
    try startBroker()
  }

  private var dynamicSecurityPath: String { "\(rig.path)/dynamic-security.json" }

  private var passwordsPath: String { "\(rig.path)/users" }

  /// What the users of the broker may do; the broker reads it at its start and on SIGHUP.
  package var rightsPath: String { "\(rig.path)/acl" }

  package func write(rights: String) throws {
    try rights.write(toFile: rightsPath, atomically: true, encoding: .utf8)
  }

  /// Has the broker read the rights again; it has done so when this returns.
  package func reloadRights() throws {
    broker?.signal(SIGHUP)
    // It reads them before it looks at its connections again.
    try broker?.lines.next("the broker's word that it reads") { $0.contains("Reloading config") }
  }

  package var socketPath: String { "\(rig.path)/mqtt" }

  package func startBroker() throws {
    let config = "\(rig.path)/mosquitto.conf"
    var lines = ["listener 0 \(socketPath)"]
    if let port { lines.append("listener \(port) 127.0.0.1") }
    if hasDynamicSecurity {
      lines += [
        "allow_anonymous false", "plugin \(Self.dynamicSecurityPlugin)",
        "plugin_opt_config_file \(dynamicSecurityPath)",
      ]
    } else if users.isEmpty {
      lines.append("allow_anonymous true")
    } else {
      lines += [
        "allow_anonymous false", "password_file \(passwordsPath)", "acl_file \(rightsPath)",
      ]
    }
    lines += ["log_dest stderr", "log_type all"]
    // As root it would become a user who may not write here.
    lines.append("user root")
    if network != nil { lines.append("listener \(BridgeNetwork.port) 0.0.0.0") }
    if isPersistent {
      lines += [
        "persistence true", "persistence_location \(rig.path)/", "autosave_interval 1",
        "autosave_on_changes true",
      ]
    }
    try lines.joined(separator: "\n").write(toFile: config, atomically: true, encoding: .utf8)
    let broker = try rig.start(
      (network?.ofBroker ?? []) + ["mosquitto", "-c", config], package: "mosquitto")
    try broker.lines.next("the broker's start", within: 30) { $0.contains(" running") }
    self.broker = broker
  }

  /// Ends the broker, and returns when it has ended.
  ///
  /// - Parameter forgetting: it also loses what it has on disk.
  package func endBroker(_ signal: Int32? = nil, forgetting: Bool = false) throws {
    broker?.signal(signal ?? SIGTERM)
    try broker?.awaitEnd()
    unlink(socketPath)
    if forgetting { unlink("\(rig.path)/mosquitto.db") }
  }

  /// Starts a machine, and awaits that its bridge is connected.
  ///
  /// - Parameters:
  ///   - person: whose machine it is; a user of the broker's, if it has users.
  ///   - settings: further lines of `[mqtt]`.
  ///   - bus: the bridge's system bus. Without one the machine's own logind, if there is one, has no
  ///     part in the test.
  ///   - wrapper: a program that runs the bridge, such as `unshare …`.
  ///   - environment: of the daemon and the bridge, such as the address of a session bus.
  @discardableResult
  package func machine(
    _ name: String, of person: String = "alex", others: String = "change", settings: String = "",
    bus: String = "none", wrapper: [String] = [], environment: [String: String] = [:]
  ) throws -> Machine {
    let folder = "\(rig.path)/\(name)"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let daemon = try startDaemon(folder, environment)
    let link = try network?.join(name)
    var credentials = ""
    if !users.isEmpty {
      let path = "\(folder)/password"
      try person.write(toFile: path, atomically: true, encoding: .utf8)
      chmod(path, 0o600)
      credentials = "user = \"\(person)\"\npassword_file = \"\(path)\""
    }
    let config = """
      [mqtt]
      broker = "\(link?.broker ?? brokerURL)"
      person = "\(person)"
      device = "\(name)"
      others = "\(others)"
      keepalive = \(keepaliveSeconds)
      \(credentials)
      """
    try "\(config)\n\(settings)\n".write(
      toFile: "\(folder)/config.toml", atomically: true, encoding: .utf8)
    // Nothing is there unless a test puts it there: what rings must not be heard in the room. And
    // memory that was freed is overwritten (mallopt(3)): a program that still uses it fails.
    let environment = [
      "HOME": "\(rig.path)/home", "PATH": "\(rig.path)/bin", "DBUS_SYSTEM_BUS_ADDRESS": bus,
      "MALLOC_PERTURB_": "165",
    ].merging(environment) { $1 }
    let wrapper = (link?.wrapper ?? []) + wrapper
    let bridge = try startBridge(folder, environment, wrapper: wrapper)
    let machine = Machine(
      name: name, daemon: daemon, bridge: bridge, folder: folder, config: config,
      environment: environment, wrapper: wrapper)
    machines[name] = machine
    return machine
  }

  private var brokerURL: String {
    guard isTCP, let port else { return "unix:\(socketPath)" }
    return "mqtt://127.0.0.1:\(port)"
  }

  private func startDaemon(
    _ folder: String, _ environment: [String: String]
  ) throws -> DaemonProcess {
    try rig.daemon {
      $0.stateFolder = "\(folder)/state"
      $0.socketPath = "\(folder)/socket"
      $0.environment.merge(environment) { $1 }
    }
  }

  private func startBridge(
    _ folder: String, _ environment: [String: String], wrapper: [String]
  ) throws -> ChildProcess {
    let bridge = try rig.start(
      wrapper + [
        try Binaries.program("nightjar-mqtt"), "--socket", "\(folder)/socket", "--config",
        "\(folder)/config.toml", "--state-dir", "\(folder)/bridge",
      ], environment: environment)
    try bridge.lines.next("its connection", within: 90) { $0.contains("connected to") }
    return bridge
  }

  /// Starts a second bridge with the settings of a machine, beside the machine's own.
  package func startSecondBridge(of machine: Machine) throws -> ChildProcess {
    let folder = "\(rig.path)/second"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return try rig.start(
      [
        try Binaries.program("nightjar-mqtt"), "--socket", "\(folder)/socket", "--config",
        "\(machine.folder)/config.toml", "--state-dir", "\(folder)/bridge",
      ], environment: ["HOME": "\(rig.path)/home"])
  }

  /// Gives a machine other further settings, which its next bridge reads.
  package func configure(_ machine: Machine, _ settings: String) throws {
    try "\(machine.config)\n\(settings)\n".write(
      toFile: "\(machine.folder)/config.toml", atomically: true, encoding: .utf8)
  }

  /// Runs `nightjar` on a machine.
  package func nightjar(
    _ arguments: [String], on machine: Machine
  ) throws -> (end: ChildProcess.Change, output: String) {
    try rig.run(
      [try Binaries.nightjar()] + arguments, environment: machine.daemon.clientEnvironment)
  }

  /// kill -9 of a machine's daemon, and another in its place.
  package func restartDaemon(of machine: Machine) throws {
    machine.daemon.process.kill()
    machine.daemon = try startDaemon(
      machine.folder, machine.daemon.options.environment)
  }

  /// kill -9 of a machine's bridge, and another in its place.
  package func restartBridge(of machine: Machine) throws {
    machine.bridge.kill()
    machine.bridge = try startBridge(
      machine.folder, machine.environment, wrapper: machine.wrapper)
  }

  /// Waits until one machine sees another in a state.
  package func awaitState(_ state: String, of other: String, on machine: Machine) throws {
    do {
      try awaitTrue("\(machine.name) does not see \(other) \(state)") {
        try machine.status().devices.first { $0.device == other }?.state == state
      }
    } catch {
      let outputs = machines.values.map { "\($0.name): \($0.bridge.output)" }
      let status = broker?.lines.all.filter { $0.contains("\(other)") } ?? []
      throw Unmet(
        description:
          "\(error)\n\(outputs.joined(separator: "\n"))\n\(status.joined(separator: "\n"))")
    }
  }

  /// The first message below a filter of topics: one that the broker retains, or the next.
  package func message(on filter: String) throws -> String {
    try rig.tool(
      ["mosquitto_sub", "-V", "5", "--unix", socketPath, "-t", filter, "-C", "1", "-W", "60"],
      package: "mosquitto-clients", within: 90)
  }

  /// A program that prints the messages on a topic, a line each; it has subscribed when this returns.
  ///
  /// - Parameter format: what a line has, as mosquitto_sub(1) has it.
  package func follow(_ topic: String, format: String = "%p") throws -> ChildProcess {
    // Of two with one name the broker would end the first, which would begin anew.
    followers += 1
    let name = "follower\(followers)"
    let follower = try rig.start(
      [
        "mosquitto_sub", "-V", "5", "--unix", socketPath, "-i", name, "-t", topic, "-F",
        format,
      ], package: "mosquitto-clients")
    try broker?.lines.next("the subscription", within: 30) {
      $0.contains("Sending SUBACK to \(name)")
    }
    return follower
  }

  /// The status of a machine as the broker retains it.
  package func retainedStatus(of machine: Machine) throws -> JSONValue {
    let topic = "nightjar/alex/\(machine.name)/status"
    return try JSONValue.parse(message(on: topic))
  }

  /// Waits until one machine has another's timers, as their names and numbers say.
  ///
  /// It follows the mirror's own stream, so that nothing is asked again and again.
  package func awaitMirror(of other: String, on machine: Machine) throws {
    guard let owner = machines[other] else { throw Unmet(description: "there is no \(other)") }
    try awaitMirror(of: other, with: owner.daemon.connect().allTimers(), on: machine)
  }

  /// Waits until a machine has these timers of another, which need not be of this rig.
  package func awaitMirror(
    of other: String, with timers: [JSONValue], on machine: Machine
  ) throws {
    let wanted = Self.marks(timers)
    let socket = BridgePaths.device(other, in: machine.folder)
    try awaitTrue("\(machine.name) does not know \(other)") {
      (try? Connection(path: socket, deadline: .after(usec: second))) != nil
    }
    let connection = try machine.connect(to: other)
    let stream = try connection.stream(.watch())
    // All timers come first, and once more where something was missed.
    var (seen, all): ([String: JSONValue], [String: JSONValue]) = ([:], [:])
    var isSynced = false
    while !isSynced || Self.marks(Array(seen.values)) != wanted {
      guard let reply = try? stream.next(deadline: .after(usec: 90 * second)) else {
        throw Unmet(
          description: """
            \(machine.name) has \(Self.marks(Array(seen.values))) of \(other), not \(wanted)
            \(machine.bridge.output)
            """)
      }
      if reply["synced"]?.boolValue == true {
        (seen, all, isSynced) = (all, [:], true)
      } else if let timer = reply["timer"], let name = timer["name"]?.stringValue {
        if reply["event"] == nil, reply["missed_after"] == nil { all[name] = timer }
        seen[name] = timer
      } else if let name = reply["name"]?.stringValue ?? reply["event"]?["name"]?.stringValue {
        seen[name] = nil
      }
    }
  }

  private static func marks(_ timers: [JSONValue]) -> Set<String> {
    Set(
      timers.map {
        "\($0["name"]?.stringValue ?? "") \($0["id"]?.integerValue ?? 0) \($0["seq"]?.integerValue ?? 0)"
      })
  }
}

extension Connection {
  /// All timers, as they were sent.
  fileprivate func allTimers() throws -> [JSONValue] {
    try call(.list(), deadline: .after(usec: 90 * second))["timers"]?.arrayValue ?? []
  }
}
