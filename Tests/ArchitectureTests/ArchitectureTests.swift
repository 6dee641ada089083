import Foundation
import NightjarCore
import NightjarWire
import Testing

/// What the folders promise: who may import whom, and what the daemon links.
@Suite struct ArchitectureTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The modules that a target's files import.
  private static func imports(of target: String) throws -> Set<String> {
    let folder = root.appending(path: "Sources/\(target)")
    let files = try #require(
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    var modules: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        let words = line.split(separator: " ")
        guard let index = words.firstIndex(of: "import"), index <= 2, index + 1 < words.count,
          !line.hasPrefix("//"), !line.hasPrefix(" ")
        else { continue }
        modules.insert(String(words[index + 1].split(separator: ".")[0]))
      }
    }
    return modules
  }

  @Test("the import scanner sees an import where there is one")
  func scannerWorks() throws {
    #expect(try Self.imports(of: "NightjarStore").isSuperset(of: ["CSQLite", "NightjarCore"]))
  }

  private static let allowed: [String: Set<String>] = [
    "NightjarCore": [],
    // Zones are files.
    "NightjarTime": ["Glibc"],
    "NightjarWire": [],
    "NightjarTrust": ["Glibc"],
    "NightjarConfig": ["NightjarCore", "NightjarTime", "NightjarTrust", "CTOML", "Glibc"],
    "NightjarLedger": ["NightjarCore"],
    "NightjarStore": [
      "NightjarCore", "NightjarLedger", "NightjarTrust", "CSQLite", "CLinux", "Glibc",
      "Synchronization",
    ],
    "NightjarSystem": [
      "NightjarCore", "NightjarWire", "CLinux", "CSystemd", "Glibc", "Synchronization",
    ],
    "NightjarMethods": ["NightjarCore", "NightjarLedger", "NightjarTime", "NightjarWire"],
    "NightjarSimulation": ["NightjarCore", "NightjarLedger"],
    "NightjarClient": ["NightjarTrust", "NightjarWire", "Glibc", "Dispatch", "Synchronization"],
    "NightjarTesting": [
      "NightjarClient", "NightjarCore", "NightjarLedger", "NightjarMethods", "NightjarSimulation",
      "NightjarTime", "NightjarWire", "CLinux", "Glibc", "Synchronization",
    ],
    "NightjarDaemon": [
      "NightjarCore", "NightjarTime", "NightjarWire", "NightjarConfig", "NightjarLedger",
      "NightjarMethods", "NightjarStore", "NightjarSystem", "NightjarTrust", "CLinux", "Glibc",
    ],
    "nightjard": ["NightjarDaemon", "Glibc"],
    "VarlinkGenerator": [],
    "varlink-swift": ["VarlinkGenerator", "ArgumentParser", "Foundation"],
  ]

  @Test(
    "dependencies point down, and what is pure imports nothing of the system",
    arguments: allowed.keys.sorted())
  func importsAreAllowed(target: String) throws {
    let allowed = try #require(Self.allowed[target])
    #expect(try Self.imports(of: target).subtracting(allowed) == [])
  }

  /// The modules that a target's files import, and those that these import.
  private static func everything(behind target: String) throws -> Set<String> {
    var (found, rest): (Set<String>, Set<String>) = ([], [target])
    while let next = rest.popFirst() {
      guard found.insert(next).inserted,
        FileManager.default.fileExists(atPath: root.appending(path: "Sources/\(next)").path)
      else { continue }
      rest.formUnion(try imports(of: next))
    }
    return found
  }

  @Test("what other programs link needs none of the daemon's libraries")
  func librariesArePure() throws {
    let foreign: Set<String> = ["CSystemd", "CSQLite", "CTOML", "Foundation"]
    #expect(try Self.everything(behind: "nightjard").intersection(foreign).count == 3)
    for product in ["NightjarClient", "NightjarTesting"] {
      #expect(try Self.everything(behind: product).isDisjoint(with: foreign), "\(product)")
    }
  }

  @Test("the binary of the daemon has no Foundation in it")
  func daemonLinksNoFoundation() throws {
    let folder = try #require(
      ProcessInfo.processInfo.environment["NIGHTJAR_BINARIES"],
      "run `make test`: it builds the release binaries and says where they are")
    let binary = try Data(
      contentsOf: URL(filePath: folder).appending(path: "nightjard"), options: .alwaysMapped)
    #expect(binary.range(of: Data("NightjarDaemon".utf8)) != nil, "the search finds what is there")
    #expect(binary.range(of: Data("FoundationEssentials".utf8)) == nil)
    #expect(binary.range(of: Data("libFoundation".utf8)) == nil)
  }

  @Test("the command line has the engine, but neither SQLite nor libsystemd")
  func commandLineLinksNoSystem() throws {
    let system: Set<String> = ["CSQLite", "CSystemd"]
    #expect(try Self.everything(behind: "nightjard").isSuperset(of: system))
    let command = try Self.everything(behind: "nightjar")
    #expect(command.contains("NightjarCore") && command.isDisjoint(with: system))
  }

  @Test("the command line needs no dynamic loader: it is there at once")
  func commandLineStandsAlone() throws {
    let folder = try #require(ProcessInfo.processInfo.environment["NIGHTJAR_BINARIES"])
    // What elf(5) calls PT_INTERP, as a program header of a 64-bit program has it.
    func hasLoader(_ program: String) throws -> Bool {
      let url = URL(filePath: folder).appending(path: program)
      let head = try Data(contentsOf: url, options: .alwaysMapped).prefix(4096)
      let headers = Int(head[54]) + Int(head[55]) << 8
      return (0..<Int(head[56])).contains { head[64 + $0 * headers] == 3 }
    }
    #expect(try hasLoader("nightjard"), "the search finds what is there")
    #expect(try !hasLoader("nightjar"))
  }

  @Test("limits that depend on each other agree")
  func limitsAgree() {
    // In a page of timers four levels are around a timer's data.
    #expect(Limits.dataDepth + 4 == WireLimits.nestingDepth)
    #expect(Limits.timers <= DeadlineQueue.slotLimit)
  }

  @Test("sentences take limits from Limits, which alone spells them")
  func limitsAreSpelledOnce() throws {
    let words = [Limits.durationWords, Limits.shortestRoundWords]
    #expect(words == ["100 years", "100 ms"])
    let sources = Self.root.appending(path: "Sources")
    let files = try #require(
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var count = 0
    for case let file as URL in files where file.pathExtension == "swift" {
      count += 1
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      for line in lines where !line.drop(while: { $0 == " " }).hasPrefix("//") {
        #expect(!words.contains { line.contains($0) }, "\(file.lastPathComponent): \(line)")
      }
    }
    #expect(count > 300)
  }

  @Test("no file that a person or a test follows names a path of this machine")
  func pathsAreNobodys() throws {
    let names = [
      "README.md", "Makefile", ".make/run", ".make/setup", ".make/fuzz", ".make/saboteurs",
      ".make/sanitize", ".ci/run",
    ]
    for name in names {
      let text = try String(contentsOf: Self.root.appending(path: name), encoding: .utf8)
      #expect(!text.contains("/home/"), "\(name)")
      #expect(!text.contains("/root/"), "\(name)")
    }
  }
}
