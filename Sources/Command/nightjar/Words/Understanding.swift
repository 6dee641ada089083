import NightjarTime

extension CommandError {
  package init(_ problem: WordsProblem) {
    self = .usage(problem.sentence, see: problem.page == nil ? nil : .time)
  }

  /// The result of `body`, or its problem as an error of a command.
  package static func understanding<Result>(
    _ body: () throws(WordsProblem) -> Result
  ) throws(CommandError) -> Result {
    do throws(WordsProblem) { return try body() } catch { throw CommandError(error) }
  }

  /// What `read` makes of a text. If the text has several readings, the user is asked on a terminal
  /// which one is meant.
  static func asking<Result>(
    _ text: String, _ read: (String) throws(WordsProblem) -> Result
  ) throws(CommandError) -> Result {
    do throws(WordsProblem) { return try read(text) } catch {
      guard Terminal.canAsk, let (reason, texts) = error.choice,
        let index = Output.choose(
          "\(reason); which?", texts.map { "\($0.words) (\($0.meaning))" })
      else { throw CommandError(error) }
      return try asking(texts[index].words, read)
    }
  }
}

extension FirstWords {
  /// The words of this command line, with its verbs and presets.
  init(_ words: some Sequence<String>, at wall: WallClock) {
    self.init(words, at: wall, verbs: Invocation.verbs) { name in
      (try? Presets.read().names.contains(name)) ?? false
    }
  }

  /// The arguments that the words mean; nil: they mean nothing. If there are two readings, the user
  /// is asked on a terminal.
  ///
  /// - Throws: `CommandError`: there are two readings, and nobody can be asked.
  func arguments(canAsk: Bool) throws(CommandError) -> [String]? {
    if canAsk, Terminal.canAsk, case let readings = readings, readings.count > 1,
      let index = Output.choose("\(question); which?", readings.map(line))
    {
      return readings[index].arguments
    }
    return try CommandError.understanding(command)
  }
}
