// swift-tools-version: 6.1
import PackageDescription

// One dynamic product carries the core: a second copy of it in the process would have type
// metadata of its own, and every cast between host and plugin would fail silently.
// See docs/decisions/0001-one-dynamic-product.md.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A product of a package that is fetched only when the trait `MusicAssistant` is enabled.
/// See docs/decisions/0006-package-trait-for-music-assistant.md.
func remote(_ name: String, of package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["MusicAssistant"]))
}

let package = Package(
    name: "descant",
    products: [
        .library(
            name: "Descant", type: .dynamic,
            targets: ["Descant", "DescantCore", "DescantPlayback", "DescantTesting"]),
        .library(name: "DescantTestSupport", targets: ["DescantTestSupport"]),
        .library(name: "MusicAssistantKit", targets: ["MusicAssistantKit"]),
        .library(name: "MusicAssistantTLS", targets: ["MusicAssistantTLS"]),
    ],
    traits: [
        .trait(name: "MusicAssistant", description: "The network client of MusicAssistantKit, which needs SwiftNIO")
    ],
    dependencies: [
        // Only the adapter between the library's log and a host's uses it.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    ],
    targets: [
        // C modules and shims.
        .target(name: "CDescant"),
        .target(name: "CResampling"),
        .systemLibrary(
            name: "CGStreamer", pkgConfig: "gstreamer-app-1.0 gstreamer-audio-1.0 gstreamer-pbutils-1.0",
            providers: [.apt(["libgstreamer1.0-dev", "libgstreamer-plugins-base1.0-dev"])]),
        .target(name: "CGStreamerShim", dependencies: ["CGStreamer"]),
        .systemLibrary(name: "CTagLib", pkgConfig: "taglib", providers: [.apt(["libtag1-dev"])]),
        .target(name: "CTagLibShim", dependencies: ["CTagLib"]),
        .systemLibrary(name: "CGio", pkgConfig: "gio-2.0", providers: [.apt(["libglib2.0-dev"])]),
        .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "CPulse", pkgConfig: "libpulse", providers: [.apt(["libpulse-dev"])]),

        // The library, from the ground up.
        .target(name: "DescantCore", dependencies: ["CDescant"], swiftSettings: strict),
        .target(name: "DescantContainers", swiftSettings: strict),
        .target(name: "DescantMixing", dependencies: ["CResampling", "DescantCore"], swiftSettings: strict),
        .target(name: "DescantPlayback", dependencies: ["DescantCore"], swiftSettings: strict),
        .target(
            name: "DescantGStreamer",
            dependencies: [
                "DescantContainers", "DescantCore", "DescantMixing", "CALSA", "CGio", "CGStreamer", "CGStreamerShim",
                "CPulse",
            ],
            swiftSettings: strict),
        .target(
            name: "DescantDesktop",
            dependencies: ["DescantCore", "CGio", "CPulse", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        .target(
            name: "DescantTagLib", dependencies: ["DescantContainers", "DescantCore", "CTagLibShim"],
            swiftSettings: strict),
        .target(
            name: "Descant",
            dependencies: [
                "DescantCore", "DescantMixing", "DescantPlayback", "DescantGStreamer", "DescantDesktop",
                "DescantTagLib",
            ],
            swiftSettings: strict),
        .target(
            name: "DescantTesting",
            dependencies: ["DescantContainers", "DescantCore", "DescantMixing", "DescantPlayback"],
            swiftSettings: strict),

        // Servers and tools for tests. It imports nothing of Descant, so a test may link it beside libDescant.so.
        .target(name: "DescantTestSupport", swiftSettings: strict),

        // The Music Assistant client. It imports nothing of Descant.
        .target(
            name: "MusicAssistantKit",
            dependencies: ["NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket"].map { remote($0, of: "swift-nio") },
            swiftSettings: strict),
        .target(
            name: "MusicAssistantTLS",
            dependencies: [
                "MusicAssistantKit", remote("NIOCore", of: "swift-nio"), remote("NIOSSL", of: "swift-nio-ssl"),
            ],
            swiftSettings: strict),

        .testTarget(
            name: "DescantCoreTests", dependencies: ["DescantCore", "DescantTesting", "DescantTestSupport"]),
        .testTarget(
            name: "DescantContainersTests",
            dependencies: ["DescantContainers", "DescantGStreamer", "DescantTesting", "DescantTestSupport"]),
        .testTarget(name: "DescantTestingTests", dependencies: ["DescantCore", "DescantTesting"]),
        .testTarget(
            name: "DescantMixingTests",
            dependencies: ["DescantCore", "DescantMixing", "DescantTesting", "DescantTestSupport"]),
        .testTarget(
            name: "DescantPlaybackTests",
            dependencies: ["DescantCore", "DescantPlayback", "DescantTesting", "DescantTestSupport"],
            exclude: ["Controller/Golden"]),
        .testTarget(
            name: "DescantGStreamerTests",
            dependencies: [
                "CGStreamer", "CGio", "DescantContainers", "DescantCore", "DescantMixing", "DescantGStreamer",
                "DescantTesting",
                "DescantTestSupport",
            ]),
        .testTarget(
            name: "DescantDesktopTests",
            dependencies: [
                "CGio", "CPulse", "Descant", "DescantCore", "DescantDesktop", "DescantPlayback", "DescantTesting",
                "DescantTestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "DescantTagLibTests",
            dependencies: ["DescantContainers", "DescantCore", "DescantPlayback", "DescantTagLib", "DescantTesting"],
            exclude: ["Support/mutagen_tool.py"]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
