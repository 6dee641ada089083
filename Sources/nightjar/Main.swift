import Glibc

@main
enum Main {
  static func main() {
    exit(Program.run(Array(CommandLine.arguments.dropFirst())))
  }
}
