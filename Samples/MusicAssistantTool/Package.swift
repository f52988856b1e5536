// swift-tools-version: 6.1
import PackageDescription

// `descant ma` is a separate program, because SwiftNIO takes longer to build than all the rest of the player.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "descant-music-assistant-tool",
    products: [.executable(name: "descant-ma", targets: ["descant-ma"])],
    dependencies: [
        .package(name: "descant", path: "../..", traits: ["MusicAssistant"]),
        .package(path: "../../Plugins/MusicAssistantPlugin"),
        .package(path: "../../Tests/MusicAssistant"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    ],
    targets: [
        // D-Bus, by which Avahi lists the servers in the local network.
        .systemLibrary(name: "CGioBus", pkgConfig: "gio-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .executableTarget(
            name: "descant-ma",
            dependencies: [
                "CGioBus",
                .product(name: "MusicAssistantKit", package: "descant"),
                .product(name: "MusicAssistantSettings", package: "MusicAssistantPlugin"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DescantMATests",
            dependencies: [
                "descant-ma", .product(name: "MusicAssistantTestServer", package: "MusicAssistant"),
                .product(name: "MusicAssistantTestServerTLS", package: "MusicAssistant"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
