// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "livequery", path: "..")],
  targets: [
    // The plain loops must not run through the engine's own module.
    .target(name: "CPlainSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CSystem"),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "CPlainSQLite", "CSystem", .product(name: "ObservationEngine", package: "livequery"),
        .product(name: "ObservationRecords", package: "livequery"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
