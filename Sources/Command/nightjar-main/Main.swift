import nightjar

@main
enum Main {
  static func main() {
    Program.main()
  }
}
