import Glibc
import NightjarClient
import NightjarConfig
import NightjarTime

extension LiveScreen {
  /// How long after an escape the rest of its sequence may arrive, in milliseconds.
  private static let sequenceMsec: Int32 = 25
  private static let minuteUsec: Int64 = 60_000_000
  private static let page = 10
  /// The number of lines that one notch of the wheel scrolls.
  private static let notch = 3

  mutating func readKeys() {
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    guard count > 0 else {
      // The terminal was closed.
      if count == 0 || errno != EINTR { isOver = true }
      return
    }
    bytes.removeLast(bytes.count - count)
    if KeyReader.mayContinue(bytes) { bytes += restOfSequence() }
    isMute = false
    for key in keys.keys(in: bytes) where !isOver && !isMute { press(key) }
  }

  /// The bytes that arrive right after an escape. They are read separately, because a sequence may
  /// arrive in two pieces over a slow line.
  private func restOfSequence() -> ArraySlice<UInt8> {
    var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard poll(&request, 1, Self.sequenceMsec) > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    return bytes.prefix(max(0, count))
  }

  private mutating func press(_ key: Key) {
    if key == .control("l") { return terminal.forget() }
    guard state.prompt == nil else { return type(key) }
    // A message hides the keys of the last line.
    if case .click(let line, let column) = key,
      let pressed = layout.footerKey(line: line, column: column, state)
    {
      return press(pressed)
    }
    state.message = nil
    guard !state.isHelpShown else { return readHelp(key) }
    guard !state.isClockShown else { return readClock(key) }
    guard state.detailsFrom == nil else { return readDetails(key) }
    switch key {
    case .up, .character("k"): state.move(by: -1)
    case .down, .character("j"): state.move(by: 1)
    case .pageUp: state.move(by: -Self.page)
    case .pageDown: state.move(by: Self.page)
    case .home: state.move(by: -.max / 2)
    case .end: state.move(by: .max / 2)
    case .wheel(let notches): state.move(by: notches)
    case .click(let line, let column): click(line: line, column: column)
    case .enter: if state.selectedIndex != nil { state.detailsFrom = 0 }
    case .escape: state.filter = ""
    case .character("q"): isOver = true
    case .character("?"), .character("h"): state.isHelpShown = true
    case .character("n"): ask(.start)
    case .character("/"): ask(.find)
    case .character("u"): undo()
    case .character("z"): state.isClockShown = true
    case .character(let character):
      if let number = character.wholeNumberValue, number > 0 { startPreset(number) }
      act(character)
    case .left, .right, .backspace, .delete, .control: break
    }
  }

  /// Selects the timer at a position of the screen. A click on the selected timer shows its
  /// details.
  private mutating func click(line: Int, column: Int) {
    guard let index = layout.timerIndex(line: line, column: column, state) else { return }
    if index == state.selectedIndex { state.detailsFrom = 0 } else { state.select(index) }
  }

  /// The new first line after a key scrolls a text that is longer than the screen; nil: the key
  /// does not scroll.
  private static func scrolled(_ from: Int, by key: Key, last: Int) -> Int? {
    func moved(_ lines: Int) -> Int { min(last, max(0, min(from, last) + lines)) }
    return switch key {
    case .up, .character("k"): moved(-1)
    case .down, .character("j"): moved(1)
    case .pageUp: moved(-page)
    case .pageDown: moved(page)
    case .home: 0
    case .end: last
    case .wheel(let notches): moved(notches * notch)
    default: nil
    }
  }

  private mutating func readHelp(_ key: Key) {
    let from = Self.scrolled(state.helpFrom, by: key, last: layout.lastHelpLine(state))
    (state.isHelpShown, state.helpFrom) = (from != nil, from ?? 0)
  }

  /// Applies a key while a clock fills the screen.
  private mutating func readClock(_ key: Key) {
    switch key {
    case .escape, .enter, .character("z"): state.isClockShown = false
    case .character("q"): isOver = true
    case .character("?"), .character("h"): state.isHelpShown = true
    case .character(let character):
      // A key is for the timer that the clock shows.
      if state.ringingNowCount > 0 { state.select(0) }
      act(character)
    default: break
    }
  }

  /// Starts a preset by its number. The file is read again, because the user may have changed it.
  private mutating func startPreset(_ number: Int) {
    do throws(ConfigError) { try readPresets() } catch {
      return state.message = .wrong(error.description)
    }
    guard number <= state.presets.count else {
      let count = state.presets.count
      state.message = .wrong(
        "there \(count == 1 ? "is 1 preset" : "are \(count) presets"); "
          + "\(Typed.nightjar) presets save NAME adds one")
      return
    }
    do throws(CommandError) {
      try start("start \(Quoting.quoted(state.presets[number - 1]))")
    } catch {
      isMute = error.isPrinted
      state.message = .wrong(sentence(for: error))
    }
  }

  mutating func readPresets() throws(ConfigError) { state.presets = try Presets.read().names }

  /// Applies a key while the details of a timer are shown.
  private mutating func readDetails(_ key: Key) {
    let last = layout.lastDetailsLine(state)
    if let from = Self.scrolled(state.detailsFrom ?? 0, by: key, last: last) {
      state.detailsFrom = from
      return
    }
    switch key {
    case .enter, .escape, .backspace, .left: state.detailsFrom = nil
    case .character("q"): isOver = true
    case .character("?"), .character("h"): state.isHelpShown = true
    case .character("n"): ask(.start)
    case .character("u"): undo()
    case .character(let character): act(character)
    default: break
    }
  }

  /// Applies the key of an operation to the selected timer.
  private mutating func act(_ character: Character) {
    guard let timer = state.selectedTimer else { return }
    let name = timer.name
    switch character {
    case " ":
      switch timer.state {
      case .running: send(.perform(.pause, name: name))
      case .paused: send(.perform(.resume, name: name))
      case .waiting: send(.perform(.advance, name: name))
      case .over, .cancelled, .other: break
      }
    case "+", "=": send(Call(Wire.Extend(name: name, byUsec: Self.minuteUsec)))
    case "-": send(Call(Wire.Extend(name: name, byUsec: -Self.minuteUsec)))
    case "e": ask(.extend(name))
    case "s": send(Call(Wire.Snooze(name: name, byUsec: Snooze.usualUsec)))
    case "d": send(.perform(.dismiss, name: name), echo: \.dismissed)
    case "r": send(.perform(.restart, name: name))
    case "l": send(.perform(.lap, name: name))
    case "c", "x":
      if timer.state == .cancelled {
        send(.perform(.remove, name: name), echo: \.removed)
      } else {
        send(.perform(.cancel, name: name), echo: \.ended)
      }
    default: break
    }
  }

  // MARK: Typing

  private mutating func ask(_ purpose: ScreenState.Prompt.Purpose) {
    var line = LineEditor(history: history[purpose.historyKey] ?? [])
    if purpose == .find { line.text = state.filter }
    state.prompt = ScreenState.Prompt(purpose: purpose, line: line)
  }

  private mutating func type(_ key: Key) {
    guard var prompt = state.prompt else { return }
    switch key {
    case .escape: return cancel(prompt)
    case .backspace where prompt.line.text.isEmpty: return cancel(prompt)
    case .enter: return finish(prompt)
    default:
      guard prompt.line.press(key) else { return }
      prompt.error = nil
      state.prompt = prompt
      if prompt.purpose == .find { state.filter = prompt.line.text }
    }
  }

  private mutating func cancel(_ prompt: ScreenState.Prompt) {
    state.prompt = nil
    if prompt.purpose == .find { state.filter = "" }
  }

  private mutating func finish(_ prompt: ScreenState.Prompt) {
    let text = prompt.line.text
    guard text.contains(where: { $0 != " " }) else { return cancel(prompt) }
    history[prompt.purpose.historyKey] = prompt.line.updatedHistory
    do throws(CommandError) {
      switch prompt.purpose {
      case .start: try start(text)
      case .extend(let name):
        let span = try DurationArgument(text)
        try change(Call(Wire.Extend(name: name, byUsec: span.usec)))
      case .find: break
      }
      state.prompt = nil
    } catch {
      // The input stays after an error, so that the user can correct it. This is also the case if
      // the daemon refused the call.
      let sentence = sentence(for: error)
      state.prompt?.error = sentence
      isMute = error.isPrinted
    }
  }

  /// Starts a timer, from the words of a command that starts timers.
  private mutating func start(_ text: String) throws(CommandError) {
    let command = try StartLine.command(text)
    let request = try command.request(at: .here)
    // The screen is drawn again completely, because reading the configuration may have printed a
    // warning.
    terminal.forget()
    let reply = try request.reply(of: session())
    let said = [try request.echo(reply), try request.save(reply)].compactMap { $0 }
    state.message = .notice(said.joined(separator: "; "))
    state.awaited = try Session.timer(in: reply).name
    state.show(follower.board.inOrder())
  }
}

extension ScreenState.Prompt.Purpose {
  /// The key of the history of inputs. It does not contain the timer's name, so that an input for
  /// one timer is offered again for another.
  fileprivate var historyKey: String {
    switch self {
    case .start: "start"
    case .extend: "extend"
    case .find: "find"
    }
  }
}
