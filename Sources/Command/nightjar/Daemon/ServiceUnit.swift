import NightjarClient

/// The user manager's information about nightjar.service.
enum ServiceUnit {
  /// How long, in microseconds, another program may take to print its answer.
  static let timeoutUsec: Int64 = 5_000_000

  /// The runtime folder in which the user's service manager has its socket; nil: there is no
  /// manager.
  static var managerRuntimeDirectory: String? {
    guard let runtime = Environment.runtimeDirectory,
      Environment.fileExists("\(runtime)/systemd/private")
    else { return nil }
    return runtime
  }

  /// The properties of nightjar.service; nil if there is no manager, or the manager does not
  /// answer.
  static var properties: [String: String]? {
    guard let runtime = managerRuntimeDirectory else { return nil }
    let names = ["LoadState", "ActiveState", "UnitFileState", "MainPID"]
    let said = ProgramOutput.of(
      ["systemctl", "--user", "show", "nightjar.service"] + names.map { "--property=\($0)" },
      environment: ["XDG_RUNTIME_DIR": runtime], within: timeoutUsec)
    guard let said else { return nil }
    let pairs = said.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1) }
    return Dictionary(
      pairs.filter { $0.count == 2 }.map { (String($0[0]), String($0[1])) },
      uniquingKeysWith: { $1 })
  }

  /// The process id of the daemon; nil unless the daemon runs as the service.
  static var mainProcessID: Int32? {
    guard let id = properties?["MainPID"].flatMap({ Int32($0) }), id > 0 else { return nil }
    return id
  }
}
