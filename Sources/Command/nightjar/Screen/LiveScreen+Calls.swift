import NightjarClient
import Varlink

/// The calls that the screen makes on connections of its own, besides the stream that it follows.
extension LiveScreen {
  /// How long the answer to a key may take, in microseconds.
  private static let timeoutUsec: Int64 = 1_000_000

  /// A new connection for a call whose answer must arrive within `timeoutUsec`.
  ///
  /// - Throws: `CommandError`, also if the daemon was stopped by a signal and therefore cannot
  ///   answer.
  func session() throws(CommandError) -> Session {
    guard !isStopped(state.backgroundCauses) else {
      let place = follower.session.device.map { " on \($0)" } ?? ""
      throw CommandError(.noDaemon, "the daemon is stopped; continue it\(place) with kill -CONT")
    }
    return try follower.session.openAgain(limit: .after(usec: Self.timeoutUsec))
  }

  /// The message about a failed call. An empty message of the error means that the daemon did not
  /// answer in time.
  func sentence(for error: CommandError) -> String {
    let who = follower.session.device ?? "the daemon"
    return error.isPrinted
      ? "\(who) does not answer, and may still make the change" : "\(error.message)"
  }

  /// Makes the daemon change a timer, and shows a message about the result.
  ///
  /// - Parameter echo: makes the text after the timer's name.
  mutating func change(
    _ call: Call, echo: (TimerText) -> String = { $0.facts() }
  ) throws(CommandError) {
    let session = try session()
    let reply: JSONValue
    switch try session.change(call) {
    case .success(let answer): reply = answer
    case .failure(let refusal): throw session.explained(refusal, isChange: true)
    }
    let timer = try Session.timer(in: reply)
    state.message = .notice("\(timer.name): \(echo(TimerText(timer)))")
  }

  /// Undoes the last change that a person made, and shows what it was.
  mutating func undo() {
    do throws(CommandError) {
      let lines = try Undo.lines(session().call(Call(Wire.Undo())))
      state.message = .notice(lines.joined(separator: "; "))
    } catch {
      isMute = error.isPrinted
      state.message = .wrong(sentence(for: error))
    }
  }

  /// Makes the daemon change a timer, as `change` does. If that fails, shows the error.
  mutating func send(_ call: Call, echo: (TimerText) -> String = { $0.facts() }) {
    do throws(CommandError) {
      try change(call, echo: echo)
    } catch {
      isMute = error.isPrinted
      state.message = .wrong(sentence(for: error))
    }
  }

  /// Reads the story of the selected timer, if the screen shows the story and it is out of date.
  mutating func learnStory() {
    let areas = layout.areas(state)
    guard areas.focus != nil || areas.details != nil, !isOutOfReach,
      let timer = state.selectedTimer,
      state.isStoryStale || state.story?.name != timer.name || state.story?.id != timer.id
    else { return }
    var story = ScreenState.Story(name: timer.name, id: timer.id)
    do throws(CommandError) {
      let replies = try session().callAll([
        Call(Wire.Why(name: timer.name)), Call(Wire.Get(name: timer.name)),
      ])
      if case .success(let reply) = replies[0] {
        let parsed = try CommandError.explaining { () throws(ClientError) in
          try Wire.Why.Reply(reply)
        }
        let text = StoryText(parsed, machine: [], timer: timer, nowUsec: LocalTime.nowUsec())
        story.lines = text.lines
      }
      if case .success(let reply) = replies[1] {
        story.facts = Show.facts(timer, reply["timer"] ?? .null, at: .here)
      }
    } catch {
      // The screen works without the story, and other code shows the daemon's failure. After the
      // daemon's next message about the timer, the screen reads the story again.
    }
    state.story = story
    state.isStoryStale = false
  }
}
