import ArgumentParser
import NightjarInterface
import NightjarModel
import NightjarVarlink

/// The options for the effects of a timer's ring, such as a command or a sound.
struct RingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Run a command when it rings: one argument, split into words without a shell. The command "
        + "finds what happened in NIGHTJAR_NAME, NIGHTJAR_EVENT and others.", valueName: "command"))
  var exec: String?

  @Option(help: ArgumentHelp("The same, by /bin/sh.", valueName: "command"))
  var shell: String?

  @Option(
    help: ArgumentHelp(
      "Run it on these events in place of fired: band_crossed, paused, cancelled, ...",
      valueName: "event,..."), completion: .list(EventWords.ofTimers))
  var execOn: [String] = []

  @Option(help: ArgumentHelp("How long it may run: a minute unless given.", valueName: "span"))
  var execTimeout: String?

  @Option(
    help: ArgumentHelp(
      "An environment variable for the command, by default with its present value; may be given "
        + "several times.",
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
      "How long it rings unless answered: an alarm 10 minutes, others a minute unless given; 0 is "
        + "one sound.", valueName: "span"))
  var ringFor: String?

  @Option(
    help: ArgumentHelp(
      "How loud it is, in per cent of the full sound: \(Limits.volumeWords).", valueName: "n"))
  var volume: String?

  @Option(
    help: ArgumentHelp(
      "How long its sound takes to rise from quiet to that volume: 20 s unless given.",
      valueName: "span"))
  var rising: String?

  @Option(
    help: ArgumentHelp(
      "Ring again this long after the end of an unanswered ring, at most "
        + "\(Limits.ringsOfExpiry - 1) times.",
      valueName: "span"))
  var insist: String?

  @Flag(help: "Make its sound also while the notification server is paused.")
  var disturb = false

  @Flag(help: "Make no sound while the notification server is paused.")
  var noDisturb = false

  /// The options that the user gave; nil: the user gave none.
  ///
  /// - Parameter command: the words after `--`.
  func words(behindTerminator command: [String] = []) throws(CommandError) -> RingWords? {
    guard command.isEmpty || exec == nil && shell == nil else {
      throw .usage("give a command after --, or --\(exec == nil ? "shell" : "exec"), not both")
    }
    guard exec == nil || shell == nil else {
      throw .usage("give --exec or --shell, not both")
    }
    guard sound == nil || !silent else { throw .usage("give --sound or --silent, not both") }
    var words = RingWords()
    words.command = try exec.map { (text) throws(CommandError) in try RingWords.command(text) }
    if !command.isEmpty { words.command = try RingWords.command(words: command) }
    if let shell {
      guard let command = RingWords.shell(shell) else {
        throw .usage("--shell has no command in it; write one such as 'paplay bell.oga'")
      }
      words.command = command
    }
    words.events = try RingWords.events(execOn)
    words.timeoutUsec = try execTimeout.map { (text) throws(CommandError) in
      try RingWords.timeout(text)
    }
    words.environment = try env.map { (text) throws(CommandError) in try RingWords.variable(text) }
    words.sound = try sound.map { (path) throws(CommandError) in try RingWords.sound(path) }
    words.isSilent = silent ? true : nil
    words.ringForUsec = try ringFor.map { (text) throws(CommandError) in
      try RingWords.span(text, option: "--ring-for", in: 0...Limits.ringUsec)
    }
    words.volume = try volume.map { (text) throws(CommandError) in try RingWords.volume(text) }
    words.risingUsec = try rising.map { (text) throws(CommandError) in
      try RingWords.span(text, option: "--rising", in: 0...Limits.ringUsec)
    }
    words.insistUsec = try insist.map { (text) throws(CommandError) in
      try RingWords.span(text, option: "--insist", in: Limits.insistUsec)
    }
    guard !(disturb && noDisturb) else {
      throw .usage("give --disturb or --no-disturb, not both")
    }
    if disturb || noDisturb { words.disturbs = disturb }
    return words == RingWords() ? nil : words
  }
}
