import Glibc

@main
enum Main {
  static func main() {
    // Swift mends what is not UTF-8, and two names that differ would be one.
    for argument in UnsafeBufferPointer(
      start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    {
      guard let argument, String(validatingCString: argument) == nil else { continue }
      Output.complain("an argument is not UTF-8: '\(String(cString: argument))'; write it in that")
      exit(ExitStatus.usage.rawValue)
    }
    exit(Program.run(Array(CommandLine.arguments.dropFirst())))
  }
}
