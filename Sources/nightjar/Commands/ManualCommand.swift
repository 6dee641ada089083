import ArgumentParser

/// What `make install` asks: which manual pages there are, and each of them.
struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "__manual", abstract: "Print the names of the manual pages, or one of them.",
    shouldDisplay: false)

  @Argument var page: String?

  func run() throws {
    let pages = ManualPages.all
    guard let page else { return Output.ready(pages.map(\.fileName)) }
    guard let found = pages.first(where: { $0.fileName == page || $0.name == page }) else {
      throw CommandError.usage("no page is called '\(page)'; nightjar __manual lists them")
    }
    Output.text(found.text)
  }
}
