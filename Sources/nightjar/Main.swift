import Glibc

@main
enum Main {
  static func main() {
    // Swift mends what is not UTF-8, and two names that differ would be one.
    var arguments: [String] = []
    for case let argument? in UnsafeBufferPointer(
      start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)
    ).dropFirst() {
      guard let text = String(validatingCString: argument) else {
        Output.complain(
          "an argument is not UTF-8: '\(String(cString: argument))'; write it in that")
        exit(ExitStatus.usage.rawValue)
      }
      arguments.append(text)
    }
    exit(Program.run(arguments))
  }
}
