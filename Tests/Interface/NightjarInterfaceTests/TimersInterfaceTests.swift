import Foundation
import NightjarInterface
import Testing
import VarlinkGenerator

@Suite struct TimersInterfaceTests {
  private static let file = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(
      path: "Sources/Interface/NightjarInterface/org.nightjar.Timers.varlink")

  @Test func `Clients read the interface file byte for byte`() throws {
    #expect(Data(TimersInterface.description.utf8) == (try Data(contentsOf: Self.file)))
  }

  @Test func `Each parameter and field is explained, if only by its declaration's comment`() throws
  {
    // The name of a timer, of a band or of a step needs no explanation. Start explains the
    // parameters of all changes.
    let plain: Set = ["name", "undo_id", "if_seq", "request"]
    for declaration in try Interface(parsing: TimersInterface.description).declarations {
      let fields: [Field]
      switch declaration.kind {
      case .method(let input, let output):
        fields = input + (output.contains { !$0.comment.isEmpty } ? output : [])
      case .type(.structure(let members)), .error(let members): fields = members
      case .type: continue
      }
      let words = Set(
        declaration.comment.joined(separator: " ").split {
          !$0.isLetter && !$0.isNumber && $0 != "_"
        }.map(String.init))
      for field in fields where field.comment.isEmpty && !plain.contains(field.name) {
        #expect(
          words.contains(field.name), "\(declaration.name) does not say what \(field.name) is")
      }
    }
  }

  @Test(arguments: [("Start", ["undo_id:", "if_seq:", "request:"]), ("Undo", ["undo_id"])])
  func `The parameters that changes share are explained`(_ method: String, _ words: [String]) throws
  {
    let interface = try Interface(parsing: TimersInterface.description)
    let comment = try #require(interface.declaration(of: method)).comment.joined(separator: " ")
    for word in words { #expect(comment.contains(word), "\(word)") }
  }

  @Test func `Each method with one of the parameters of changes has all of them`() throws {
    let common: Set = ["undo_id", "if_seq", "request"]
    var count = 0
    for declaration in try Interface(parsing: TimersInterface.description).declarations {
      guard case .method(let input, _) = declaration.kind, declaration.name != "Undo" else {
        continue
      }
      let found = common.intersection(input.map(\.name))
      #expect(found.isEmpty || found == common, "\(declaration.name)")
      if !found.isEmpty { count += 1 }
    }
    #expect(count == 16)
  }

  @Test func `The file is named after the interface in it`() throws {
    let interface = try Interface(parsing: TimersInterface.description)
    #expect(TimersInterface.name == interface.name)
    #expect(Self.file.lastPathComponent == "\(interface.name).varlink")
  }

  private static func fields(of name: String) throws -> Set<String> {
    let declaration = try Interface(parsing: TimersInterface.description).declaration(of: name)
    let fields: [Field]? =
      switch declaration?.kind {
      case .method(let fields, _), .type(.structure(let fields)): fields
      default: nil
      }
    return Set(try #require(fields).map(\.name))
  }

  /// These show the parameters with which a timer was started, except for the listed ones.
  @Test(
    arguments: [
      // A timer says what it is by `kind`, and how it came to be is over.
      (
        "Timer",
        ["alarm", "stopwatch", "sequence", "replace", "if_absent", "undo_id", "if_seq", "request"]
      ),
      // What a timer does, and when, cannot be changed while it runs.
      (
        "Update",
        [
          "duration_usec", "repeat", "alarm", "stopwatch", "sequence", "late", "fire_within_usec",
          "missed", "clock", "replace", "if_absent", "wake",
        ]
      ),
      // Policies are not in events, whose `missed` is a number; `kind` says that it is a stopwatch.
      (
        "Event",
        ["stopwatch", "late", "fire_within_usec", "replace", "if_absent", "undo_id", "if_seq"]
      ),
    ] as [(String, Set<String>)])
  func `Each field of Start is also a field of these, or listed`(
    name: String, missing: Set<String>
  ) throws {
    let start = try Self.fields(of: "Start")
    #expect(start.count >= 17)
    #expect(start.subtracting(try Self.fields(of: name)) == missing)
  }
}
