// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A module of Nightjar. The benchmarks call `package` declarations, such as the methods without a
/// socket. A product of Nightjar's package gives no access to those, so this package compiles the
/// same sources through a symbolic link.
func nightjar(
  _ room: String, _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/Nightjar/\(room)/\(name)",
    exclude: exclude, swiftSettings: strict)
}

let package = Package(
  name: "nightjar-benchmarks",
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
  ],
  targets: [
    .target(name: "CLinux", path: "Sources/Nightjar/C/CLinux"),
    .systemLibrary(name: "CSystemd", path: "Sources/Nightjar/C/CSystemd"),
    nightjar("Daemon", "NightjarTrust"),
    nightjar("Core", "NightjarModel"),
    nightjar("Core", "NightjarEngine", ["NightjarModel"]),
    nightjar("Time", "NightjarTime"),
    nightjar("Varlink", "Varlink"),
    nightjar(
      "Interface", "NightjarInterface", ["Varlink"],
      exclude: ["org.nightjar.Bridge.varlink", "org.nightjar.Timers.varlink", "outputs"]),
    nightjar("Core", "NightjarLedger", ["NightjarEngine", "NightjarModel"]),
    nightjar(
      "Interface", "NightjarParameters",
      ["NightjarInterface", "NightjarModel", "NightjarTime", "Varlink"]),
    nightjar(
      "Words", "NightjarWords",
      ["NightjarInterface", "NightjarModel", "NightjarParameters", "NightjarTime", "Varlink"]),
    nightjar(
      "Daemon", "NightjarService",
      [
        "NightjarEngine", "NightjarInterface", "NightjarLedger", "NightjarModel",
        "NightjarParameters", "NightjarTime", "NightjarWords", "Varlink",
      ]),
    nightjar("Core", "NightjarSimulation", ["NightjarEngine", "NightjarLedger", "NightjarModel"]),
    nightjar(
      "Daemon", "NightjarSystem",
      ["NightjarInterface", "NightjarModel", "Varlink", "CLinux", "CSystemd"]),
    nightjar(
      "Client", "NightjarClient", ["NightjarInterface", "NightjarTrust", "Varlink"]),
    .executableTarget(
      name: "nightjar-bench",
      dependencies: [
        "CLinux", "NightjarClient", "NightjarEngine", "NightjarInterface", "NightjarLedger",
        "NightjarModel", "NightjarParameters", "NightjarService", "NightjarSimulation",
        "NightjarSystem", "NightjarTrust", "Varlink",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      exclude: ["C"], swiftSettings: strict),
    .testTarget(
      name: "NightjarBenchTests", dependencies: ["nightjar-bench"], swiftSettings: strict),
  ]
)
