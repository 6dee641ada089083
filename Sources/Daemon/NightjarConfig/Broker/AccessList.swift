internal import NightjarModel

/// The rights of a broker's users, as in a file for mosquitto's `acl_file` (mosquitto.conf(5)).
public struct AccessList: Equatable, Sendable {
  /// The clients that a line is about.
  public enum Subject: Hashable, Sendable {
    /// A user of the broker, by the bytes of the name, which brokers compare.
    case user([UInt8])
    /// Clients without a user name: the lines before the first `user`.
    case anonymous
    /// All clients. `pattern` applies its topic to each client, with `%u` and `%c` replaced by the
    /// user and the client ID.
    case everyone
  }

  /// The access that a line gives, in mosquitto's words.
  public enum Access: String, CaseIterable, Sendable {
    /// Receive messages.
    case read
    /// Publish messages.
    case write
    /// Receive and publish messages.
    case readwrite
    /// No access. This line has priority over lines that give access.
    case deny

    /// The actions that this access includes: `read`, `write`, both or none.
    var actions: [Access] { Access.actions.filter { self == $0 || self == .readwrite } }

    /// The access that can be given separately.
    static let actions: [Access] = [.read, .write]
  }

  /// A line that mosquitto accepts.
  public struct Entry: Equatable, Sendable {
    public var subject: Subject
    public var access: Access
    public var filter: TopicFilter
    /// The number of the line in the file, from 1; nil: the line is in no file.
    public var line: Int?
  }

  /// A line that mosquitto refuses.
  public struct UnknownLine: Equatable, Sendable {
    /// The number of the line, from 1.
    public var line: Int
    public var text: String
  }

  /// The rights and denials, in the order of the lines.
  public private(set) var entries: [Entry] = []
  /// The lines that mosquitto refuses, in order.
  public private(set) var unknown: [UnknownLine] = []
}

// MARK: - Of a table

extension AccessList {
  /// The prefix of Home Assistant's own topics.
  private static let home = "homeassistant"

  /// The rights of each person in a table. A person reads and writes all topics of that person. In
  /// a group, a member reads everything, and writes below the member's own name. A member also
  /// reads the presence of the other members' machines. A Home Assistant reads the topics that the
  /// machines of its persons publish for it, and writes their command topics.
  public init(_ table: PersonsTable) {
    let prefix = TopicFilter.levels(of: table.prefix)
    func add(
      _ access: Access, _ user: String, _ prefix: [[UInt8]], _ levels: [String], isOpen: Bool = true
    ) {
      entries.append(
        Entry(
          subject: .user(Array(user.utf8)), access: access,
          filter: TopicFilter(prefix + levels.map { Array($0.utf8) }, isOpen: isOpen)))
    }
    for person in table.persons {
      func give(_ access: Access, _ levels: [String]) { add(access, person, prefix, levels) }
      give(.readwrite, [person])
      for group in table.groups where group.members.contains(person) {
        let name = "\(SessionAddress.groupMark)\(group.name)"
        give(.read, [name])
        // The level after the group is the name of a session, which can be any word.
        give(.write, [name, "+", person])
      }
      for mate in table.mates(of: person) {
        add(.read, person, prefix, [mate, "+", "presence"], isOpen: false)
      }
      guard table.homes.contains(where: { $0.members.contains(person) }) else { continue }
      // The topic for the description of a machine, and the topic for Home Assistant's message that
      // it has started.
      add(.readwrite, person, [], [Self.home, "device", "nightjar-\(person)"])
      add(.read, person, [], [Self.home, "status"], isOpen: false)
    }
    for home in table.homes {
      add(.readwrite, home.name, [], [Self.home, "status"], isOpen: false)
      for person in home.members {
        add(.read, home.name, [], [Self.home, "device", "nightjar-\(person)"])
        add(.read, home.name, prefix, [person, "+", "presence"], isOpen: false)
        add(.read, home.name, prefix, [person, "+", "home"])
        add(.write, home.name, prefix, [person, "+", "home", "set"])
      }
    }
  }

  /// The lines for mosquitto: for each user, the rights of that user.
  public var lines: [String] {
    var lines: [String] = []
    var last: Subject = .anonymous
    for entry in entries {
      if entry.subject != last, case .user(let name) = entry.subject {
        lines += ["", "user \(String(decoding: name, as: UTF8.self))"]
      }
      last = entry.subject
      lines.append(entry.text)
    }
    return lines
  }
}

extension AccessList.Entry {
  /// The line for mosquitto.
  var text: String {
    "\(subject == .everyone ? "pattern" : "topic") \(access.rawValue) \(filter)"
  }
}

// MARK: - Of a file

extension AccessList {
  /// Parses a file as mosquitto 2 does.
  public init(mosquitto bytes: [UInt8]) {
    var subject = Subject.anonymous
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let text = line.trimmingEnd(while: Self.isSpace)
      guard let first = text.first, first != UInt8(ascii: "#") else { continue }
      switch Self.words(text).flatMap({ Self.parsed($0, for: &subject) }) {
      case .user: break
      case .entry(var entry):
        entry.line = index + 1
        entries.append(entry)
      case nil:
        unknown.append(UnknownLine(line: index + 1, text: String(decoding: text, as: UTF8.self)))
      }
    }
  }

  private enum Parsed {
    case user
    case entry(Entry)
  }

  /// The first word of a line, and the rest after the blanks; nil: the line is not text.
  private static func words(_ line: ArraySlice<UInt8>) -> (word: String, rest: String)? {
    // For mosquitto, a line ends at a zero byte, as every C string.
    guard !line.contains(0), let text = String(validating: line, as: UTF8.self) else { return nil }
    return split(text[...])
  }

  /// The first word of a text, and the rest after the blanks. Only blanks separate words, not tabs.
  private static func split(_ text: Substring) -> (word: String, rest: String) {
    let begin = text.utf8.drop { $0 == UInt8(ascii: " ") }
    let word = begin.prefix { $0 != UInt8(ascii: " ") }
    let rest = begin[word.endIndex...].drop(while: isSpace)
    return (String(Substring(word)), String(Substring(rest)))
  }

  private static func parsed(
    _ words: (word: String, rest: String), for subject: inout Subject
  ) -> Parsed? {
    guard !words.rest.isEmpty else { return nil }
    switch words.word {
    case "user":
      subject = .user(Array(words.rest.utf8))
      return .user
    case "topic", "pattern":
      let (access, topic) = split(words.rest[...])
      // If there is only one word, it is the topic, even if it is one of the words for access.
      let given = topic.isEmpty ? Access.readwrite : Access(rawValue: access)
      guard let given, let filter = TopicFilter(topic.isEmpty ? access : topic) else { return nil }
      return .entry(
        Entry(
          subject: words.word == "pattern" ? .everyone : subject, access: given, filter: filter))
    default: return nil
    }
  }

  /// Whether isspace(3) accepts the byte.
  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
  }
}

extension ArraySlice {
  /// The slice without trailing elements that satisfy `isIncluded`.
  fileprivate func trimmingEnd(while isIncluded: (Element) -> Bool) -> ArraySlice {
    var slice = self
    while let last = slice.last, isIncluded(last) { slice.removeLast() }
    return slice
  }
}
