// swift-tools-version: 6.1
import PackageDescription

// Tests of the library from outside: a separate package, one shared libDescant.so, real bundles.

let descant: Target.Dependency = .product(name: "Descant", package: "descant")
let support: Target.Dependency = .product(name: "DescantTestSupport", package: "descant")

/// Libraries that the tests bundle, damage and load; products so that they are built beside the tests.
let fixtures = [
    "FixtureGood", "FixtureThrows", "FixtureMissingSymbol", "FixtureNoEntry", "FixtureOtherABI", "FixtureOldSherpa",
    "FixtureRogue", "FixtureHostile",
]

func plugin(_ name: String, _ more: Target.Dependency...) -> Target {
    .target(name: name, dependencies: [descant, "FixtureConstructor"] + more, path: "Fixtures/Plugins/\(name)")
}

let package = Package(
    name: "descant-integration",
    products: (fixtures + ["SimulatedCard"]).map { .library(name: $0, type: .dynamic, targets: [$0]) },
    dependencies: [
        .package(name: "descant", path: "../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    ],
    targets: [
        .target(name: "FixtureConstructor", path: "Fixtures/Plugins/FixtureConstructor"),
        .target(name: "FixtureNowhere", path: "Fixtures/Plugins/FixtureNowhere"),
        plugin("FixtureGood"),
        plugin("FixtureThrows"),
        plugin("FixtureMissingSymbol", "FixtureNowhere"),
        plugin("FixtureNoEntry"),
        .target(
            name: "FixtureOtherABI", dependencies: ["FixtureConstructor"], path: "Fixtures/Plugins/FixtureOtherABI"),
        .target(name: "FixtureRogueStart", path: "Fixtures/Plugins/FixtureRogueStart"),
        .target(
            name: "FixtureRogue", dependencies: [descant, "FixtureRogueStart"], path: "Fixtures/Plugins/FixtureRogue"),
        .target(name: "FixtureHostile", dependencies: [descant], path: "Fixtures/Plugins/FixtureHostile"),
        .executableTarget(name: "IsolatedHost", dependencies: [descant], path: "Fixtures/IsolatedHost"),
        .executableTarget(name: "RogueHost", dependencies: [descant], path: "Fixtures/RogueHost"),
        .target(name: "DiskCalls", path: "Fixtures/DiskCalls"),
        .target(name: "FixtureOldSherpa", path: "Fixtures/Plugins/FixtureOldSherpa"),
        .testTarget(
            name: "PluginTests",
            dependencies: [descant, support, "RogueHost", "IsolatedHost", "ServiceSoak", "DiskCalls"],
            path: "PluginTests"),
        .executableTarget(name: "EngineStorm", dependencies: [descant], path: "Fixtures/EngineStorm"),
        .executableTarget(name: "ServiceSoak", dependencies: [descant, support], path: "Fixtures/ServiceSoak"),
        .target(
            name: "SimulatedCard", path: "Fixtures/SimulatedCard", linkerSettings: [.linkedLibrary("asound")]),
        .target(name: "AllocationCounter", path: "Fixtures/AllocationCounter"),
        .testTarget(
            name: "EngineTests", dependencies: [descant, support, "EngineStorm", "AllocationCounter"],
            path: "EngineTests"),
        .executableTarget(name: "OtherPlayer", dependencies: [descant], path: "Fixtures/OtherPlayer"),
        .testTarget(name: "SessionTests", dependencies: [descant, support, "OtherPlayer"], path: "SessionTests"),

        // The examples of the guides, compiled and run. Whole programs are in Samples/Examples.
        .target(name: "PortsClient", dependencies: [descant], path: "Examples/PortsClient"),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [descant, "PortsClient", .product(name: "Logging", package: "swift-log")],
            path: "DocumentationTests"),
    ],
    swiftLanguageModes: [.v6]
)
