internal import ArgumentParser

/// Runs one hot path once, so that callgrind can count it.
struct Counting: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "count", abstract: "Run one hot path under callgrind, which counts it.",
    shouldDisplay: false)

  @Argument(help: "Its name.")
  var name: String

  func run() throws {
    guard let micro = Micro.all.first(where: { $0.name == name }) else {
      throw ValidationError("there is no \(name)")
    }
    let body = micro.prepare(micro.count)
    counted(body)
  }
}
