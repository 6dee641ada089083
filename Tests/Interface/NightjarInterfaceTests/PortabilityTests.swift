import NightjarInterface
import Testing
import Varlink
import VarlinkGenerator

/// The interface language (UAPI.20, "Grammar"), limited to what every implementation reads: a type
/// has a name, and at least one field or two words, and a list has no lists in it.
@Suite struct PortabilityTests {
  @Test(arguments: [
    (TimersInterface.name, TimersInterface.description),
    (ServiceInterface.name, ServiceInterface.description),
  ])
  func `The descriptions are valid and portable`(name: String, text: String) throws {
    let interface = try Interface(parsing: text)
    #expect(interface.name == name)
    #expect(interface.declarations.filter { !Self.isPortable($0) }.map(\.name) == [])
  }

  @Test(arguments: [
    "type A (one)", "type A ()", "method A(x: [][]int) -> ()", "method A() -> (x: []?int)",
    "error A (x: (y: int))", "error A (x: ?(one, two))", "error A (x: [string]())",
  ])
  func `A declaration that is not portable is noticed`(text: String) throws {
    let interface = try Interface(parsing: "interface a.b\n\(text)")
    #expect(interface.declarations.map(Self.isPortable) == [false])
  }

  private static func isPortable(_ declaration: Declaration) -> Bool {
    switch declaration.kind {
    case .type(.structure(let fields)): !fields.isEmpty && fields.allSatisfy(isPortable)
    case .type(.enumeration(let words)): words.count > 1
    case .type: false
    case .method(let input, let output): (input + output).allSatisfy(isPortable)
    case .error(let fields): fields.allSatisfy(isPortable)
    }
  }

  private static func isPortable(_ field: Field) -> Bool {
    var type = field.type
    if case .optional(let wrapped) = type { type = wrapped }
    switch type {
    case .array(let element), .map(let element): type = element
    default: break
    }
    return switch type {
    case .bool, .int, .float, .string, .object, .named: true
    case .optional, .array, .map, .set, .structure, .enumeration: false
    }
  }
}
