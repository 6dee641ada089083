import ArgumentParser
import Glibc

/// The program `nightjar` as a whole, from its arguments to its exit code.
package enum Program {
  package static func main() -> Never {
    exit(run(processArguments()) { try $0.run() })
  }

  /// Runs `nightjar-rehearse`. Its arguments are those of `nightjar rehearse`.
  package static func main(
    rehearse play: (RehearsalOptions) throws(CommandError) -> Void
  ) -> Never {
    let arguments = ["rehearse"] + processArguments()
    exit(
      run(arguments) { command in
        if let rehearse = command as? Rehearse {
          try play(rehearse.options())
        } else {
          // This is another command, such as a request for help.
          try command.run()
        }
      })
  }

  /// The arguments of this process. If an argument is not UTF-8, this ends the program, because
  /// `CommandLine.arguments` replaces invalid bytes, and two different names could become the same.
  private static func processArguments() -> [String] {
    var arguments: [String] = []
    for case let argument? in UnsafeBufferPointer(
      start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)
    ).dropFirst() {
      guard let text = String(validatingCString: argument) else {
        Output.complain(
          "an argument is not UTF-8: '\(String(cString: argument))'; encode it as UTF-8")
        exit(ExitStatus.usage.rawValue)
      }
      arguments.append(text)
    }
    return arguments
  }

  private static func run(
    _ arguments: [String], _ perform: (inout any ParsableCommand) throws -> Void
  ) -> Int32 {
    Output.openStandardDescriptors()
    do {
      var command = try parsed(arguments)
      try perform(&command)
      return ExitStatus.fine.rawValue
    } catch let error as CommandError {
      complain(error, arguments)
      return error.status.rawValue
    } catch {
      return report(error, arguments)
    }
  }

  /// Prints an error. A second line refers to the manual page of the error. If the error has no
  /// page and is about wrong usage, the second line refers to the page of the command. There is no
  /// second line if the message already suggests a correction.
  private static func complain(_ error: CommandError, _ arguments: [String]) {
    let isForReaders = error.topic != nil || error.status == .usage
    let message = "\(error.message)"
    guard isForReaders, !error.isQuestion else { return Output.complain(message) }
    let topic = error.topic ?? HelpTopic(ofCommandIn: arguments)
    Output.complain(message, reference: topic?.reference ?? HelpTopic.referenceToAll)
  }

  /// The command with its parsed arguments.
  ///
  /// - Throws: `CommandError`, or an error of the argument parser, which may be a request for help.
  static func parsed(
    _ arguments: [String], canAsk: Bool = true
  ) throws -> any ParsableCommand {
    try Nightjar.parseAsRoot(Invocation.rewritten(arguments, canAsk: canAsk))
  }

  /// Parses arguments, as `parsed` does, and asks nothing. An error of the argument parser becomes
  /// a `CommandError` with one sentence.
  static func parsedCommand(_ words: [String]) throws(CommandError) -> any ParsableCommand {
    do {
      return try parsed(words, canAsk: false)
    } catch let error as CommandError {
      throw error
    } catch {
      throw .usage(sentence(for: error))
    }
  }

  /// Prints what the argument parser throws: help on standard output, or an error as one sentence
  /// on standard error.
  private static func report(_ error: any Error, _ arguments: [String]) -> Int32 {
    let code = Nightjar.exitCode(for: error)
    guard !code.isSuccess else {
      Output.ready(Nightjar.fullMessage(for: error))
      return ExitStatus.fine.rawValue
    }
    complain(.usage(sentence(for: error)), arguments)
    return ExitStatus.usage.rawValue
  }

  /// The argument parser's message about an error, converted to one sentence.
  static func sentence(for error: any Error) -> String {
    oneSentence(Nightjar.message(for: error))
  }

  /// Joins the lines and sentences of a message of the parser into one sentence, in the style of
  /// the other messages.
  private static func oneSentence(_ text: String) -> String {
    // The parser lists values on lines of their own.
    let line = text.replacing(":\n  - ", with: ": ").replacing("\n  - ", with: ", ")
      .split(separator: "\n").joined(separator: " ")
    return line.replacing(". ", with: "\u{0}").split { $0 == "\u{0}" }
      .map { $0.prefix(1).lowercased() + $0.dropFirst() }
      .joined(separator: "; ")
      .trimmingSuffix { $0 == "." }
  }
}

extension String {
  /// The text without the characters at its end for which `isIncluded` is true.
  fileprivate func trimmingSuffix(while isIncluded: (Character) -> Bool) -> String {
    var text = self[...]
    while let last = text.last, isIncluded(last) { text.removeLast() }
    return String(text)
  }
}
