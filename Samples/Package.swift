// swift-tools-version: 6.1
import PackageDescription

// The sample players. They use the library as any host does, so that a host can copy their structure.
// Each layer is a target; Scripts/check-boundaries.swift says which may import which.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let descant = Target.Dependency.product(name: "Descant", package: "descant")
let support = Target.Dependency.product(name: "DescantTestSupport", package: "descant")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

func example(_ name: String, path: String? = nil) -> Target {
    .executableTarget(name: name, dependencies: [descant], path: "Examples/\(path ?? name)")
}

let hosts = ["HandOver", "Highlight", "Meditation", "OneFile", "TagEditor"]

/// A decoder, a voice, an engine, an output, a tag reader and an effect, which `descant plugin new` copies, and the plugin of the README.
let plugins = ["Hum", "Morse", "Drone", "Tape", "Liner", "Sway", "Mono"]

let package = Package(
    name: "descant-samples",
    products: [
        .executable(name: "descant", targets: ["descant"]),
        .executable(name: "descant-bench", targets: ["descant-bench"]),
        // The layers below the views, for players in packages of their own.
        .library(name: "PlayerApp", targets: ["PlayerApp"]),
        .library(name: "PlayerIntegration", targets: ["PlayerIntegration"]),
    ] + plugins.map { .library(name: $0, type: .dynamic, targets: [$0]) },
    dependencies: [
        .package(name: "descant", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    ],
    targets: [
        // Sound generation and measurement in plain Swift.
        .target(name: "AudioMeasurement", swiftSettings: strict),
        .target(name: "DemoMusic", dependencies: ["AudioMeasurement"], swiftSettings: strict),

        // The layers of the player app, from the top: views, application, integration.
        .target(name: "TerminalUI", dependencies: ["PlayerApp"], swiftSettings: strict),
        .target(name: "PlayerApp", dependencies: [descant], swiftSettings: strict),
        .systemLibrary(name: "CLibArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(
            name: "CGdkPixbuf", pkgConfig: "gdk-pixbuf-2.0", providers: [.apt(["libgdk-pixbuf-2.0-dev"])]),
        .target(
            name: "PlayerIntegration",
            dependencies: [
                "PlayerApp", "AudioMeasurement", "DemoMusic", "CLibArchive", "CLibXML2", "CSodium", "CGdkPixbuf",
                descant,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "descant", dependencies: ["TerminalUI", "PlayerApp", "PlayerIntegration", arguments],
            swiftSettings: strict),

        // The smallest programs, which the guides show.
        example("Player", path: "Player/Sources/Player"),
        example("RenderMix"),
        example("RenderOverlays"),
        example("RenderLoudness"),
        example("RenderEffect"),
        example("SpeechReader"),

        // The benchmark, and the programs that it compares with: playbin and TagLib used directly.
        .systemLibrary(
            name: "CGStreamerBench", path: "Benchmarks/CGStreamerBench", pkgConfig: "gstreamer-1.0",
            providers: [.apt(["libgstreamer1.0-dev"])]),
        .target(name: "CPlaybinPeer", dependencies: ["CGStreamerBench"], path: "Benchmarks/CPlaybinPeer"),
        .systemLibrary(
            name: "CTagLibBench", path: "Benchmarks/CTagLibBench", pkgConfig: "taglib",
            providers: [.apt(["libtag1-dev"])]),
        .target(name: "CTagPeer", dependencies: ["CTagLibBench"], path: "Benchmarks/CTagPeer"),
        .executableTarget(
            name: "descant-bench", dependencies: ["CPlaybinPeer", "CTagPeer", "PlayerApp", descant, support],
            path: "Benchmarks/descant-bench",
            swiftSettings: strict),

        // Plays thousands of damaged files with the same calls; see Scripts/mutate.sh.
        .executableTarget(
            name: "MutationRun", dependencies: ["PlayerIntegration", "PlayerApp", descant, support],
            path: "Tests/MutationRun"),

        // The vendor's side of a licence.
        .target(name: "LicenseMaking", dependencies: ["CSodium"], path: "Tests/LicenseMaking"),

        .testTarget(name: "AudioMeasurementTests", dependencies: ["AudioMeasurement"]),
        .testTarget(name: "BoundaryTests"),
        .testTarget(name: "DemoMusicTests", dependencies: ["DemoMusic", "AudioMeasurement"]),
        .testTarget(name: "PlayerAppTests", dependencies: ["PlayerApp", descant]),
        .testTarget(
            name: "PlayerIntegrationTests",
            dependencies: ["CLibArchive", "LicenseMaking", "PlayerApp", "PlayerIntegration", descant, support]),
        .testTarget(
            name: "TerminalUITests", dependencies: ["TerminalUI", "PlayerApp", descant], exclude: ["Screens"]),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                descant, support, "Player", "RenderMix", "RenderOverlays", "RenderLoudness", "RenderEffect",
                "SpeechReader",
            ]),
        .testTarget(
            name: "CommandLineTests",
            dependencies: ["AudioMeasurement", "DemoMusic", "descant", "descant-bench", descant, support]
                + hosts.map { .target(name: $0) } + ["LicenseMaking", "LayeredPlayer"]),
    ]
        // A small app on the layers: a free and a Pro product, told apart by a licence.
        + [
            .executableTarget(
                name: "LayeredPlayer", dependencies: ["TerminalUI", "PlayerApp", "PlayerIntegration", descant],
                path: "Hosts/LayeredPlayer")
        ]
        // The smallest plugins. Their tests load the built libraries: linked into one program
        // with each other, their entry points would clash.
        + plugins.flatMap { name -> [Target] in
            [
                .target(name: name, dependencies: [descant], path: "Examples/\(name)/Sources/\(name)"),
                .testTarget(
                    name: "\(name)Tests", dependencies: [descant], path: "Examples/\(name)/Tests/\(name)Tests"),
            ]
        }
        // Small apps, one file each, written from the guides alone.
        + hosts.map { .executableTarget(name: $0, dependencies: [descant], path: "Hosts/\($0)") },
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
