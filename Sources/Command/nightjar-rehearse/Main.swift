import Glibc
import NightjarClient
import NightjarTime
import nightjar

/// The program `nightjar-rehearse`. The command `nightjar rehearse` executes it with the same
/// arguments.
@main
enum Main {
  static func main() {
    Program.main(rehearse: rehearse)
  }

  private static func rehearse(_ options: RehearsalOptions) throws(CommandError) {
    let (name, text) = try Script.read(options.file)
    Terminal.disableQuestions()
    // NIGHTJAR_SEQ marks the changes of commands and hooks, which an undo does not revert. The
    // changes in a script count as the user's, even if a command or a hook runs the script.
    unsetenv("NIGHTJAR_SEQ")
    // The rehearsal begins at a full second, because the clocks that users read show no fractions.
    let here = WallClock(
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
    if rehearsal.isLimitReached {
      Output.complain(
        "ended after \(options.limit) events; --limit \(options.limit * 10) shows more")
    }
    if let failure { throw failure }
  }
}
