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
  name: "livequery",
  products: [
    .library(name: "ObservationEngine", targets: ["ObservationEngine"]),
    .library(name: "ObservationRecords", targets: ["ObservationRecords"]),
    .executable(name: "livequery", targets: ["LiveQueryTUI"]),
  ],
  targets: [
    .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CLinux"),
    .target(name: "CProcess"),
    .target(
      name: "CNcurses",
      linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo")]),
    .target(
      name: "ObservationEngine",
      dependencies: ["CSQLite", "CLinux"],
      swiftSettings: settings),
    .target(
      name: "ObservationRecords",
      dependencies: ["ObservationEngine"],
      swiftSettings: settings),
    .target(
      name: "DatabaseConsole",
      dependencies: ["ObservationEngine"],
      swiftSettings: settings),
    // libpq is loaded when it is needed: no package and no library more.
    .target(name: "CPostgres"),
    .target(
      name: "ObservationPostgres",
      dependencies: ["ObservationEngine", "CPostgres", "CLinux"],
      swiftSettings: settings),
    .target(
      name: "Dashboard",
      dependencies: ["DatabaseConsole", "ObservationEngine"],
      swiftSettings: settings),
    .executableTarget(
      name: "LiveQueryTUI",
      dependencies: [
        "Dashboard", "DatabaseConsole", "ObservationEngine", "ObservationPostgres", "CNcurses",
        "CLinux", "CProcess",
      ],
      swiftSettings: settings),

    .executableTarget(
      name: "HallOfFame",
      dependencies: ["ObservationEngine", "ObservationRecords"],
      path: "Examples/HallOfFame",
      swiftSettings: settings),
    .executableTarget(
      name: "League",
      dependencies: ["ObservationEngine", "ObservationRecords"],
      path: "Examples/League",
      swiftSettings: settings),

    .target(
      name: "TestSupport",
      dependencies: ["CSQLite", "DatabaseConsole", "ObservationEngine"],
      path: "Tests/TestSupport",
      swiftSettings: settings),
    .executableTarget(
      name: "ExternalWriter",
      dependencies: ["CSQLite"],
      path: "Tests/ExternalWriter",
      swiftSettings: settings),
    .target(
      name: "CFaults", path: "Tests/CFaults", linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "FaultRunner",
      dependencies: [
        "CFaults", "CSQLite", "DatabaseConsole", "ObservationEngine", "TestSupport",
      ],
      path: "Tests/FaultRunner",
      swiftSettings: settings),
    .executableTarget(
      name: "RandomWriters",
      dependencies: ["ExternalWriter", "TestSupport"],
      path: "Tests/RandomWriters",
      swiftSettings: settings),
    // Changed rows and maintained results against SQLite's own: see Scripts/soak.
    .executableTarget(
      name: "RandomProof",
      dependencies: ["CSQLite", "ExternalWriter", "ObservationEngine", "TestSupport"],
      path: "Tests/RandomProof",
      swiftSettings: settings),
    // For the thread sanitizer: see Scripts/sanitize.
    .executableTarget(
      name: "ThreadStress",
      dependencies: ["ObservationEngine", "ObservationRecords", "TestSupport"],
      path: "Tests/ThreadStress",
      swiftSettings: settings),
    // Not a test, but sees what tests see: see Benchmarks.
    .executableTarget(
      name: "TableTimer",
      dependencies: ["CSQLite", "ObservationEngine"],
      path: "Tests/TableTimer",
      swiftSettings: settings),
    .executableTarget(
      name: "FrameTimer",
      dependencies: ["Dashboard", "ObservationEngine"],
      path: "Tests/FrameTimer",
      swiftSettings: settings),
    .executableTarget(
      name: "WindowTimer",
      dependencies: ["CSQLite", "DatabaseConsole", "ObservationEngine"],
      path: "Tests/WindowTimer",
      swiftSettings: settings),
    .executableTarget(
      name: "PanelTimer",
      dependencies: ["Dashboard", "ObservationEngine"],
      path: "Tests/PanelTimer",
      swiftSettings: settings),
    .executableTarget(
      name: "ServerTimer",
      dependencies: ["CPostgres", "ObservationEngine", "ObservationPostgres", "TestSupport"],
      path: "Tests/ServerTimer",
      swiftSettings: settings),
    // Gives damaged and crafted files to the parsers and to the program: see Scripts/hostile.
    .executableTarget(
      name: "HostileInput",
      dependencies: ["CProcess", "CSQLite", "Dashboard", "ObservationEngine"],
      path: "Tests/HostileInput",
      swiftSettings: settings),
    .testTarget(
      name: "ObservationEngineTests",
      dependencies: [
        "CSQLite", "DatabaseConsole", "ObservationEngine", "TestSupport", "ExternalWriter",
        "RandomProof",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ObservationRecordsTests",
      dependencies: ["ObservationEngine", "ObservationRecords", "TestSupport", "ExternalWriter"],
      swiftSettings: settings),
    .testTarget(
      name: "DatabaseConsoleTests",
      dependencies: [
        "CSQLite", "DatabaseConsole", "ObservationEngine", "TestSupport", "ExternalWriter",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "DashboardTests",
      dependencies: ["Dashboard", "DatabaseConsole", "ObservationEngine", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "LiveQueryTUITests",
      dependencies: [
        "LiveQueryTUI", "DatabaseConsole", "ObservationPostgres", "TestSupport", "ExternalWriter",
        "HostileInput",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ObservationPostgresTests",
      dependencies: ["ObservationEngine", "ObservationPostgres", "TestSupport"],
      exclude: ["Fixtures"],
      swiftSettings: settings),
    .testTarget(
      name: "ExampleTests",
      dependencies: ["HallOfFame", "League", "TestSupport"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)

// Scripts/sanitize builds the package a second time, but only what it runs.
let sanitized: [String: Set<String>] = [
  "thread": [
    "CSQLite", "CLinux", "ObservationEngine", "ObservationRecords", "DatabaseConsole",
    "TestSupport", "ExternalWriter", "RandomProof", "ObservationEngineTests",
    "ObservationRecordsTests",
  ],
  "address": [
    "CSQLite", "CLinux", "CProcess", "CNcurses", "ObservationEngine", "DatabaseConsole",
    "Dashboard", "LiveQueryTUI", "livequery", "CPostgres", "ObservationPostgres",
    "TestSupport", "ExternalWriter", "RandomProof", "HostileInput", "ObservationEngineTests",
    "LiveQueryTUITests",
  ],
]
if let kind = Context.environment["LIVEQUERY_SANITIZED"], let needed = sanitized[kind] {
  package.targets.removeAll { !needed.contains($0.name) }
  package.products.removeAll { !needed.contains($0.name) }
}
