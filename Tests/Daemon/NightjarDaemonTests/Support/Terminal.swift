import NightjarTestSupport

extension DaemonProcess {
  func terminal(
    _ arguments: [String], of rig: Rig, environment: [String: String] = [:], width: Int = 80,
    height: Int = 16
  ) throws -> TerminalProcess {
    try TerminalProcess(
      [try Binaries.nightjar()] + arguments, of: rig,
      environment: clientEnvironment.merging(environment) { $1 }, width: width, height: height)
  }
}
