// swift-tools-version: 6.1
import PackageDescription

// The engine that plays on a Music Assistant player. A separate package, so that building the other plugins does not build
// SwiftNIO.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let descant = Target.Dependency.product(name: "Descant", package: "descant")
let kit = Target.Dependency.product(name: "MusicAssistantKit", package: "descant")
let tls = Target.Dependency.product(name: "MusicAssistantTLS", package: "descant")

let package = Package(
    name: "descant-music-assistant-engine",
    products: [
        .library(name: "MusicAssistantEngine", type: .dynamic, targets: ["MusicAssistantEngine"]),
        .library(name: "MusicAssistantSettings", targets: ["MusicAssistantSettings"]),
    ],
    dependencies: [
        .package(name: "descant", path: "../..", traits: ["MusicAssistant"]),
        .package(path: "../../Tests/MusicAssistant"),
    ],
    targets: [
        // The user's server and player, shared with the tool.
        .target(
            name: "MusicAssistantSettings", dependencies: [kit, tls], path: "MusicAssistantSettings",
            swiftSettings: strict),
        .target(
            name: "MusicAssistantEngine", dependencies: [descant, kit, "MusicAssistantSettings"],
            path: "MusicAssistantEngine", swiftSettings: strict),
        .testTarget(
            name: "MusicAssistantEngineTests",
            dependencies: [
                descant, kit,
                .product(name: "MusicAssistantTestServer", package: "MusicAssistant"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
