import Glibc
import NightjarClient
import NightjarTime
import nightjar

/// `nightjar-rehearse`, which `nightjar rehearse` becomes: it takes the same arguments.
@main
enum Main {
  static func main() {
    Program.main(rehearse: rehearse)
  }

  private static func rehearse(_ options: RehearsalOptions) throws(CommandError) {
    let (name, text) = try Script.read(options.file)
    Terminal.askNobody()
    // What a script changes a person changes, also where a command of a timer or a hook plays it.
    unsetenv("NIGHTJAR_SEQ")
    // To the second, as people's clocks show it.
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
        "ended behind \(options.limit) events; --limit \(options.limit * 10) shows more")
    }
    if let failure { throw failure }
  }
}
