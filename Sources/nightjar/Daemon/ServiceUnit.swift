import NightjarClient

/// The user manager's information about nightjar.service.
enum ServiceUnit {
  /// How long, in microseconds, another program may take to answer a question.
  static let patienceUsec: Int64 = 5_000_000

  /// The manager's runtime folder; nil: there is no manager.
  static var managerRuntimeDirectory: String? {
    guard let runtime = Environment.runtimeDirectory,
      Environment.fileExists("\(runtime)/systemd/private")
    else { return nil }
    return runtime
  }

  /// The unit's properties; nil if there is no manager, or it does not answer.
  static var properties: [String: String]? {
    guard let runtime = managerRuntimeDirectory else { return nil }
    let names = ["LoadState", "ActiveState", "UnitFileState", "MainPID"]
    let said = ProgramOutput.of(
      ["systemctl", "--user", "show", "nightjar.service"] + names.map { "--property=\($0)" },
      environment: ["XDG_RUNTIME_DIR": runtime], within: patienceUsec)
    guard let said else { return nil }
    let pairs = said.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1) }
    return Dictionary(
      pairs.filter { $0.count == 2 }.map { (String($0[0]), String($0[1])) },
      uniquingKeysWith: { $1 })
  }

  /// The daemon's process, while it runs as the service.
  static var mainProcessID: Int32? {
    guard let id = properties?["MainPID"].flatMap({ Int32($0) }), id > 0 else { return nil }
    return id
  }
}
