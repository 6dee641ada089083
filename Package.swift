// swift-tools-version: 6.2
import PackageDescription

/// All Swift targets have the same settings. Every warning is an error.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// For what computes for minutes in tests: it is optimised in a debug build, too. Assertions stay.
let optimised =
  strict + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

let package = Package(
  name: "nightjar",
  products: [
    .executable(name: "nightjard", targets: ["nightjard"]),
    .executable(name: "nightjar", targets: ["nightjar-main"]),
    .executable(name: "nightjar-rehearse", targets: ["nightjar-rehearse"]),
    .executable(name: "nightjar-mqtt", targets: ["nightjar-mqtt"]),
    .executable(name: "nightjar-launcher", targets: ["nightjar-launcher"]),
    .executable(name: "nightjar-tray", targets: ["nightjar-tray"]),
    .library(
      name: "NightjarClient", targets: ["NightjarClient", "NightjarInterface", "Varlink"]),
    .library(name: "NightjarTesting", targets: ["NightjarTesting"]),
    // Varlink for any program. These need no library of the system.
    .library(name: "Varlink", targets: ["Varlink"]),
    .library(name: "VarlinkGenerator", targets: ["VarlinkGenerator"]),
    .executable(name: "varlink-swift", targets: ["varlink-swift"]),
  ],
  dependencies: [
    // Not an exact version: that would bind each package that uses a product of this one. The
    // archive of a release has Package.resolved, so it gives the same programs at any time.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    // C functions that the Glibc module lacks, and the two libraries that the daemon needs. The
    // libraries are found without pkg-config: with it, SwiftPM would advise whoever uses only the
    // product Varlink to install all of them.
    .target(name: "CLinux"),
    .systemLibrary(name: "CSystemd"),
    .systemLibrary(name: "CSQLite"),
    // MQTT, for the bridge only.
    .systemLibrary(name: "CMosquitto"),
    // libmosquitto's TLS library. The bridge uses it to check files, and to explain why TLS failed.
    .systemLibrary(name: "COpenSSL"),
    // toml++, from the headers of libtomlplusplus-dev.
    .target(name: "CTOML"),

    // Checks whether files and processes can be trusted. It imports only the C library, because the
    // client needs it, too.
    .target(name: "NightjarTrust", swiftSettings: strict),

    // Time zones and calendars. Zones are files, so it imports the C library.
    .target(name: "NightjarTime", swiftSettings: optimised),
    // Pure modules: they import only the standard library.
    .target(name: "NightjarModel", swiftSettings: optimised),
    .target(name: "NightjarEngine", dependencies: ["NightjarModel"], swiftSettings: optimised),
    .target(name: "Varlink", swiftSettings: strict),
    // The text and the words of the interface. Also paths and the version, which the daemon and its
    // clients share.
    .target(
      name: "NightjarInterface", dependencies: ["Varlink"],
      exclude: ["org.nightjar.Bridge.varlink", "org.nightjar.Timers.varlink", "outputs"],
      swiftSettings: strict),
    .target(
      name: "NightjarLedger", dependencies: ["NightjarEngine", "NightjarModel"],
      swiftSettings: optimised),
    // What calls carry, and the timers that they ask for. The command line checks presets with it,
    // so it has no engine.
    .target(
      name: "NightjarParameters",
      dependencies: ["NightjarInterface", "NightjarModel", "NightjarTime", "Varlink"],
      swiftSettings: strict),
    // What the words mean that start a timer, for the command line, the bridge and the method
    // Understand.
    .target(
      name: "NightjarWords",
      dependencies: [
        "NightjarInterface", "NightjarModel", "NightjarParameters", "NightjarTime", "Varlink",
      ],
      swiftSettings: strict),
    .target(
      name: "NightjarService",
      dependencies: [
        "NightjarEngine", "NightjarInterface", "NightjarLedger", "NightjarModel",
        "NightjarParameters", "NightjarTime", "NightjarWords", "Varlink",
      ],
      swiftSettings: strict),
    .target(
      name: "NightjarSimulation",
      dependencies: ["NightjarEngine", "NightjarLedger", "NightjarModel"],
      swiftSettings: optimised),

    .target(
      name: "NightjarConfig",
      dependencies: [
        "NightjarInterface", "NightjarModel", "NightjarParameters", "NightjarTime", "NightjarTrust",
        "Varlink", "CTOML",
      ],
      swiftSettings: strict),
    .target(
      name: "NightjarStore",
      dependencies: [
        "NightjarEngine", "NightjarLedger", "NightjarModel", "NightjarTrust", "CLinux", "CSQLite",
      ],
      swiftSettings: optimised),
    .target(
      name: "NightjarSystem",
      dependencies: [
        "NightjarInterface", "NightjarModel", "Varlink", "CLinux", "CSystemd",
      ],
      swiftSettings: strict),
    // Commands and hooks; popups and sound. They use the bus of the engine and the records of
    // timers that popups show, and nothing of the server. ArchitectureTests check this.
    .target(
      name: "NightjarActions",
      dependencies: [
        "NightjarConfig", "NightjarEngine", "NightjarInterface", "NightjarModel",
        "NightjarParameters", "NightjarSystem", "Varlink",
      ],
      swiftSettings: strict),
    .target(
      name: "NightjarDesktop",
      dependencies: [
        "NightjarConfig", "NightjarEngine", "NightjarInterface", "NightjarModel",
        "NightjarParameters", "NightjarSystem", "NightjarTime", "NightjarTrust", "Varlink",
      ],
      swiftSettings: strict),
    .target(
      name: "NightjarDaemon",
      dependencies: [
        "NightjarActions", "NightjarConfig", "NightjarDesktop", "NightjarEngine",
        "NightjarInterface", "NightjarLedger", "NightjarModel", "NightjarParameters",
        "NightjarService", "NightjarStore", "NightjarSystem", "NightjarTime", "NightjarTrust",
        "Varlink", "CLinux",
      ],
      swiftSettings: strict),
    .target(
      name: "NightjarClient",
      dependencies: ["NightjarInterface", "NightjarTrust", "Varlink"],
      swiftSettings: strict),
    // A connection to the daemon on an event loop, for the bridge and for faces.
    .target(
      name: "NightjarLink",
      dependencies: ["NightjarInterface", "NightjarSystem", "NightjarTrust", "Varlink"],
      swiftSettings: strict),

    // What shows timers where people look: in launchers and panels. It has no engine, no parser,
    // and no clock but for counting down what the daemon told.
    .target(
      name: "NightjarFaces",
      dependencies: [
        "NightjarClient", "NightjarInterface", "NightjarLink", "NightjarModel", "NightjarSystem",
        "NightjarTime", "Varlink",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "nightjar-launcher", dependencies: ["NightjarFaces"], swiftSettings: strict),
    .executableTarget(
      name: "nightjar-tray", dependencies: ["NightjarFaces"], swiftSettings: strict),

    // A person's other machines: the messages to and from them, and the rights of callers. Pure.
    .target(
      name: "NightjarMirror",
      dependencies: ["NightjarInterface", "NightjarModel", "Varlink"],
      swiftSettings: optimised),
    // The messages to and from Home Assistant about a machine. Pure.
    .target(
      name: "NightjarHomeAssistant",
      dependencies: ["NightjarModel", "NightjarTime", "Varlink"],
      swiftSettings: strict),
    // The bridge. It talks to the broker and the daemon, and serves its own sockets.
    .target(
      name: "NightjarMQTT",
      dependencies: [
        "NightjarConfig", "NightjarDesktop", "NightjarHomeAssistant", "NightjarInterface",
        "NightjarLink", "NightjarMirror", "NightjarModel", "NightjarParameters", "NightjarSystem",
        "NightjarTime",
        "NightjarTrust", "NightjarWords", "Varlink", "CMosquitto", "COpenSSL",
      ],
      swiftSettings: strict),

    // Generates Swift from an interface file.
    .target(name: "VarlinkGenerator", swiftSettings: strict),
    .executableTarget(
      name: "varlink-swift",
      dependencies: [
        "VarlinkGenerator", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),

    // Generates what only Nightjar needs: words of NightjarModel, parts of the manual. `make
    // generate` runs it after varlink-swift.
    .executableTarget(
      name: "nightjar-generate", dependencies: ["VarlinkGenerator"], swiftSettings: strict),

    .target(
      name: "NightjarTesting",
      dependencies: [
        "NightjarClient", "NightjarEngine", "NightjarInterface", "NightjarLedger", "NightjarModel",
        "NightjarParameters", "NightjarService", "NightjarSimulation", "NightjarTime", "Varlink",
        "CLinux",
      ],
      swiftSettings: strict),

    // The articles, for `swift package generate-documentation`.
    .target(name: "Documentation", exclude: ["architecture.dot"], swiftSettings: strict),

    .executableTarget(
      name: "nightjard", dependencies: ["NightjarDaemon"], swiftSettings: strict),
    .executableTarget(
      name: "nightjar-mqtt", dependencies: ["NightjarMQTT"], swiftSettings: strict),
    // The command line is a library because two programs use it: nightjar, and nightjar-rehearse.
    // Only nightjar-rehearse contains the engine.
    .target(
      name: "nightjar",
      dependencies: [
        "NightjarClient", "NightjarConfig", "NightjarInterface", "NightjarModel",
        "NightjarParameters", "NightjarTime", "NightjarTrust", "NightjarWords", "Varlink",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .executableTarget(name: "nightjar-main", dependencies: ["nightjar"], swiftSettings: strict),
    .executableTarget(
      name: "nightjar-rehearse",
      dependencies: [
        "nightjar", "NightjarClient", "NightjarConfig", "NightjarEngine", "NightjarLedger",
        "NightjarModel", "NightjarParameters", "NightjarService", "NightjarSimulation",
        "NightjarTime", "Varlink",
      ],
      swiftSettings: strict),

    // Code for several test targets: a fake daemon, fresh folders, and processes with their output.
    .target(
      name: "NightjarTestSupport",
      dependencies: [
        "NightjarClient", "NightjarEngine", "NightjarInterface", "NightjarModel", "Varlink",
        "CDiskRecord", "CLinux",
      ],
      path: "Tests/NightjarTestSupport", swiftSettings: strict),
    // What tests share with a disk that they make fail. The disk is a library that they preload
    // into a daemon, and Binaries.library compiles it.
    .target(name: "CDiskRecord"),

    // The dependencies of a test target include the programs that its tests start, because
    // .make/mutants builds only the dependencies.
    .testTarget(
      name: "ArchitectureTests",
      dependencies: ["NightjarEngine", "NightjarModel", "Varlink", "NightjarTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "NightjarTrustTests", dependencies: ["NightjarTrust", "NightjarTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "NightjarModelTests", dependencies: ["NightjarModel", "NightjarTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "NightjarEngineTests",
      dependencies: ["NightjarEngine", "NightjarModel", "NightjarTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "NightjarTimeTests", dependencies: ["NightjarTime", "NightjarTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "VarlinkTests",
      dependencies: ["NightjarInterface", "Varlink", "NightjarTestSupport"],
      exclude: [
        "Interfaces/org.example.odd-names.varlink", "Lamp/org.example.Lamp.varlink", "outputs",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "VarlinkGeneratorTests",
      dependencies: [
        "VarlinkGenerator", "varlink-swift", "NightjarTestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], swiftSettings: strict),
    .testTarget(
      name: "NightjarInterfaceTests",
      dependencies: [
        "VarlinkGenerator", "nightjar-generate", "varlink-swift", "NightjarInterface", "Varlink",
      ], swiftSettings: strict),
    .testTarget(
      name: "NightjarParametersTests",
      dependencies: [
        "VarlinkGenerator", "NightjarInterface", "NightjarModel", "NightjarParameters",
        "NightjarTestSupport", "NightjarTime", "Varlink",
      ], swiftSettings: strict),
    .testTarget(
      name: "NightjarWordsTests",
      dependencies: [
        "NightjarInterface", "NightjarTestSupport", "NightjarTime", "NightjarWords", "Varlink",
      ], swiftSettings: strict),
    .testTarget(
      name: "NightjarConfigTests", dependencies: ["NightjarConfig", "NightjarTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "NightjarLedgerTests",
      dependencies: [
        "NightjarEngine", "NightjarLedger", "NightjarModel", "NightjarSimulation",
        "NightjarTestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "NightjarStoreTests",
      dependencies: [
        "NightjarEngine", "NightjarLedger", "NightjarModel", "NightjarSimulation", "NightjarStore",
        "NightjarTestSupport", "CSQLite",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "NightjarSystemTests",
      dependencies: [
        "NightjarEngine", "NightjarModel", "NightjarSystem", "NightjarTestSupport", "NightjarTrust",
        "Varlink", "CLinux",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "NightjarServiceTests",
      dependencies: [
        "NightjarEngine", "NightjarInterface", "NightjarLedger", "NightjarModel",
        "NightjarParameters", "NightjarService", "NightjarSimulation", "NightjarTestSupport",
        "NightjarTime", "Varlink", "VarlinkGenerator",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "NightjarActionsTests",
      dependencies: ["NightjarActions", "NightjarModel", "NightjarParameters"],
      swiftSettings: strict),
    .testTarget(
      name: "NightjarDesktopTests",
      dependencies: [
        "NightjarConfig", "NightjarDesktop", "NightjarEngine", "NightjarInterface",
        "NightjarLedger", "NightjarModel", "NightjarParameters", "NightjarSimulation",
        "NightjarSystem", "NightjarTestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "NightjarSimulationTests",
      dependencies: [
        "nightjar", "NightjarClient", "NightjarEngine", "NightjarLedger", "NightjarModel",
        "NightjarParameters", "NightjarService", "NightjarSimulation", "NightjarTestSupport",
        "NightjarTime", "Varlink",
      ],
      swiftSettings: optimised),
    .testTarget(
      name: "NightjarMirrorTests",
      dependencies: [
        "NightjarInterface", "NightjarMirror", "NightjarModel", "NightjarTestSupport", "Varlink",
        "VarlinkGenerator",
      ],
      swiftSettings: optimised),
    .testTarget(
      name: "NightjarHomeAssistantTests",
      dependencies: ["NightjarHomeAssistant", "NightjarModel", "Varlink"],
      swiftSettings: strict),
    .testTarget(
      name: "NightjarFacesTests",
      dependencies: [
        "nightjard", "nightjar-launcher", "nightjar-tray", "NightjarClient", "NightjarFaces",
        "NightjarInterface", "NightjarModel", "NightjarSystem", "NightjarTestSupport", "Varlink",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "NightjarClientTests",
      dependencies: [
        "NightjarClient", "NightjarInterface", "NightjarTestSupport", "Varlink",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "NightjarTestingTests",
      dependencies: [
        "nightjard", "NightjarClient", "NightjarInterface", "NightjarTestSupport",
        "NightjarTesting", "Varlink",
      ],
      swiftSettings: strict),
    // The pictures of the programs in README and the documentation. `make pictures` writes them.
    .testTarget(
      name: "PictureTests",
      dependencies: [
        "NightjarClient", "NightjarTestSupport", "NightjarTesting", "Varlink",
      ],
      exclude: ["popup.txt"], swiftSettings: strict),
    .testTarget(
      name: "NightjarCLITests",
      dependencies: [
        "VarlinkGenerator", "nightjar", "nightjar-main", "nightjar-rehearse", "nightjard",
        "NightjarClient", "NightjarConfig", "NightjarEngine", "NightjarInterface", "NightjarLedger",
        "NightjarModel", "NightjarParameters", "NightjarService", "NightjarSimulation",
        "NightjarTestSupport", "NightjarTime", "Varlink",
      ],
      swiftSettings: strict),
    // What each release promised; `make release-contracts` writes it.
    .testTarget(
      name: "StabilityTests",
      dependencies: [
        "nightjar", "nightjard", "NightjarConfig", "NightjarDaemon", "NightjarHomeAssistant",
        "NightjarInterface", "NightjarMirror", "NightjarModel", "NightjarTestSupport", "Varlink",
        "VarlinkGenerator",
      ],
      exclude: ["Released"], swiftSettings: strict),
    .testTarget(
      name: "SystemTests",
      dependencies: ["NightjarClient", "NightjarTestSupport", "Varlink", "CLinux"],
      exclude: [
        "Desktop/gnome-helper.js", "Guest/build", "HomeAssistant/dashboard.txt",
        "HomeAssistant/dashboard.yaml",
        "HomeAssistant/install", "HomeAssistant/picture", "Host/host", "Host/newer",
        "Packages/bare", "Packages/roots", "sources",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "NightjarDaemonTests",
      dependencies: [
        "nightjard", "nightjar-main", "nightjar-mqtt", "NightjarActions", "NightjarClient",
        "NightjarConfig", "NightjarDaemon", "NightjarDesktop", "NightjarEngine",
        "NightjarInterface", "NightjarLedger", "NightjarMirror", "NightjarModel",
        "NightjarParameters", "NightjarService", "NightjarSimulation", "NightjarStore",
        "NightjarSystem", "NightjarTestSupport", "Varlink", "CLinux",
      ],
      swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)

/// The rooms: the folders of Sources, in which the targets have a folder each. A target depends on
/// targets of its own room and of those above, and any target on those of C.
let sources = [
  "Varlink": ["Varlink", "VarlinkGenerator", "varlink-swift"],
  "Time": ["NightjarTime"],
  "Core": [
    "NightjarModel", "NightjarEngine", "NightjarLedger", "NightjarStore", "NightjarSimulation",
  ],
  "Interface": ["NightjarInterface", "NightjarParameters", "nightjar-generate"],
  "Words": ["NightjarWords"],
  "Daemon": [
    "NightjarTrust", "NightjarConfig", "NightjarSystem", "NightjarService", "NightjarActions",
    "NightjarDesktop", "NightjarDaemon", "nightjard",
  ],
  "Client": ["NightjarClient", "NightjarLink", "NightjarTesting"],
  "Command": ["nightjar", "nightjar-main", "nightjar-rehearse"],
  "Bridge": ["NightjarMirror", "NightjarHomeAssistant", "NightjarMQTT", "nightjar-mqtt"],
  "Faces": ["NightjarFaces", "nightjar-launcher", "nightjar-tray"],
  "C": ["CLinux", "CSystemd", "CSQLite", "CMosquitto", "COpenSSL", "CTOML"],
]
let tests = [
  "Varlink": ["VarlinkTests", "VarlinkGeneratorTests"],
  "Time": ["NightjarTimeTests"],
  "Core": [
    "NightjarModelTests", "NightjarEngineTests", "NightjarLedgerTests", "NightjarStoreTests",
    "NightjarSimulationTests",
  ],
  "Interface": ["NightjarInterfaceTests", "NightjarParametersTests"],
  "Words": ["NightjarWordsTests"],
  "Daemon": [
    "NightjarTrustTests", "NightjarConfigTests", "NightjarSystemTests", "NightjarServiceTests",
    "NightjarActionsTests", "NightjarDesktopTests", "NightjarDaemonTests",
  ],
  "Client": ["NightjarClientTests", "NightjarTestingTests"],
  "Command": ["NightjarCLITests"],
  "Bridge": ["NightjarMirrorTests", "NightjarHomeAssistantTests"],
  "Faces": ["NightjarFacesTests"],
  "C": ["CDiskRecord"],
]
for target in package.targets {
  for (top, rooms) in [("Sources", sources), ("Tests", tests)] {
    for (room, names) in rooms where names.contains(target.name) {
      target.path = "\(top)/\(room)/\(target.name)"
    }
  }
}

// The fuzzer has libFuzzer's main, and every module needs libFuzzer's flags. `make fuzz` sets them,
// and uses a build folder of its own.
if Context.environment["NIGHTJAR_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "nightjar-fuzz",
      dependencies: [
        "NightjarConfig", "NightjarEngine", "NightjarLedger", "NightjarModel", "NightjarTime",
        "Varlink",
      ],
      path: "Tests/Fuzz/Targets", swiftSettings: strict))
}

// `NIGHTJAR_DOCUMENTATION=1 swift package generate-documentation --target Documentation` renders
// the articles with swift-docc-plugin. Without the variable, the plugin is no dependency: `make
// documentation` needs only the toolchain's docc.
if Context.environment["NIGHTJAR_DOCUMENTATION"] != nil {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"))
}

// `make bench` and `make bench-check` build the benchmarks, and `make test` runs their tests.
if Context.environment["NIGHTJAR_BENCH"] != nil {
  package.targets += [
    .executableTarget(
      name: "nightjar-bench",
      dependencies: [
        "CLinux", "NightjarClient", "NightjarEngine", "NightjarInterface", "NightjarLedger",
        "NightjarModel", "NightjarParameters", "NightjarService", "NightjarSimulation",
        "NightjarSystem", "NightjarTrust", "Varlink",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/Benchmarks/nightjar-bench", exclude: ["C"], swiftSettings: strict),
    .testTarget(
      name: "NightjarBenchTests", dependencies: ["nightjar-bench"],
      path: "Tests/Benchmarks/NightjarBenchTests", swiftSettings: strict),
  ]
}

// Only `make torture` builds this.
if Context.environment["NIGHTJAR_TORTURE"] != nil {
  package.targets.append(
    .executableTarget(
      name: "nightjar-torture",
      dependencies: [
        "CDiskRecord", "CLinux", "NightjarClient", "NightjarTestSupport", "Varlink",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/Torture", swiftSettings: strict))
}

// ThreadSanitizer for the modules that both threads of the daemon use; `make tsan` sets the
// variable. NightjarEngine is left out: with this flag the compiler (Swift 6.3) generates invalid
// code for it, and it uses no threads.
if Context.environment["NIGHTJAR_TSAN"] != nil {
  let watched = [
    "NightjarLedger", "NightjarStore", "NightjarSystem", "NightjarActions", "NightjarDesktop",
    "NightjarDaemon", "nightjard",
  ]
  for target in package.targets where watched.contains(target.name) {
    target.swiftSettings = strict + [.unsafeFlags(["-sanitize=thread"])]
    if target.name == "nightjard" { target.linkerSettings = [.unsafeFlags(["-sanitize=thread"])] }
  }
}
