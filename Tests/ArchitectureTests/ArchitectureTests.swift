import Foundation
import NightjarEngine
import NightjarModel
import NightjarTestSupport
import Testing
import Varlink

/// What the folders promise: who may import whom, and what the daemon links.
@Suite struct ArchitectureTests {
  private static let root = URL(filePath: Documentation.root)

  /// The rooms of Sources that have modules of Swift. A room depends on those before it.
  private static let rooms = [
    "Varlink", "Time", "Core", "Interface", "Words", "Daemon", "Client", "Command", "Bridge",
    "Faces",
  ]

  /// The room of each target.
  private static let room = Dictionary(
    uniqueKeysWithValues: rooms.flatMap { room in
      let path = root.appending(path: "Sources/\(room)").path
      let targets = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
      // Some faces have no Swift.
      return targets.filter { (try? swiftFiles(in: "Sources/\(room)/\($0)").isEmpty) == false }
        .map { ($0, room) }
    })

  private static func folder(of target: String) -> String {
    [room[target], target].compactMap(\.self).reduce("Sources") { "\($0)/\($1)" }
  }

  /// The Swift files of a folder and its subfolders.
  private static func swiftFiles(in folder: String) throws -> [URL] {
    let files = try #require(
      FileManager.default.enumerator(
        at: root.appending(path: folder), includingPropertiesForKeys: nil))
    return files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
  }

  private static func imports(of target: String) throws -> Set<String> {
    var modules: Set<String> = []
    for file in try swiftFiles(in: folder(of: target)) {
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

  @Test func `The import scanner sees an import where there is one`() throws {
    #expect(try Self.imports(of: "NightjarStore").isSuperset(of: ["CSQLite", "NightjarEngine"]))
  }

  private static let allowed: [String: Set<String>] = [
    "NightjarModel": [],
    "NightjarEngine": ["NightjarModel"],
    // Zones are files.
    "NightjarTime": ["Glibc"],
    // Only its connections; a test of its own keeps the rest pure.
    "Varlink": ["Glibc"],
    "NightjarInterface": ["Varlink"],
    "NightjarTrust": ["Glibc"],
    "NightjarConfig": [
      "NightjarInterface", "NightjarModel", "NightjarParameters", "NightjarTime", "NightjarTrust",
      "Varlink", "CTOML", "Glibc",
    ],
    "NightjarLedger": ["NightjarEngine", "NightjarModel"],
    "NightjarStore": [
      "NightjarEngine", "NightjarLedger", "NightjarModel", "NightjarTrust", "CSQLite", "CLinux",
      "Glibc", "Synchronization",
    ],
    "NightjarSystem": [
      "NightjarInterface", "NightjarModel", "Varlink", "CLinux", "CSystemd", "Glibc",
      "Synchronization",
    ],
    "NightjarParameters": ["NightjarInterface", "NightjarModel", "NightjarTime", "Varlink"],
    "NightjarWords": [
      "NightjarInterface", "NightjarModel", "NightjarParameters", "NightjarTime", "Varlink",
    ],
    "NightjarService": [
      "NightjarEngine", "NightjarInterface", "NightjarLedger", "NightjarModel",
      "NightjarParameters", "NightjarTime", "NightjarWords", "Varlink",
    ],
    "NightjarSimulation": ["NightjarEngine", "NightjarLedger", "NightjarModel"],
    "NightjarClient": [
      "NightjarInterface", "NightjarTrust", "Varlink", "Glibc", "Dispatch",
      "Synchronization",
    ],
    "NightjarLink": [
      "NightjarInterface", "NightjarSystem", "NightjarTrust", "Varlink", "Glibc",
    ],
    // Faces have no engine, no parser and no presets.
    "NightjarFaces": [
      "NightjarClient", "NightjarInterface", "NightjarLink", "NightjarModel", "NightjarSystem",
      "NightjarTime", "Varlink", "Glibc",
    ],
    "nightjar-launcher": ["NightjarFaces", "Glibc"],
    "nightjar-tray": ["NightjarFaces", "Glibc"],
    "NightjarTesting": [
      "NightjarClient", "NightjarEngine", "NightjarInterface", "NightjarLedger", "NightjarModel",
      "NightjarParameters", "NightjarService", "NightjarSimulation", "NightjarTime", "Varlink",
      "CLinux", "Glibc", "Synchronization",
    ],
    "NightjarActions": [
      "NightjarConfig", "NightjarEngine", "NightjarInterface", "NightjarModel",
      "NightjarParameters", "NightjarSystem", "Varlink", "Glibc",
    ],
    "NightjarDesktop": [
      "NightjarConfig", "NightjarEngine", "NightjarInterface", "NightjarModel",
      "NightjarParameters", "NightjarSystem", "NightjarTime", "NightjarTrust", "Varlink", "Glibc",
    ],
    "NightjarDaemon": [
      "NightjarActions", "NightjarConfig", "NightjarDesktop", "NightjarEngine", "NightjarInterface",
      "NightjarLedger", "NightjarModel", "NightjarParameters", "NightjarService", "NightjarStore",
      "NightjarSystem", "NightjarTime", "NightjarTrust", "Varlink", "CLinux", "Glibc",
    ],
    "nightjard": ["NightjarDaemon", "Glibc"],
    // What passes between machines, without a broker, a socket or a clock.
    "NightjarMirror": ["NightjarInterface", "NightjarModel", "Varlink"],
    "NightjarHomeAssistant": ["NightjarModel", "NightjarTime", "Varlink"],
    "NightjarMQTT": [
      "NightjarConfig", "NightjarDesktop", "NightjarHomeAssistant", "NightjarInterface",
      "NightjarLink", "NightjarMirror", "NightjarModel", "NightjarParameters", "NightjarSystem",
      "NightjarTime", "NightjarTrust", "NightjarWords", "Varlink", "CMosquitto", "COpenSSL",
      "Glibc",
    ],
    "nightjar-mqtt": ["NightjarMQTT", "Glibc"],
    // The command line shows what an engine said, and has none.
    "nightjar": [
      "NightjarClient", "NightjarConfig", "NightjarInterface", "NightjarModel",
      "NightjarParameters", "NightjarTime", "NightjarTrust", "NightjarWords", "Varlink",
      "ArgumentParser", "Glibc",
    ],
    "nightjar-main": ["nightjar"],
    "nightjar-rehearse": [
      "nightjar", "NightjarClient", "NightjarConfig", "NightjarEngine", "NightjarLedger",
      "NightjarModel", "NightjarParameters", "NightjarService", "NightjarSimulation",
      "NightjarTime", "Varlink", "Glibc",
    ],
    "VarlinkGenerator": [],
    "varlink-swift": ["VarlinkGenerator", "ArgumentParser", "Foundation"],
    "nightjar-generate": ["VarlinkGenerator", "Foundation"],
    // The articles; it has no code.
    "Documentation": [],
  ]

  /// The figure of the article Architecture has an arrow for each import that is allowed, unless a
  /// longer way leads to the same module.
  @Test func `The figure of the architecture has all modules and all allowed imports`() throws {
    let figure = try Documentation.text(of: "\(Documentation.catalog)/Resources/architecture.svg")
    let titles = figure.matches(of: /<title>([^<]+)<\/title>/).map { match in
      String(match.output.1).replacing("&#45;", with: "-").replacing("&gt;", with: ">")
    }
    let modules = Self.allowed.filter { $0.key != "Documentation" }
    let own = modules.mapValues { $0.intersection(modules.keys) }
    func reachable(from module: String) -> Set<String> {
      let next = own[module, default: []]
      return next.reduce(into: next) { $0.formUnion(reachable(from: $1)) }
    }
    let arrows = own.flatMap { module, imports in
      imports.filter { target in
        !imports.contains { reachable(from: $0).contains(target) }
      }.map { "\(module)->\($0)" }
    }
    // The first title is the figure's own.
    let expected = Set(arrows).union(modules.keys).union(["architecture"])
    #expect(Set(titles) == expected, "draw it anew: Sources/Documentation/architecture.dot")
  }

  @Test(arguments: allowed.keys.sorted())
  func `Dependencies point down, and what is pure imports nothing of the system`(target: String)
    throws
  {
    let allowed = try #require(Self.allowed[target])
    #expect(try Self.imports(of: target).subtracting(allowed) == [])
  }

  @Test func `Of the protocol, only the transport knows the system`() throws {
    let files = try Self.swiftFiles(in: "Sources/Varlink/Varlink").filter {
      try String(contentsOf: $0, encoding: .utf8).contains(" import Glibc")
    }
    #expect(Set(files.map { $0.deletingLastPathComponent().lastPathComponent }) == ["Transport"])
  }

  /// Any program can use them.
  @Test func `Varlink and its generator know nothing of Nightjar`() throws {
    let words = /(?i)nightjar|timer|ledger/
    var count = 0
    for file in try Self.swiftFiles(in: "Sources/Varlink") {
      count += 1
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        #expect(!line.contains(words), "\(file.lastPathComponent): \(line)")
      }
    }
    #expect(count > 40)
  }

  @Test func `A room depends only on rooms before it`() throws {
    #expect(Set(Self.room.keys).union(["Documentation"]) == Set(Self.allowed.keys))
    for (target, room) in Self.room {
      let own = try #require(Self.rooms.firstIndex(of: room))
      let later = try Self.imports(of: target).filter { module in
        guard let room = Self.room[module], let index = Self.rooms.firstIndex(of: room) else {
          return false
        }
        return index > own
      }
      // The store checks its folder by the rules of the daemon's other files.
      #expect(later == (target == "NightjarStore" ? ["NightjarTrust"] : []), "\(target)")
    }
  }

  /// The types that a target declares outside of other types, and all words of its code.
  private static func vocabulary(
    of target: String
  ) throws -> (types: Set<String>, words: Set<String>) {
    var (types, words): (Set<String>, Set<String>) = ([], [])
    for file in try swiftFiles(in: folder(of: target)) {
      let code = try String(contentsOf: file, encoding: .utf8).replacing(/\/\/.*/, with: "")
      for type in code.matches(of: /(?m)^(?:\w+ )*(?:class|struct|enum|protocol) (\w+)/) {
        types.insert(String(type.1))
      }
      words.formUnion(code.matches(of: /\w+/).map { String($0.0) })
    }
    return (types, words)
  }

  /// The modules above have more in them than commands and popups may know.
  @Test func `Commands and popups know the bus, and neither the engine nor the server`() throws {
    let foreign = try ["NightjarEngine", "NightjarService", "NightjarDaemon"].map {
      try Self.vocabulary(of: $0).types
    }.reduce(into: Set()) { $0.formUnion($1) }
    #expect(foreign.isSuperset(of: ["Engine", "Background", "Methods", "Server", "Commits"]))
    let known: [String: Set<String>] = [
      "NightjarActions": ["Notification", "NotificationBus", "NotificationObserver"],
      "NightjarDesktop": [
        "Notification", "NotificationObserver",
        // Views of timers.
        "Timer", "TimerView", "Ring",
        // RemoteNotifier.Answer has the name of a type of the server.
        "Answer",
      ],
    ]
    for (target, known) in known {
      let own = try Self.vocabulary(of: target)
      #expect(own.words.intersection(foreign).subtracting(own.types) == known, "\(target)")
    }
  }

  /// A copy of `d_name` reads behind the end of the entry, and so does Foundation: its `Process`
  /// lists the open descriptors in that way, and crashes if there are some 1,350 of them.
  @Test func `Only one file calls readdir, and nothing starts a program with Foundation`() throws {
    var (readers, starters): ([String], [String]) = ([], [])
    for folder in ["Sources", "Tests"] {
      for file in try Self.swiftFiles(in: folder) {
        let text = try String(contentsOf: file, encoding: .utf8)
        if text.contains("readdir" + "(") { readers.append(file.lastPathComponent) }
        if text.contains(/\bProcess\(\)/) { starters.append(file.lastPathComponent) }
      }
    }
    #expect(readers == ["FolderListing.swift"])
    #expect(starters == [])
  }

  /// One style of names: the sentence is the name, so that a filter and a failure show the same
  /// words. For the same reason a suite has the name of its type, and no title.
  @Test func `The name of a test is a sentence, and stands where a function has its name`() throws {
    var (count, others): (Int, [String]) = (0, [])
    // A test, with the quote of its title if it has one, or else with what its name begins with.
    let test = #/(?m)^ *@Test(?:\(\s*(?=")|[\s\S]*?\bfunc\s+)(.)/#
    for file in try Self.swiftFiles(in: "Tests") {
      let text = try String(contentsOf: file, encoding: .utf8)
      for test in text.matches(of: test) {
        count += 1
        if test.1 != "`" { others.append("\(file.lastPathComponent): \(test.1)") }
      }
      if text.contains(/@Suite\(\s*"/) { others.append("\(file.lastPathComponent): a title") }
    }
    #expect(count > 1000)
    #expect(others == [])
  }

  /// The modules that a target's files import, and those that these import.
  private static func everything(behind target: String) throws -> Set<String> {
    var (found, rest): (Set<String>, Set<String>) = ([], [target])
    while let next = rest.popFirst() {
      guard found.insert(next).inserted,
        FileManager.default.fileExists(atPath: root.appending(path: folder(of: next)).path)
      else { continue }
      rest.formUnion(try imports(of: next))
    }
    return found
  }

  @Test func `What other programs link needs none of the daemon's libraries`() throws {
    let foreign: Set<String> = ["CSystemd", "CSQLite", "CTOML", "Foundation"]
    #expect(try Self.everything(behind: "nightjard").intersection(foreign).count == 3)
    for library in Self.libraries {
      #expect(try Self.everything(behind: library).isDisjoint(with: foreign), "\(library)")
    }
  }

  /// The libraries for other packages.
  private static let libraries = [
    "NightjarClient", "NightjarTesting", "Varlink", "VarlinkGenerator",
  ]

  /// What tests preload or link is none of them.
  @Test func `The products are the programs, and the libraries for other packages`() throws {
    let manifest = try Documentation.text(of: "Package.swift")
    let products = try #require(
      manifest.firstMatch(of: /\n  products: \[\n(.*?)\n  \],\n/.dotMatchesNewlines())
    ).1
    let programs = [
      "nightjard", "nightjar", "nightjar-rehearse", "nightjar-mqtt", "nightjar-launcher",
      "nightjar-tray", "varlink-swift",
    ]
    let expected = programs.map { "executable \($0)" } + Self.libraries.map { "library \($0)" }
    let found = products.matches(of: /\.(\w+)\(\s*name: "(.+?)"/).map { "\($0.1) \($0.2)" }
    #expect(found.sorted() == expected.sorted())
    #expect(!products.contains(".dynamic"), "whoever links it decides that")
  }

  @Test func `Only the bridge has libmosquitto, and it has no Foundation and no database`() throws {
    let bridge = try Self.everything(behind: "nightjar-mqtt")
    #expect(bridge.isSuperset(of: ["CMosquitto", "COpenSSL"]))
    #expect(bridge.isDisjoint(with: ["Foundation", "CSQLite", "NightjarDaemon", "NightjarStore"]))
    for program in ["nightjard", "nightjar-main", "nightjar-rehearse"] {
      let libraries: Set<String> = ["CMosquitto", "COpenSSL"]
      #expect(try Self.everything(behind: program).isDisjoint(with: libraries), "\(program)")
    }
  }

  @Test(arguments: ["nightjar-launcher", "nightjar-tray"])
  func `A face has no engine, parser, configuration or Foundation`(program: String) throws {
    let foreign: Set<String> = [
      "CMosquitto", "CSQLite", "CTOML", "Foundation", "NightjarConfig", "NightjarEngine",
      "NightjarWords",
    ]
    let face = try Self.everything(behind: program)
    #expect(face.contains("CSystemd") && face.isDisjoint(with: foreign))
  }

  private static func binary(of program: String) throws -> Data {
    try Data(contentsOf: URL(filePath: Binaries.program(program)), options: .alwaysMapped)
  }

  /// A function of the module of regular expressions, linked or called.
  private static let regularExpressions = "$s17_StringProcessing"

  /// What is in a program shows that the search finds what is there.
  @Test(
    arguments: [
      (
        "nightjard", "NightjarDaemon",
        ["FoundationEssentials", "libFoundation", "libmosquitto", regularExpressions]
      ),
      ("nightjar-mqtt", "libmosquitto.so", ["FoundationEssentials", regularExpressions]),
      ("nightjar-tray", "NightjarFaces", ["FoundationEssentials", regularExpressions]),
      ("nightjar-launcher", "NightjarFaces", ["FoundationEssentials"]),
      ("nightjar", "NightjarClient", ["14NightjarEngine"]),
      ("nightjar-rehearse", "14NightjarEngine", []),
    ] as [(String, String, [String])])
  func `The binary of a program has nothing in it that the program must not have`(
    program: String, own: String, foreign: [String]
  ) throws {
    let binary = try Self.binary(of: program)
    #expect(binary.range(of: Data(own.utf8)) != nil)
    for text in foreign { #expect(binary.range(of: Data(text.utf8)) == nil, "\(text)") }
  }

  @Test func `The search for regular expressions finds those of the argument parser`() throws {
    let binary = try Self.binary(of: "nightjar")
    // Without make, Swift's libraries are not linked into the programs.
    guard binary.range(of: Data("libswiftCore.so".utf8)) == nil else { return }
    #expect(binary.range(of: Data(Self.regularExpressions.utf8)) != nil)
  }

  @Test func `The commands have no SQLite and no libsystemd, and only rehearse an engine`() throws {
    let system: Set<String> = ["CSQLite", "CSystemd"]
    #expect(try Self.everything(behind: "nightjard").isSuperset(of: system))
    let engine: Set<String> = ["NightjarEngine", "NightjarLedger", "NightjarSimulation"]
    let rehearse = try Self.everything(behind: "nightjar-rehearse")
    #expect(rehearse.isSuperset(of: engine) && rehearse.isDisjoint(with: system))
    let command = try Self.everything(behind: "nightjar-main")
    #expect(command.contains("nightjar") && command.contains("NightjarClient"))
    #expect(command.isDisjoint(with: system.union(engine)))
  }

  /// What elf(5) says of a 64-bit program: whether it can be loaded at any address (ET_DYN), and
  /// the dynamic loader that it asks for (PT_INTERP).
  private struct Executable {
    let isPositionIndependent: Bool
    let loader: String?

    init(_ url: URL) throws {
      let bytes = [UInt8](try Data(contentsOf: url, options: .alwaysMapped).prefix(16_384))
      func number(at offset: Int, bytes count: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
      }
      isPositionIndependent = number(at: 16, bytes: 2) == 3
      let headers = (0..<number(at: 56, bytes: 2)).map { 64 + $0 * number(at: 54, bytes: 2) }
      loader = headers.first { number(at: $0, bytes: 4) == 3 }.map { header in
        let path = bytes[number(at: header + 8, bytes: 8)...].prefix { $0 != 0 }
        return String(decoding: path, as: UTF8.self)
      }
    }
  }

  @Test(arguments: [
    "nightjar", "nightjar-rehearse", "nightjard", "nightjar-mqtt", "nightjar-launcher",
    "nightjar-tray",
  ])
  func
    `The programs are position-independent, and the system's loader gives them the system's C library`(
      program: String
    ) throws
  {
    let system = try Executable(URL(filePath: "/bin/sh"))
    #expect(system.loader?.contains("ld-linux") == true, "the search finds what is there")
    let ours = try Executable(URL(filePath: Binaries.program(program)))
    #expect(ours.isPositionIndependent)
    #expect(ours.loader == system.loader)
    #expect(try Self.binary(of: program).range(of: Data("libc.so.6\0".utf8)) != nil)
  }

  @Test func `Limits that depend on each other agree`() {
    // In a page of timers four levels are around a timer's data.
    #expect(Limits.dataDepth + 4 == WireLimits.nestingDepth)
    #expect(Limits.timers <= DeadlineQueue.slotLimit)
    // A band and a step have up to four members, and a value of the data takes two bytes at the
    // least.
    let most =
      Limits.dataBytes / 2 + Limits.execWords + Limits.environmentVariables + Limits.labels
      + 5 * (Limits.bands + Limits.steps)
    #expect(most + 100 <= WireLimits.callValues)
  }

  @Test func `Sentences take limits from Limits, which alone spells them`() throws {
    let words = [Limits.durationWords, Limits.shortestRoundWords, Limits.volumeWords, "1...100)"]
    #expect(words.prefix(3) == ["100 years", "100 ms", "from 1 to 100"])
    var count = 0
    for file in try Self.swiftFiles(in: "Sources") {
      // The text of the interface, which clients read, says what they are.
      if file.lastPathComponent == "TimersInterface.swift" { continue }
      count += 1
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      for line in lines where !line.drop(while: { $0 == " " }).hasPrefix("//") {
        #expect(!words.contains { line.contains($0) }, "\(file.lastPathComponent): \(line)")
      }
    }
    #expect(count > 300)
  }

  @Test func `The Makefile runs each suite that measures time`() throws {
    var suites: [String] = []
    for file in try Self.swiftFiles(in: "Tests") {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: /@Suite\([^)]*\.timed\b[^)]*\) +struct (\w+)Tests/) {
        suites.append(String(match.1))
      }
    }
    let makefile = try String(contentsOf: Self.root.appending(path: "Makefile"), encoding: .utf8)
    let expected = "\nTIMED := [.](\(suites.sorted().joined(separator: "|")))Tests/\n"
    #expect(!suites.isEmpty && makefile.contains(expected), "the Makefile has no line \(expected)")
  }

  @Test func `No file that a person or a test follows names a path of this machine`() throws {
    let names = [
      "README.md", "CHANGELOG.md", ".github/CONTRIBUTING.md", "Makefile", ".make/run",
      ".make/setup", ".make/fuzz", ".make/saboteurs", ".make/sanitize", ".make/tag", ".ci/run",
      "Sources/Packaging/PKGBUILD", "Sources/Packaging/flake.nix",
      "Sources/Packaging/nightjar.spec", "Sources/Packaging/parser-from", ".make/other",
    ]
    for name in names {
      let text = try String(contentsOf: Self.root.appending(path: name), encoding: .utf8)
      #expect(!text.contains("/home/"), "\(name)")
      #expect(!text.contains("/root/"), "\(name)")
    }
  }
}
