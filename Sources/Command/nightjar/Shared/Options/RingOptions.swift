import ArgumentParser
import NightjarInterface
import NightjarModel
import Varlink

/// The options for the effects of a timer's ring, such as a command or a sound.
struct RingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Run a command when the timer rings. COMMAND is one argument, which is split into words "
        + "without a shell. The variables NIGHTJAR_NAME, NIGHTJAR_EVENT and others describe the "
        + "event to the command.", valueName: "command"))
  var exec: String?

  @Option(
    help: ArgumentHelp("Run a command with /bin/sh when the timer rings.", valueName: "command"))
  var shell: String?

  @Option(
    help: ArgumentHelp(
      "Run the command on these events instead of rang: band_crossed, paused, cancelled, ...",
      valueName: "event,..."), completion: .list(Wire.EventType.timerEvent.map(\.rawValue)))
  var execOn: [String] = []

  @Option(
    help: ArgumentHelp("How long the command may run. By default a minute.", valueName: "span"))
  var execTimeout: String?

  @Option(
    help: ArgumentHelp(
      "An environment variable for the command. Without VALUE, the variable keeps the value that "
        + "it has now. May be given several times.",
      valueName: "key[=value]"))
  var env: [String] = []

  @Option(
    help: ArgumentHelp(
      "The sound: a file, or one of the built-in sounds chime, marimba and pulse.",
      valueName: "sound"), completion: TimerCompletion.sounds)
  var sound: String?

  @Flag(help: "Make no sound.")
  var silent = false

  @Option(
    help: ArgumentHelp(
      "How long the timer rings if the user does not answer. By default 10 minutes for an alarm, "
        + "and a minute for other timers. 0 plays the sound once.", valueName: "span"))
  var ringFor: String?

  @Option(
    help: ArgumentHelp(
      "The volume of the sound in per cent, \(Limits.volumeWords).", valueName: "n"))
  var volume: String?

  @Option(
    help: ArgumentHelp(
      "How long the sound takes to rise from quiet to that volume. By default 20 s.",
      valueName: "span"))
  var rising: String?

  @Option(
    help: ArgumentHelp(
      "If the user does not answer a ring, ring again this long after its end, at most "
        + "\(Limits.ringsOfExpiry - 1) times.",
      valueName: "span"))
  var insist: String?

  @Flag(help: "Play the sound even while the notification server is paused (do not disturb).")
  var disturb = false

  @Flag(help: "Play no sound while the notification server is paused.")
  var noDisturb = false

  /// The options that the user gave; nil: the user gave none.
  ///
  /// - Parameter command: the words after `--`.
  func ring(behindTerminator command: [String] = []) throws(CommandError) -> Wire.Ring? {
    guard command.isEmpty || exec == nil && shell == nil else {
      throw .usage("give a command after --, or --\(exec == nil ? "shell" : "exec"), not both")
    }
    guard exec == nil || shell == nil else {
      throw .usage("give --exec or --shell, not both")
    }
    guard sound == nil || !silent else { throw .usage("give --sound or --silent, not both") }
    var ring = Wire.Ring()
    ring.exec = try exec.map { (text) throws(CommandError) in try RingWords.command(text) }
    if !command.isEmpty { ring.exec = try RingWords.command(words: command) }
    if let shell {
      guard let command = RingWords.shell(shell) else {
        throw .usage("--shell has no command in it; write one such as 'paplay bell.oga'")
      }
      ring.exec = command
    }
    if !execOn.isEmpty { ring.on = try RingWords.events(execOn) }
    ring.timeoutUsec = try execTimeout.map { (text) throws(CommandError) in
      try RingWords.timeout(text)
    }
    for text in env {
      let variable = try RingWords.variable(text)
      ring.environment = ring.environment ?? [:]
      ring.environment?[variable.key] = variable.value
    }
    ring.sound = try sound.map { (path) throws(CommandError) in try RingWords.sound(path) }
    ring.silent = silent ? true : nil
    ring.ringForUsec = try ringFor.map { (text) throws(CommandError) in
      try RingWords.span(text, option: "--ring-for", in: 0...Limits.ringUsec)
    }
    ring.volume = try volume.map { (text) throws(CommandError) in try RingWords.volume(text) }
    ring.risingUsec = try rising.map { (text) throws(CommandError) in
      try RingWords.span(text, option: "--rising", in: 0...Limits.ringUsec)
    }
    ring.insistUsec = try insist.map { (text) throws(CommandError) in
      try RingWords.span(text, option: "--insist", in: Limits.insistUsec)
    }
    guard !(disturb && noDisturb) else {
      throw .usage("give --disturb or --no-disturb, not both")
    }
    if disturb || noDisturb { ring.disturb = disturb }
    return ring == Wire.Ring() ? nil : ring
  }
}
