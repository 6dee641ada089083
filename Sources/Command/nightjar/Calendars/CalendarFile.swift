import NightjarModel
import NightjarTime

/// A sentence about a line of a calendar file.
struct CalendarProblem: Error, Equatable {
  let line: Int
  let sentence: String
}

/// An iCalendar file (RFC 5545). Its all-day events are converted to days. Events with a time of
/// day and cancelled events are left out.
struct CalendarFile {
  /// The number of calendar years for which the days of repeating events are computed. The first
  /// is that of today.
  static let years = 10

  private let lines: [CalendarLine]

  /// Whether the first line begins a component, as `BEGIN:VCALENDAR` does.
  var isCalendar: Bool { lines.first?.name == "BEGIN" }

  /// A line ends with CR, LF or both. A line that begins with a blank continues the line before it
  /// (RFC 5545, 3.1). Bytes are joined, because some programs divide a letter between two lines.
  init(_ bytes: [UInt8]) {
    var lines: [(number: Int, bytes: [UInt8])] = []
    var number = 0
    var rest = bytes[...]
    if rest.starts(with: "\u{FEFF}".utf8) { rest.removeFirst(3) }
    while !rest.isEmpty {
      number += 1
      let line = rest.prefix { !"\r\n".utf8.contains($0) }
      rest = rest[line.endIndex...]
      rest = rest.dropFirst(rest.starts(with: "\r\n".utf8) ? 2 : 1)
      if let first = line.first, " \t".utf8.contains(first), !lines.isEmpty {
        lines[lines.count - 1].bytes += line.dropFirst()
      } else if !line.isEmpty {
        lines.append((number, Array(line)))
      }
    }
    self.lines = lines.map { CalendarLine($0.bytes, number: $0.number) }
  }

  /// The days of all events.
  ///
  /// - Parameter today: repeating events are computed from the year before this day on.
  func days(from today: Int32) throws(CalendarProblem) -> [DayRange] {
    let end = CivilDate(daysSinceEpoch: Int(today)).year + Self.years
    let window = Int(today) - 370...CivilDate(year: end, month: 1, day: 1).daysSinceEpoch - 1
    let events = Self.newest(of: try events())
    let changes = events.filter { $0["RECURRENCE-ID"] != nil }
    var changesOfUID = Dictionary(grouping: changes, by: \.uid)
    changesOfUID[""] = nil
    // The lines of changes that no longer count.
    var obsolete: Set<Int> = []
    var ranges: [DayRange] = []
    for event in events.filter({ $0["RECURRENCE-ID"] == nil }) + changes {
      if event.isCancelled || obsolete.contains(event.line) { continue }
      let changes = changesOfUID[event.uid, default: []]
      for (day, length) in try event.days(in: window, changes: changes, obsolete: &obsolete) {
        let (first, last) = (max(day, 0), min(day + length - 1, Int(Limits.days.upperBound)))
        if first <= last { ranges.append(DayRange(first: Int32(first), last: Int32(last))) }
      }
    }
    return ranges
  }

  private func events() throws(CalendarProblem) -> [CalendarEvent] {
    var events: [CalendarEvent] = []
    var event: CalendarEvent?
    var isMessage = false
    // The lines that begin the components around the current line; the innermost is the last.
    var open: [CalendarLine] = []
    for line in lines {
      switch line.name {
      case "BEGIN":
        open.append(line)
        if event == nil, line.word == "VEVENT" {
          event = CalendarEvent(line: line.number, isMessage: isMessage)
        }
      case "METHOD": isMessage = true
      case "END":
        let begin = open.popLast()
        guard let begin, begin.word == line.word else {
          let reason = begin.map { "comes before END:\($0.word), which line \($0.number) asks for" }
          throw CalendarProblem(
            line: line.number, sentence: "END:\(line.word) \(reason ?? "has no BEGIN before it")")
        }
        if let ended = event, ended.line == begin.number {
          events.append(ended)
          event = nil
        }
      default: if let begin = open.last, begin.number == event?.line { event?.lines.append(line) }
      }
    }
    if let begin = open.last {
      throw CalendarProblem(
        line: begin.number,
        sentence: "BEGIN:\(begin.word) has no END, because the file is cut off; fetch it again")
    }
    return events
  }

  /// The events without those that have a later SEQUENCE in the file (RFC 5545, 3.8.7.4).
  private static func newest(of events: [CalendarEvent]) -> [CalendarEvent] {
    let key: (CalendarEvent) -> [String] = { [$0.uid, $0["RECURRENCE-ID"]?.value ?? ""] }
    let newest = Dictionary(events.map { (key($0), $0.sequence) }, uniquingKeysWith: max)
    return events.filter { $0.uid.isEmpty || $0.sequence == newest[key($0)] }
  }
}

/// A line such as `DTSTART;VALUE=DATE:20261224` (RFC 5545, 3.1).
private struct CalendarLine {
  let number: Int
  /// The name of the property, in capitals.
  let name: String
  /// The whole line if it has no colon.
  let value: String
  private let parameters: [Substring]

  /// The value in capitals.
  var word: String { value.uppercased() }

  init(_ bytes: [UInt8], number: Int) {
    self.number = number
    var isQuoted = false
    let colon = bytes.firstIndex { byte in
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      return byte == UInt8(ascii: ":") && !isQuoted
    }
    let head = String(decoding: bytes[..<(colon ?? bytes.endIndex)], as: UTF8.self)
    let tail = colon.map { String(decoding: bytes[($0 + 1)...], as: UTF8.self) }
    parameters = head.split(separator: ";")
    name = ExceptDays.trimmed(parameters.first ?? "").uppercased()
    value = ExceptDays.trimmed(tail ?? head)
  }

  /// The value of a parameter such as `TZID=Europe/Berlin`, without quotes.
  func parameter(_ name: String) -> String? {
    parameters.first { $0.uppercased().hasPrefix("\(name)=") }
      .map { $0.dropFirst(name.count + 1).filter { $0 != "\"" } }
  }
}

/// The lines of an event (RFC 5545, 3.6.1).
private struct CalendarEvent {
  /// The number of the line with which the event begins.
  let line: Int
  /// Whether a METHOD is in front of the event. Such an event may lack DTSTART.
  let isMessage: Bool
  var lines: [CalendarLine] = []

  subscript(name: String) -> CalendarLine? { lines.last { $0.name == name } }

  var uid: String { self["UID"]?.value ?? "" }
  var sequence: Int { Int(self["SEQUENCE"]?.value ?? "") ?? 0 }
  var isCancelled: Bool { self["STATUS"]?.word == "CANCELLED" }

  /// The zone of DTSTART. Nil: it has none, or one that the zone database does not have.
  private var zone: ZoneRules? {
    self["DTSTART"]?.parameter("TZID").flatMap { ZoneDatabase.zone(named: $0) }
  }

  private func problem(_ line: Int, _ reason: String) -> CalendarProblem {
    // A TEXT value has backslashes before some characters (RFC 5545, 3.3.11).
    let summary = self["SUMMARY"]?.value.replacing("\\n", with: " ").filter { $0 != "\\" } ?? ""
    return CalendarProblem(line: line, sentence: "the event '\(summary)' \(reason)")
  }

  /// The first days of all occurrences, and their lengths in days. An event with a time of day has
  /// none.
  ///
  /// - Parameters:
  ///   - changes: the events that replace occurrences of this one (RFC 5545, 3.8.4.4).
  ///   - obsolete: receives the lines of the changes of days that this event excludes, and of older
  ///     changes of days that it no longer has.
  func days(
    in window: ClosedRange<Int>, changes: [CalendarEvent], obsolete: inout Set<Int>
  ) throws(CalendarProblem) -> [Int: Int] {
    guard let (first, length) = try span() else { return [:] }
    var lengths = [first: length]
    if self["RECURRENCE-ID"] != nil { return lengths }
    for line in lines where line.name == "RRULE" && !line.value.isEmpty {
      let days = try days(of: line, from: first, in: window)
      // A rule that ends before the event begins leaves no occurrence.
      if days.isEmpty { lengths[first] = nil }
      for day in days { lengths[day] = length }
    }
    if let line = self["EXRULE"] {
      throw problem(line.number, "has an EXRULE, which is obsolete; write its days one by one")
    }
    for (item, line) in items("RDATE") {
      // A period has a slash before its end or duration.
      let parts = item.split(separator: "/", maxSplits: 1)
      let start = try time(parts.first ?? "", in: line)
      lengths[start.midnight] =
        parts.count < 2 ? length : Self.days(try seconds(from: start, to: parts[1], in: line))
    }
    var excluded: Set<Int> = []
    for (item, line) in items("EXDATE") { excluded.insert(try time(item, in: line).midnight) }
    for day in excluded { lengths[day] = nil }
    for change in changes {
      guard let line = change["RECURRENCE-ID"] else { continue }
      guard line.parameter("RANGE") == nil else {
        throw change.problem(line.number, "changes other days, too; write its days one by one")
      }
      let day = try time(line.value, in: line).midnight
      let isFound = lengths.removeValue(forKey: day) != nil
      let isOld = !isFound && change.sequence < sequence
      if isOld || excluded.contains(day) { obsolete.insert(change.line) }
    }
    return lengths
  }

  /// The values of all lines with a name. Commas separate values.
  private func items(_ name: String) -> [(item: Substring, line: CalendarLine)] {
    lines.filter { $0.name == name }
      .flatMap { line in line.value.split(separator: ",").map { ($0, line) } }
  }

  private func days(
    of line: CalendarLine, from first: Int, in window: ClosedRange<Int>
  ) throws(CalendarProblem) -> [Int] {
    do throws(CalendarRule.Problem) {
      return try CalendarRule(line.value, zone: zone).days(from: first, in: window)
    } catch {
      throw problem(
        line.number,
        "repeats by '\(line.value)', and '\(error.part)' is not understood for whole days; write "
          + "its days one by one")
    }
  }

  /// The first day and the length in days. Nil: the event has a time of day. An event from midnight
  /// to midnight is on whole days, as Outlook writes them.
  private func span() throws(CalendarProblem) -> (first: Int, length: Int)? {
    guard let start = self["DTSTART"] else {
      if isMessage { return nil }
      throw problem(line, "has no DTSTART")
    }
    let begin = try time(start.value, in: start)
    var seconds = 0
    let end = self["DTEND"] ?? self["DURATION"]
    if let end { seconds = try self.seconds(from: begin, to: end.value, in: end) }
    let isMarked = self["X-MICROSOFT-CDO-ALLDAYEVENT"]?.word == "TRUE"
    let isMidnight = begin.second == 0 && !begin.isUTC && seconds > 0 && seconds % 86_400 == 0
    guard begin.second == nil || isMarked || isMidnight else { return nil }
    guard seconds >= 0 else { throw problem(end?.number ?? line, "ends before it begins") }
    return (begin.midnight, Self.days(seconds))
  }

  /// A length in days. An end that equals the start is read as one day.
  private static func days(_ seconds: Int) -> Int { max(1, (seconds + 86_399) / 86_400) }

  /// The seconds from a time to another one, or of a duration.
  private func seconds(
    from begin: CalendarTime, to text: some StringProtocol, in line: CalendarLine
  ) throws(CalendarProblem) -> Int {
    if let seconds = CalendarTime.seconds(ofDuration: String(text)) { return seconds }
    let end = try time(text, in: line)
    return (end.day - begin.day) * 86_400 + (end.second ?? 0) - (begin.second ?? 0)
  }

  private func time(
    _ text: some StringProtocol, in line: CalendarLine
  ) throws(CalendarProblem) -> CalendarTime {
    let text = ExceptDays.trimmed(text)
    if let time = CalendarTime(text, zone: zone) { return time }
    throw problem(line.number, "has no date in \(line.name): '\(text)'")
  }
}

/// A date such as `20261224`, or a date with a time of day, such as `20261224T090000Z` (RFC 5545,
/// 3.3.4 and 3.3.5).
struct CalendarTime {
  /// The number of days since 1970-01-01.
  private(set) var day: Int
  /// The seconds since midnight. Nil: no time of day is written.
  private(set) var second: Int?
  private(set) var isUTC: Bool

  /// Nil: the text is no date.
  ///
  /// - Parameter zone: the zone to which a time in UTC is converted; nil: to none.
  init?(_ text: String, zone: ZoneRules?) {
    var digits = Array(text.uppercased().utf8)
    isUTC = digits.count == 16 && digits.last == UInt8(ascii: "Z")
    if isUTC { digits.removeLast() }
    if digits.count == 15, digits[8] == UInt8(ascii: "T") { digits.remove(at: 8) }
    guard [8, 14].contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }) else {
      return nil
    }
    let number = digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    let hasTime = digits.count == 14
    let (date, time) = (hasTime ? number / 1_000_000 : number, hasTime ? number % 1_000_000 : 0)
    let civil = CivilDate(year: date / 10_000, month: date / 100 % 100, day: date % 100)
    day = civil.daysSinceEpoch
    // A date that does not exist, such as February 30, is counted as another one.
    guard CivilDate(daysSinceEpoch: day) == civil, time < 240_000 else { return nil }
    guard hasTime else { return }
    let seconds = time / 10_000 * 3600 + time / 100 % 100 * 60 + time % 100
    second = seconds
    guard isUTC, let zone else { return }
    let local = zone.civil(atUsec: Int64(day * 86_400 + seconds) * 1_000_000)
    (day, second, isUTC) = (local.date.daysSinceEpoch, Int(local.usecOfDay / 1_000_000), false)
  }

  /// The day that the time stands for. A time in UTC is the midnight of an unknown zone, so it
  /// stands for the nearest midnight, unless it is a last second such as `T225959Z`.
  var midnight: Int {
    guard isUTC, let second, second >= 43_200, second % 60 == 0 else { return day }
    return day + 1
  }

  /// The seconds of a duration such as `P1W` or `-P1DT2H` (RFC 5545, 3.3.6); nil: it is none.
  static func seconds(ofDuration text: String) -> Int? {
    let units: [Character: Int] = [
      "+": 0, "-": 0, "P": 0, "T": 0, "W": 604_800, "D": 86_400, "H": 3600, "M": 60, "S": 1,
    ]
    let text = text.uppercased()
    // M is minutes, and these are behind T.
    guard text.contains("P"), text.contains("T") || !text.contains("M") else { return nil }
    var (seconds, number) = (0, 0)
    for character in text {
      if character.isASCII, let digit = character.wholeNumberValue, number < 10_000_000 {
        number = number * 10 + digit
      } else if let unit = units[character] {
        seconds += number * unit
        number = 0
      } else {
        return nil
      }
    }
    return text.hasPrefix("-") ? -seconds : seconds
  }
}
