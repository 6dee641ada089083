import Glibc
import NightjarClient
import NightjarTime
import nightjar

/// `nightjar-rehearse`, which `nightjar rehearse` executes with the same arguments.
@main
enum Main {
  static func main() {
    Program.main(rehearse: rehearse)
  }

  private static func rehearse(_ options: RehearsalOptions) throws(CommandError) {
    let (name, text) = try Script.read(options.file)
    Terminal.askNobody()
    // The daemon sets NIGHTJAR_SEQ for commands and hooks, and changes by them cannot be undone. A
    // script's changes count as the user's, even if a command or a hook runs the script.
    unsetenv("NIGHTJAR_SEQ")
    // Rounded down to the second, like the clocks that users read.
    let here = Wall(
      nowUsec: LocalTime.nowUsec() / 1_000_000 * 1_000_000, zone: LocalTime.zone)
    let script = try Script(text, name: name, here: here)
    let rehearsal = try Rehearsal(script, limit: options.limit, defaults: .read())
    if options.isJSON { rehearsal.add(TimeLineJSON()) } else { rehearsal.add(TimeLine()) }
    var failure: CommandError?
    do throws(CommandError) {
      try rehearsal.play()
    } catch {
      failure = error
    }
    try rehearsal.end()
    if rehearsal.isCut {
      Output.complain(
        "ended after \(options.limit) events; --limit \(options.limit * 10) shows more")
    }
    if let failure { throw failure }
  }
}
