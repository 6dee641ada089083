// swift-tools-version: 6.2
import PackageDescription

/// Every target is held to the same rules; the compiler is the first reviewer.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// For the tests that compute for minutes: their own code is optimised in the test build, too. Not the modules
/// that they test.
let optimised = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

let package = Package(
  name: "nightjar",
  products: [
    .executable(name: "nightjard", targets: ["nightjard"]),
    .executable(name: "nightjar", targets: ["nightjar-main"]),
    .executable(name: "nightjar-rehearse", targets: ["nightjar-rehearse"]),
    .executable(name: "nightjar-mqtt", targets: ["nightjar-mqtt"]),
    .library(
      name: "NightjarClient", targets: ["NightjarClient", "NightjarInterface", "NightjarVarlink"]),
    .library(name: "NightjarTesting", targets: ["NightjarTesting"]),
    .library(name: "FakeWallClock", type: .dynamic, targets: ["CFakeWallClock"]),
    .library(name: "FaultyDisk", type: .dynamic, targets: ["CFaultyDisk"]),
  ],
  dependencies: [
    // This version, so that a commit makes the same programs at any time.
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
  ],
  targets: [
    // What the Glibc module lacks, and the two libraries the daemon stands on.
    .target(name: "CLinux"),
    .systemLibrary(
      name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    // MQTT, for the bridge only.
    .systemLibrary(
      name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
    // What libmosquitto has its TLS from: it looks at the files, and says why TLS failed.
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    // The headers of libtomlplusplus-dev. They are found without pkg-config, which would also have us
    // link the library that Debian makes of them.
    .target(name: "CTOML"),

    // Whom and what to trust: the C library only, as the client needs it, too.
    .target(name: "NightjarTrust", swiftSettings: strict),

    // Pure: the standard library only.
    .target(name: "NightjarModel", swiftSettings: strict),
    .target(name: "NightjarEngine", dependencies: ["NightjarModel"], swiftSettings: strict),
    .target(name: "NightjarTime", swiftSettings: strict),
    .target(name: "NightjarVarlink", swiftSettings: strict),
    // The interface's text and words, and what the daemon and its clients must agree on: paths, the version.
    .target(
      name: "NightjarInterface",
      exclude: [
        "bridge-values", "client-values", "org.nightjar.Bridge.varlink",
        "org.nightjar.Timers.varlink", "outputs",
      ],
      swiftSettings: strict),
    .target(
      name: "NightjarLedger", dependencies: ["NightjarEngine", "NightjarModel"],
      swiftSettings: strict),
    .target(
      name: "NightjarService",
      dependencies: [
        "NightjarEngine", "NightjarInterface", "NightjarLedger", "NightjarModel", "NightjarTime",
        "NightjarVarlink",
      ],
      swiftSettings: strict),
    .target(
      name: "NightjarSimulation",
      dependencies: ["NightjarEngine", "NightjarLedger", "NightjarModel"],
      swiftSettings: strict),

    .target(
      name: "NightjarConfig",
      dependencies: [
        "NightjarInterface", "NightjarModel", "NightjarService", "NightjarTime", "NightjarTrust",
        "NightjarVarlink", "CTOML",
      ],
      swiftSettings: strict),
    .target(
      name: "NightjarStore",
      dependencies: [
        "NightjarEngine", "NightjarLedger", "NightjarModel", "NightjarTrust", "CLinux", "CSQLite",
      ],
      swiftSettings: strict),
    .target(
      name: "NightjarSystem",
      dependencies: [
        "NightjarInterface", "NightjarModel", "NightjarVarlink", "CLinux", "CSystemd",
      ],
      swiftSettings: strict),
    // Commands and hooks; popups and sound. Of the engine they know the bus only, and they do not know the
    // server. ArchitectureTests hold this.
    .target(
      name: "NightjarActions",
      dependencies: [
        "NightjarConfig", "NightjarEngine", "NightjarInterface", "NightjarModel", "NightjarService",
        "NightjarSystem", "NightjarVarlink",
      ],
      swiftSettings: strict),
    .target(
      name: "NightjarDesktop",
      dependencies: [
        "NightjarConfig", "NightjarEngine", "NightjarModel", "NightjarService", "NightjarSystem",
        "NightjarTime", "NightjarTrust", "NightjarVarlink",
      ],
      swiftSettings: strict),
    .target(
      name: "NightjarDaemon",
      dependencies: [
        "NightjarActions", "NightjarConfig", "NightjarDesktop", "NightjarEngine",
        "NightjarInterface", "NightjarLedger", "NightjarModel", "NightjarService", "NightjarStore",
        "NightjarSystem", "NightjarTime", "NightjarTrust", "NightjarVarlink", "CLinux",
      ],
      swiftSettings: strict),
    .target(
      name: "NightjarClient",
      dependencies: ["NightjarInterface", "NightjarTrust", "NightjarVarlink"],
      swiftSettings: strict),

    // A person's other machines: what is published, what is read, and who may call what. Pure.
    .target(
      name: "NightjarMirror",
      dependencies: ["NightjarInterface", "NightjarModel", "NightjarVarlink"],
      swiftSettings: strict),
    // What Home Assistant is shown of a machine, and what it asks for. Pure.
    .target(
      name: "NightjarHomeAssistant",
      dependencies: ["NightjarModel", "NightjarTime", "NightjarVarlink"],
      swiftSettings: strict),
    // The bridge: the broker, the daemon's socket, and the sockets that it serves.
    .target(
      name: "NightjarMQTT",
      dependencies: [
        "NightjarConfig", "NightjarDesktop", "NightjarHomeAssistant", "NightjarInterface",
        "NightjarMirror", "NightjarModel", "NightjarService", "NightjarSystem", "NightjarTime",
        "NightjarTrust", "NightjarVarlink", "CLinux", "CMosquitto", "COpenSSL",
      ],
      swiftSettings: strict),

    // Swift from the interface file; knows nothing of timers. `make generate` runs it.
    .target(name: "VarlinkGenerator", swiftSettings: strict),
    .executableTarget(
      name: "varlink-swift",
      dependencies: [
        "VarlinkGenerator", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),

    .target(
      name: "NightjarTesting",
      dependencies: [
        "NightjarClient", "NightjarEngine", "NightjarInterface", "NightjarLedger", "NightjarModel",
        "NightjarService", "NightjarSimulation", "NightjarTime", "NightjarVarlink", "CLinux",
      ],
      swiftSettings: strict),

    // The articles, for `swift package generate-documentation`.
    .target(name: "Documentation", exclude: ["architecture.dot"], swiftSettings: strict),

    .executableTarget(
      name: "nightjard", dependencies: ["NightjarDaemon"], swiftSettings: strict),
    .executableTarget(
      name: "nightjar-mqtt", dependencies: ["NightjarMQTT"], swiftSettings: strict),
    // The command line is a library, as two programs have it: nightjar, and nightjar-rehearse, which has the
    // engine too.
    .target(
      name: "nightjar",
      dependencies: [
        "NightjarClient", "NightjarConfig", "NightjarInterface", "NightjarModel", "NightjarService",
        "NightjarTime", "NightjarTrust", "NightjarVarlink",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .executableTarget(name: "nightjar-main", dependencies: ["nightjar"], swiftSettings: strict),
    .executableTarget(
      name: "nightjar-rehearse",
      dependencies: [
        "nightjar", "NightjarClient", "NightjarConfig", "NightjarEngine", "NightjarLedger",
        "NightjarModel", "NightjarService", "NightjarSimulation", "NightjarTime", "NightjarVarlink",
      ],
      swiftSettings: strict),

    // What several test targets need: a fake daemon, a fresh folder, processes and what they say.
    .target(
      name: "NightjarTestSupport",
      dependencies: [
        "NightjarClient", "NightjarEngine", "NightjarInterface", "NightjarModel", "NightjarVarlink",
        "CDiskRecord", "CLinux",
      ],
      path: "Tests/NightjarTestSupport", swiftSettings: strict),
    // Preloaded into a daemon whose clocks a test sets.
    .target(name: "CFakeWallClock", path: "Tests/CFakeWallClock"),
    // Preloaded into a daemon whose disk fails, or is to be cut off from its power.
    .target(name: "CDiskRecord", path: "Tests/CDiskRecord"),
    .target(name: "CFaultyDisk", dependencies: ["CDiskRecord"], path: "Tests/CFaultyDisk"),

    // A test target names the programs that its tests start, too: .make/mutants builds what it names.
    .testTarget(
      name: "ArchitectureTests",
      dependencies: ["NightjarEngine", "NightjarModel", "NightjarVarlink", "NightjarTestSupport"],
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
      name: "NightjarVarlinkTests",
      dependencies: ["NightjarInterface", "NightjarVarlink", "NightjarTestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "VarlinkGeneratorTests",
      dependencies: [
        "VarlinkGenerator", "varlink-swift", "NightjarInterface", "NightjarVarlink",
      ], swiftSettings: strict),
    .testTarget(
      name: "NightjarConfigTests", dependencies: ["NightjarConfig", "NightjarTestSupport"],
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
        "NightjarVarlink", "CLinux",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "NightjarSimulationTests",
      dependencies: [
        "nightjar", "NightjarClient", "NightjarEngine", "NightjarLedger", "NightjarModel",
        "NightjarService", "NightjarSimulation", "NightjarTestSupport", "NightjarTime",
        "NightjarVarlink",
      ],
      swiftSettings: optimised),
    .testTarget(
      name: "NightjarMirrorTests",
      dependencies: [
        "NightjarMirror", "NightjarModel", "NightjarTestSupport", "NightjarVarlink",
      ],
      swiftSettings: optimised),
    .testTarget(
      name: "NightjarHomeAssistantTests",
      dependencies: ["NightjarHomeAssistant", "NightjarModel", "NightjarVarlink"],
      swiftSettings: strict),
    .testTarget(
      name: "NightjarClientTests",
      dependencies: [
        "NightjarClient", "NightjarInterface", "NightjarTestSupport", "NightjarVarlink",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "NightjarTestingTests",
      dependencies: [
        "nightjard", "NightjarClient", "NightjarInterface", "NightjarTestSupport",
        "NightjarTesting", "NightjarVarlink",
      ],
      swiftSettings: strict),
    // What README and the documentation show of the programs: `make pictures` writes it.
    .testTarget(
      name: "PictureTests",
      dependencies: [
        "NightjarClient", "NightjarTestSupport", "NightjarTesting", "NightjarVarlink",
      ],
      exclude: ["popup.txt"], swiftSettings: strict),
    .testTarget(
      name: "NightjarCLITests",
      dependencies: [
        "VarlinkGenerator", "nightjar", "nightjar-main", "nightjar-rehearse", "nightjard",
        "NightjarClient", "NightjarConfig", "NightjarEngine", "NightjarInterface", "NightjarLedger",
        "NightjarModel", "NightjarService", "NightjarSimulation", "NightjarTestSupport",
        "NightjarTime", "NightjarVarlink",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SystemTests",
      dependencies: ["NightjarClient", "NightjarTestSupport", "NightjarVarlink", "CLinux"],
      exclude: [
        "Guest/build", "HomeAssistant/dashboard.txt", "HomeAssistant/dashboard.yaml",
        "HomeAssistant/install", "HomeAssistant/picture", "Host/host", "Host/newer",
        "Packages/roots", "sources",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "NightjarDaemonTests",
      dependencies: [
        "nightjard", "nightjar-main", "nightjar-mqtt", "NightjarActions", "NightjarClient",
        "NightjarConfig", "NightjarDaemon", "NightjarDesktop", "NightjarEngine",
        "NightjarInterface", "NightjarLedger", "NightjarMirror", "NightjarModel", "NightjarService",
        "NightjarSimulation", "NightjarStore", "NightjarSystem", "NightjarTestSupport",
        "NightjarVarlink", "CLinux",
      ],
      swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)

// The fuzzer has libFuzzer's main, and needs its flags in every module: `make fuzz` gives them, and builds
// it in a place of its own.
if Context.environment["NIGHTJAR_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "nightjar-fuzz",
      dependencies: [
        "NightjarConfig", "NightjarEngine", "NightjarLedger", "NightjarModel", "NightjarTime",
        "NightjarVarlink",
      ],
      path: "Tests/Fuzz/Targets", swiftSettings: strict))
}

// `NIGHTJAR_DOCUMENTATION=1 swift package generate-documentation --target Documentation` renders the articles with
// swift-docc-plugin. It is no dependency otherwise: `make documentation` needs the toolchain's docc only.
if Context.environment["NIGHTJAR_DOCUMENTATION"] != nil {
  package.dependencies.append(
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"))
}

// Only who tortures the daemon needs this: `make torture` asks for it.
if Context.environment["NIGHTJAR_TORTURE"] != nil {
  package.targets.append(
    .executableTarget(
      name: "nightjar-torture",
      dependencies: [
        "CDiskRecord", "CLinux", "NightjarClient", "NightjarTestSupport", "NightjarVarlink",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/Torture", swiftSettings: strict))
}

// ThreadSanitizer, for what both threads of the daemon touch; `make tsan` asks for it. Not for all modules:
// the compiler (Swift 6.3) makes invalid code of NightjarEngine with it, which knows no threads.
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
