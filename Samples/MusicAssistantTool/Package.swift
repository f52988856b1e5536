// swift-tools-version: 6.1
import PackageDescription

// `descant ma`: a program of its own, as SwiftNIO takes longer to build than everything on the way to the first sound.

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
        // D-Bus, over which Avahi tells of servers in the home.
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
