/// The rule of a zone for all times after its last listed change, in the form of the POSIX variable
/// `TZ` and of the footer of RFC 8536: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct PosixRule: Equatable, Sendable {
  /// The day and time at which clocks are changed in each year.
  struct Change: Equatable, Sendable {
    enum Day: Equatable, Sendable {
      /// Jn: day n of the year, counted from 1. February 29 is never counted.
      case julian(Int)
      /// n: day n of the year, counted from 0. February 29 is counted.
      case zeroBased(Int)
      /// Mm.w.d: weekday `d` (0 is Sunday) of week `w` (5 is the last) of month `m`.
      case weekday(month: Int, week: Int, day: Int)
    }

    var day: Day
    /// The time of the change, in seconds after midnight by the clocks before the change. It may be
    /// negative or more than a day.
    var time: Int
  }

  /// Summer time: the setting of the clocks in summer, and the changes at the beginning and the
  /// end.
  struct Summer: Equatable, Sendable {
    let setting: ZoneRules.Setting
    let begins: Change
    let ends: Change
  }

  let standard: ZoneRules.Setting
  /// Summer time; nil: clocks are never changed.
  let summer: Summer?

  func setting(at second: Int64) -> ZoneRules.Setting {
    guard let summer else { return standard }
    let year = CivilTime(utcUsec: (second + Int64(standard.offset)) * 1_000_000).date.year
    let begin = instant(of: summer.begins, year: year, offset: standard.offset)
    let end = instant(of: summer.ends, year: year, offset: summer.setting.offset)
    let isSummer =
      begin < end ? (begin..<end).contains(second) : !(end..<begin).contains(second)
    return isSummer ? summer.setting : standard
  }

  /// The first change of the clocks after `second`; nil: clocks are never changed.
  func nextTransition(after second: Int64) -> ZoneRules.Transition? {
    guard let summer else { return nil }
    let year = CivilTime(utcUsec: second * 1_000_000).date.year
    var found: ZoneRules.Transition?
    // Because of the offset from UTC, a change may be in the year before or after.
    for year in (year - 1)...(year + 2) {
      let begin = instant(of: summer.begins, year: year, offset: standard.offset)
      let end = instant(of: summer.ends, year: year, offset: summer.setting.offset)
      for (at, before, after) in [
        (begin, standard, summer.setting), (end, summer.setting, standard),
      ] where at > second && at < found?.second ?? .max {
        found = ZoneRules.Transition(second: at, before: before, after: after)
      }
    }
    return found
  }

  private func instant(of change: Change, year: Int, offset: Int) -> Int64 {
    let newYear = CivilDate(year: year, month: 1, day: 1).daysSinceEpoch
    let day: Int
    switch change.day {
    case .zeroBased(let number): day = newYear + number
    case .julian(let number):
      day = newYear + number - 1 + (CivilDate.isLeap(year) && number >= 60 ? 1 : 0)
    case .weekday(let month, let week, let weekday):
      let first = CivilDate(year: year, month: month, day: 1).daysSinceEpoch
      // 1970-01-01 was a Thursday, 4 from Sunday.
      let firstWeekday = ((first + 4) % 7 + 7) % 7
      let offset = (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
      let isPast = offset >= CivilDate.daysInMonth(year: year, month: month)
      day = first + (isPast ? offset - 7 : offset)
    }
    return Int64(day) * 86_400 + Int64(change.time - offset)
  }
}

// MARK: - Parsing

extension PosixRule {
  /// Parses a rule (POSIX, "Environment Variables", TZ; RFC 8536, 3.3). Nil if it is invalid, or if
  /// an offset from UTC is a day or more, which no real zone has.
  init?(_ text: some Sequence<UInt8>) {
    var reader = Reader(bytes: Array(text)[...])
    guard let name = reader.name(), let west = reader.time(upTo: 24), abs(west) < 86_400 else {
      return nil
    }
    let standard = ZoneRules.Setting(offset: -west, isDST: false, abbreviation: name)
    if reader.bytes.isEmpty {
      self.init(standard: standard, summer: nil)
      return
    }
    guard let summerName = reader.name() else { return nil }
    var offset = standard.offset + 3_600
    if reader.bytes.first != UInt8(ascii: ",") {
      guard let west = reader.time(upTo: 24) else { return nil }
      offset = -west
    }
    guard abs(offset) < 86_400, let begins = reader.change(), let ends = reader.change(),
      reader.bytes.isEmpty
    else { return nil }
    let setting = ZoneRules.Setting(offset: offset, isDST: true, abbreviation: summerName)
    self.init(standard: standard, summer: Summer(setting: setting, begins: begins, ends: ends))
  }

  private struct Reader {
    var bytes: ArraySlice<UInt8>

    mutating func take(_ character: Character) -> Bool {
      guard let byte = bytes.first, byte == character.asciiValue else { return false }
      bytes.removeFirst()
      return true
    }

    /// Parses an abbreviation: letters, or any characters in angle brackets.
    mutating func name() -> String? {
      let isQuoted = take("<")
      let name = bytes.prefix { byte in
        isQuoted
          ? byte != UInt8(ascii: ">")
          : (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF)
      }
      bytes = bytes.dropFirst(name.count)
      guard name.count >= 3, !isQuoted || take(">") else { return nil }
      return String(decoding: name, as: UTF8.self)
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int? {
      let digits = bytes.prefix(while: isDigit)
      guard (1...3).contains(digits.count) else { return nil }
      bytes = bytes.dropFirst(digits.count)
      let value = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
      return range.contains(value) ? value : nil
    }

    /// Parses a time `[+-]hh[:mm[:ss]]`, in seconds.
    mutating func time(upTo hours: Int) -> Int? {
      let sign = take("-") ? -1 : 1
      if sign == 1 { _ = take("+") }
      guard let hour = number(0...hours) else { return nil }
      var seconds = hour * 3_600
      for unit in [60, 1] where take(":") {
        guard let value = number(0...59) else { return nil }
        seconds += value * unit
      }
      return sign * seconds
    }

    /// Parses a change `,date[/time]`. Without a time, it is at 2:00.
    mutating func change() -> Change? {
      guard take(",") else { return nil }
      let day: Change.Day
      if take("M") {
        guard let month = number(1...12), take("."), let week = number(1...5), take("."),
          let weekday = number(0...6)
        else { return nil }
        day = .weekday(month: month, week: week, day: weekday)
      } else if take("J") {
        guard let number = number(1...365) else { return nil }
        day = .julian(number)
      } else {
        guard let number = number(0...365) else { return nil }
        day = .zeroBased(number)
      }
      guard take("/") else { return Change(day: day, time: 7_200) }
      return time(upTo: 167).map { Change(day: day, time: $0) }
    }
  }
}
