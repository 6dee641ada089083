internal import NightjarTime

/// A difference between the rights in a file and those that a table requires.
public struct AccessDifference: Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// The file does not give a right, or a part of a right, that the table requires.
    case missing
    /// A line of the file denies a right, or a part of a right, that the table requires.
    case denied
    /// The file gives a right, or a part of a right, that the table does not contain.
    case beyond
    /// mosquitto refuses the line.
    case unknown
  }

  public var kind: Kind
  /// The line in the file; nil: the difference is not about a single line.
  public var line: Int?
  /// One sentence without the position and without a full stop.
  public var sentence: String
}

extension AccessList {
  /// The differences between the rights in this file and those in a table. Rights that only the
  /// file has are reported only for topics below the table's prefix, because a broker may have
  /// topics of other programs. O(persons × patterns + lines × groups).
  ///
  /// - Parameters:
  ///   - name: the table's name in sentences.
  /// - Returns: first the missing rights, then the file's lines in their order.
  public func differences(from table: PersonsTable, called name: String) -> [AccessDifference] {
    var check = AccessCheck(file: self, table: table, name: name)
    let ofLines =
      entries.compactMap { check.beyond($0) }
      + unknown.map {
        AccessDifference(
          kind: .unknown, line: $0.line,
          sentence: "mosquitto does not understand this line: '\($0.text)'")
      }
    return check.missing() + ofLines.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
  }
}

/// Compares a file with a table.
private struct AccessCheck {
  private var given: RightsBook
  private var wanted: RightsBook
  private let entries: [AccessList.Entry]
  private let persons: [[UInt8]]
  private let below: TopicFilter
  private let name: String

  init(file: AccessList, table: PersonsTable, name: String) {
    let list = AccessList(table)
    (given, wanted, entries) = (RightsBook(file), RightsBook(list), list.entries)
    persons = (table.persons + table.homes.map(\.name)).map { Array($0.utf8) }
    below = TopicFilter(TopicFilter.levels(of: table.prefix), isOpen: true)
    self.name = name
  }

  private static func text(_ user: [UInt8]) -> String { String(decoding: user, as: UTF8.self) }

  private static func words(_ access: [AccessList.Access], _ conjunction: String) -> String {
    ConfigTable.list(access.map(\.rawValue), conjunction)
  }

  // MARK: - What is missing

  /// The rights of the table that the file lacks.
  mutating func missing() -> [AccessDifference] {
    var differences: [AccessDifference] = []
    for entry in entries { differences += missing(entry) }
    return differences
  }

  private mutating func missing(_ entry: AccessList.Entry) -> [AccessDifference] {
    guard case .user(let user) = entry.subject else { return [] }
    let person = Self.text(user)
    var absent: [AccessList.Access] = []
    var denials: [(entry: AccessList.Entry, access: [AccessList.Access])] = []
    for action in entry.access.actions {
      let rights = given.rights(of: entry.subject, action)
      if !rights.give(entry.filter) {
        absent.append(action)
      } else if let denial = rights.denial(of: entry.filter) {
        if let index = denials.firstIndex(where: { $0.entry == denial }) {
          denials[index].access.append(action)
        } else {
          denials.append((denial, [action]))
        }
      }
    }
    var differences = denials.map { denial, access in
      AccessDifference(
        kind: .denied, line: denial.line,
        sentence: "\(person) may not \(Self.words(access, "or")) all of \(entry.filter), although "
          + "\(name) allows it: this line denies \(denial.filter)")
    }
    if !absent.isEmpty {
      differences.append(
        AccessDifference(
          kind: .missing, line: nil,
          sentence: "\(person) may not \(Self.words(absent, "or")) \(entry.filter), although "
            + "\(name) allows it"))
    }
    return differences
  }

  // MARK: - What is there beyond

  /// The rights that a line gives and the table does not contain; nil: none.
  mutating func beyond(_ entry: AccessList.Entry) -> AccessDifference? {
    var access: [AccessList.Access] = []
    var who: [String] = []
    func add(_ more: [AccessList.Access], _ name: String) {
      guard !more.isEmpty else { return }
      access += more
      who.append(name)
    }
    switch entry.subject {
    case .user(let user): add(excess(entry, of: entry.subject), Self.text(user))
    case .anonymous: add(excess(entry, of: .anonymous), "a client without a user name")
    case .everyone:
      for person in persons { add(excess(entry, of: .user(person)), Self.text(person)) }
      add(excess(entry, of: .everyone), "every user who is not in \(name)")
    }
    guard !access.isEmpty else { return nil }
    let actions = AccessList.Access.actions.filter(access.contains)
    return AccessDifference(
      kind: .beyond, line: entry.line,
      sentence: "\(ConfigTable.list(who, "and")) may \(Self.words(actions, "and")) "
        + "\(entry.filter), although \(name) does not allow it")
  }

  /// The rights that a line gives to a subject and the table does not contain.
  private mutating func excess(
    _ entry: AccessList.Entry, of subject: AccessList.Subject
  ) -> [AccessList.Access] {
    let filter =
      entry.subject == .everyone ? entry.filter.replacing(user: subject) : entry.filter
    guard let part = filter.intersection(below) else { return [] }
    return entry.access.actions.filter { action in
      let own = given.rights(of: subject, action)
      let denied = own.denials + (entry.subject == .everyone ? own.sureDenials : [])
      let table = wanted.rights(of: subject, action).ofUser
      return !part.isCovered(by: (table + denied).map(\.filter))
    }
  }
}

// MARK: - What one user may do

/// The lines that decide whether a user may read, or may write. mosquitto checks the user's own
/// lines before the patterns, and within each of the two, the denials first.
private struct Rights {
  var ofUser: [AccessList.Entry] = []
  var denials: [AccessList.Entry] = []
  var ofPatterns: [AccessList.Entry] = []
  /// The patterns that deny. `sureDenials` are those that apply to every client ID. A client can
  /// avoid the others, because it chooses its ID.
  var patternDenials: [AccessList.Entry] = []
  var sureDenials: [AccessList.Entry] = []

  /// Whether the lines together give all topics of a filter, without regard to denials.
  func give(_ filter: TopicFilter) -> Bool {
    filter.isCovered(by: (ofUser + ofPatterns).map(\.filter))
  }

  /// The first line that denies a right to some topics of a filter, although other lines give that
  /// right.
  func denial(of filter: TopicFilter) -> AccessList.Entry? {
    if let entry = denials.first(where: { $0.filter.intersection(filter) != nil }) { return entry }
    // A pattern denies only rights that come from patterns.
    return patternDenials.first {
      guard let common = $0.filter.intersection(filter) else { return false }
      return !common.isCovered(by: ofUser.map(\.filter))
    }
  }
}

/// The rights of a list, by user.
private struct RightsBook {
  private struct Key: Hashable {
    var subject: AccessList.Subject
    var action: AccessList.Access
  }

  private var entries: [AccessList.Subject: [AccessList.Entry]]
  private var known: [Key: Rights] = [:]

  init(_ list: AccessList) {
    entries = Dictionary(grouping: list.entries, by: \.subject)
  }

  /// - Parameter subject: `everyone` means a user that no line names.
  mutating func rights(of subject: AccessList.Subject, _ action: AccessList.Access) -> Rights {
    let key = Key(subject: subject, action: action)
    if let rights = known[key] { return rights }
    var rights = Rights()
    for entry in subject == .everyone ? [] : entries[subject] ?? [] {
      if entry.access == .deny {
        rights.denials.append(entry)
      } else if entry.access.actions.contains(action) {
        rights.ofUser.append(entry)
      }
    }
    for pattern in entries[.everyone] ?? [] {
      var entry = pattern
      entry.filter = pattern.filter.replacing(user: subject)
      if entry.access == .deny {
        rights.patternDenials.append(entry)
        if !pattern.filter.hasClientID { rights.sureDenials.append(entry) }
      } else if entry.access.actions.contains(action) {
        rights.ofPatterns.append(entry)
      }
    }
    known[key] = rights
    return rights
  }
}

extension TopicFilter {
  private static let userMark = Array("%u".utf8)
  private static let clientMark = Array("%c".utf8)
  /// Stands for any user that no line of the file names. No topic contains this byte.
  private static let stranger: [UInt8] = [0]

  fileprivate var hasClientID: Bool {
    levels.contains { $0.firstPlace(of: Self.clientMark) != nil }
  }

  private static func replacing(userMarkIn level: ArraySlice<UInt8>, with name: [UInt8]) -> [UInt8]
  {
    guard let place = level.firstPlace(of: userMark) else { return Array(level) }
    return level[..<place.lowerBound] + name
      + replacing(userMarkIn: level[place.upperBound...], with: name)
  }

  /// A pattern for one user. A level with the client's ID becomes a wildcard.
  fileprivate func replacing(user subject: AccessList.Subject) -> TopicFilter {
    var name = Self.stranger
    if case .user(let user) = subject { name = user }
    return TopicFilter(
      levels.map { level in
        level.firstPlace(of: Self.clientMark) != nil
          ? Self.wildcard : Self.replacing(userMarkIn: level[...], with: name)
      }, isOpen: isOpen)
  }
}
