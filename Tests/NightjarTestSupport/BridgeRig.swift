import Foundation
import Glibc
package import NightjarClient
internal import NightjarInterface
internal import NightjarModel
package import Varlink

/// A real mosquitto and several machines. Each machine has a daemon and a bridge, in a folder of
/// its own.
package final class BridgeRig {
  package let rig: Rig
  package private(set) var broker: ChildProcess?
  private let isPersistent: Bool
  /// The broker's port on 127.0.0.1; nil: the broker listens only on its UNIX socket.
  package let port: UInt16?
  private let isTCP: Bool
  private let keepaliveSeconds: Int
  private let users: [String]
  private let hasDynamicSecurity: Bool
  /// Further lines of the broker's configuration. The next start of the broker reads them.
  package var brokerSettings: [String]
  private var followers = 0
  package private(set) var machines: [String: Machine] = [:]
  package let network: BridgeNetwork?

  /// The path of the plugin in Debian's package mosquitto.
  private static let dynamicSecurityPlugin =
    "/usr/lib/x86_64-linux-gnu/mosquitto_dynamic_security.so"

  package final class Machine {
    package let name: String
    package fileprivate(set) var daemon: DaemonProcess
    package fileprivate(set) var bridge: ChildProcess
    package let folder: String
    /// The configuration of the machine's bridge, without the further settings of the test.
    fileprivate let config: String
    fileprivate let environment: [String: String]
    fileprivate let wrapper: [String]

    fileprivate init(
      name: String, daemon: DaemonProcess, bridge: ChildProcess, folder: String,
      config: String, environment: [String: String], wrapper: [String]
    ) {
      (self.name, self.daemon, self.bridge, self.folder) = (name, daemon, bridge, folder)
      (self.config, self.environment, self.wrapper) = (config, environment, wrapper)
    }

    /// Connects to the socket at which this machine serves the timers of another machine.
    package func connect(to other: String) throws -> Connection {
      try connect(path: BridgePaths.device(other, in: folder))
    }

    package func connect(toSession path: String) throws -> Connection {
      try connect(path: BridgePaths.session(SessionAddress.word(of: path), in: folder))
    }

    private func connect(path: String) throws -> Connection {
      try Connection(path: path, deadline: .after(usec: 90 * second))
    }

    package func status() throws -> BridgeWire.Status.Reply {
      let call = Call(method: "\(BridgeInterface.name).Status")
      return try BridgeWire.Status.Reply(
        connect(path: BridgePaths.status(in: folder))
          .call(call, deadline: .after(usec: 90 * second)))
    }
  }

  /// - Parameters:
  ///   - isPersistent: whether the broker keeps retained messages across a restart.
  ///   - hasPort: whether the broker also listens on a port, for machines that are not part of this
  ///     rig.
  ///   - isTCP: whether the bridges connect to a port instead of a UNIX socket.
  ///   - hasNetwork: whether the broker and each machine have networks of their own, with links
  ///     that a test can cut.
  ///   - users: the users of the broker. The password of each user is the user's name. If empty,
  ///     the broker accepts every client.
  ///   - rights: the topics that the users may read and write, in the format of mosquitto's
  ///     `acl_file`.
  ///   - hasDynamicSecurity: whether mosquitto's plugin is used in place of the files with
  ///     passwords and rights. The administrator of the plugin is `admin` with the password
  ///     `admin`.
  ///   - brokerSettings: further lines of the broker's configuration.
  package init(
    isPersistent: Bool = false, keepaliveSeconds: Int = 5, hasPort: Bool = false,
    isTCP: Bool = false, hasNetwork: Bool = false, users: [String] = [], rights: String = "",
    hasDynamicSecurity: Bool = false, brokerSettings: [String] = []
  ) throws {
    rig = try Rig()
    self.users = users
    self.isPersistent = isPersistent
    self.keepaliveSeconds = keepaliveSeconds
    self.isTCP = isTCP
    port = hasPort || isTCP ? try FreePort.find() : nil
    network = hasNetwork ? try BridgeNetwork(rig) : nil
    self.hasDynamicSecurity = hasDynamicSecurity
    self.brokerSettings = brokerSettings
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

  /// The path of the file with the rights of the broker's users. The broker reads the file when it
  /// starts, and on SIGHUP.
  package var rightsPath: String { "\(rig.path)/acl" }

  package func write(rights: String) throws {
    try rights.write(toFile: rightsPath, atomically: true, encoding: .utf8)
  }

  package func reloadRights() throws {
    broker?.signal(SIGHUP)
    // The broker reads the rights before it serves its connections again.
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
    lines += ["log_dest stderr", "log_type all"] + brokerSettings
    // If mosquitto ran as root without this setting, it would change to a user who cannot write
    // here.
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

  /// Ends the broker and waits for its end.
  ///
  /// - Parameter forgetting: whether to delete the broker's data on disk as well.
  package func endBroker(_ signal: Int32? = nil, forgetting: Bool = false) throws {
    broker?.signal(signal ?? SIGTERM)
    try broker?.awaitEnd()
    unlink(socketPath)
    if forgetting { unlink("\(rig.path)/mosquitto.db") }
  }

  /// Starts a machine, and waits until its bridge is connected.
  ///
  /// - Parameters:
  ///   - person: the user of the machine. If the broker has users, it must be one of them.
  ///   - settings: further lines for `[mqtt]` of the configuration.
  ///   - bus: the address of the bridge's system bus. Without a bus, the bridge finds no logind,
  ///     not even that of the host.
  ///   - wrapper: a command prefix that runs the bridge, such as `unshare …`.
  ///   - environment: additional variables of the daemon and the bridge, such as the address of a
  ///     session bus. Without them, the machine has a synchronised clock that `setClock` can
  ///     change.
  @discardableResult package func machine(
    _ name: String, of person: String = "alex", others: String = "change", settings: String = "",
    bus: String = "none", wrapper: [String] = [], environment: [String: String] = [:]
  ) throws -> Machine {
    let folder = try privateFolder(name)
    let clock = try DaemonProcess.fakeClocks("\(folder)/wall-clock")
    try setClock(in: folder, isSynchronized: true)
    let daemon = try startDaemon(folder, clock.merging(environment) { $1 })
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
    try Self.write(config, settings, in: folder)
    // PATH has only the programs that the test installs, so that no ring is audible. Freed memory
    // is overwritten (mallopt(3)), so that a program that uses it after freeing fails.
    let environment = [
      "HOME": "\(rig.path)/home", "PATH": "\(rig.path)/bin", "DBUS_SYSTEM_BUS_ADDRESS": bus,
      "MALLOC_PERTURB_": "165",
    ].merging(clock) { $1 }.merging(environment) { $1 }
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

  /// Sets whether a machine's kernel reports its clock as synchronised, and shifts the clock by a
  /// number of seconds.
  package func setClock(
    of machine: Machine, isSynchronized: Bool, seconds: Int64 = 0
  ) throws {
    try setClock(in: machine.folder, isSynchronized: isSynchronized, seconds: seconds)
  }

  private func setClock(in folder: String, isSynchronized: Bool, seconds: Int64 = 0) throws {
    try "\(seconds) 0 \(isSynchronized ? 1 : -1)".write(
      toFile: "\(folder)/wall-clock", atomically: true, encoding: .utf8)
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
      wrapper + bridgeCommand(folder, config: folder), environment: environment)
    try bridge.lines.next("its connection", within: 90) { $0.contains("connected to") }
    return bridge
  }

  /// Starts a second bridge with the settings of a machine. The machine's own bridge keeps running.
  package func startSecondBridge(of machine: Machine) throws -> ChildProcess {
    try rig.start(
      bridgeCommand(privateFolder("second"), config: machine.folder),
      environment: ["HOME": "\(rig.path)/home"])
  }

  private func privateFolder(_ name: String) throws -> String {
    let folder = "\(rig.path)/\(name)"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return folder
  }

  private func bridgeCommand(_ folder: String, config: String) throws -> [String] {
    [
      try Binaries.program("nightjar-mqtt"), "--socket", "\(folder)/socket", "--config",
      "\(config)/config.toml", "--state-dir", "\(folder)/bridge",
    ]
  }

  /// Replaces the further settings of a machine. The machine's next bridge reads them.
  package func configure(_ machine: Machine, _ settings: String) throws {
    try Self.write(machine.config, settings, in: machine.folder)
  }

  private static func write(_ config: String, _ settings: String, in folder: String) throws {
    try "\(config)\n\(settings)\n".write(
      toFile: "\(folder)/config.toml", atomically: true, encoding: .utf8)
  }

  package func nightjar(
    _ arguments: [String], on machine: Machine
  ) throws -> (end: ChildProcess.Change, output: String) {
    try rig.run(
      [try Binaries.nightjar()] + arguments, environment: machine.daemon.clientEnvironment)
  }

  package func restartDaemon(of machine: Machine) throws {
    machine.daemon.process.kill()
    machine.daemon = try startDaemon(machine.folder, machine.daemon.options.environment)
  }

  package func restartBridge(of machine: Machine) throws {
    machine.bridge.kill()
    machine.bridge = try startBridge(machine.folder, machine.environment, wrapper: machine.wrapper)
  }

  package func awaitState(_ state: String, of other: String, on machine: Machine) throws {
    do {
      try awaitTrue("\(machine.name) does not see \(other) \(state)") {
        try machine.status().devices.first { $0.device == other }?.state.rawValue == state
      }
    } catch {
      let outputs = machines.values.map { "\($0.name): \($0.bridge.output)" }
      let status = broker?.lines.all.filter { $0.contains("\(other)") } ?? []
      throw Unmet(
        description:
          "\(error)\n\(outputs.joined(separator: "\n"))\n\(status.joined(separator: "\n"))")
    }
  }

  /// Waits until the broker gives a machine up.
  package func awaitTimeout(of machine: Machine) throws {
    try broker?.lines.pick("the end of \(machine.name)") {
      $0.contains("nightjar-alex-\(machine.name) has exceeded timeout")
    }
  }

  /// Waits until a machine gives the broker up.
  package func awaitLoss(on machine: Machine) throws {
    try machine.bridge.lines.next("the loss on \(machine.name)") {
      $0.contains("not connected to")
    }
  }

  /// The first message on the topics that match a filter. It is a message that the broker has
  /// retained, or else the next one.
  package func message(on filter: String) throws -> String {
    try rig.tool(
      ["mosquitto_sub", "-V", "5", "--unix", socketPath, "-t", filter, "-C", "1", "-W", "60"],
      package: "mosquitto-clients", within: 90)
  }

  /// Starts a program that prints the messages on a topic, one on each line. When this returns, the
  /// program has subscribed.
  ///
  /// - Parameter format: the format of a line (mosquitto_sub(1)).
  package func follow(_ topic: String, format: String = "%p") throws -> ChildProcess {
    // Each program has a client name of its own. If two had the same name, the broker would close
    // the first connection, and that program would connect again.
    followers += 1
    let name = "follower\(followers)"
    let follower = try rig.start(
      ["mosquitto_sub", "-V", "5", "--unix", socketPath, "-i", name, "-t", topic, "-F", format],
      package: "mosquitto-clients")
    try broker?.lines.next("the subscription", within: 30) {
      $0.contains("Sending SUBACK to \(name)")
    }
    return follower
  }

  /// The message that the broker has retained on a topic of a machine of alex.
  package func retained(_ topic: String, of machine: Machine) throws -> JSONValue {
    try JSONValue.parse(message(on: "nightjar/alex/\(machine.name)/\(topic)"))
  }

  /// Waits until a machine has the timers of another machine, with the same names and event
  /// numbers.
  ///
  /// This reads the stream of the mirror, so it need not poll.
  package func awaitMirror(of other: String, on machine: Machine) throws {
    guard let owner = machines[other] else { throw Unmet(description: "there is no \(other)") }
    try awaitMirror(of: other, with: owner.daemon.connect().allTimers(), on: machine)
  }

  /// Waits until a machine has these timers of another machine, which need not be part of this rig.
  package func awaitMirror(of other: String, with timers: [JSONValue], on machine: Machine) throws {
    let wanted = Self.marks(timers)
    let socket = BridgePaths.device(other, in: machine.folder)
    try awaitTrue("\(machine.name) does not know \(other)") {
      (try? Connection(path: socket, deadline: .after(usec: second))) != nil
    }
    let connection = try machine.connect(to: other)
    let stream = try connection.stream(.watch())
    // The stream lists all timers at its beginning, and again after a gap.
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
  fileprivate func allTimers() throws -> [JSONValue] {
    try call(.list(), deadline: .after(usec: 90 * second))["timers"]?.arrayValue ?? []
  }
}
