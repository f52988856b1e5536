// swift-tools-version: 6.1
import PackageDescription

// A separate package, like a third party's, so that host and plugins share one copy of the core.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let descant: Target.Dependency = .product(name: "Descant", package: "descant")

let package = Package(
    name: "descant-plugins",
    products: [
        .executable(name: "descant-plugin-host", targets: ["descant-plugin-host"]),
        .library(name: "DSDDecoder", type: .dynamic, targets: ["DSDDecoder"]),
        .library(name: "EspeakSpeech", type: .dynamic, targets: ["EspeakSpeech"]),
        .library(name: "FLACDecoder", type: .dynamic, targets: ["FLACDecoder"]),
        .library(name: "FliteSpeech", type: .dynamic, targets: ["FliteSpeech"]),
        .library(name: "LibavDecoder", type: .dynamic, targets: ["LibavDecoder"]),
        .library(name: "MpvEngine", type: .dynamic, targets: ["MpvEngine"]),
        .library(name: "SherpaSpeech", type: .dynamic, targets: ["SherpaSpeech"]),
        .library(name: "STKReverb", type: .dynamic, targets: ["STKReverb"]),
        .library(name: "PCMStreamOutput", type: .dynamic, targets: ["PCMStreamOutput"]),
        .library(name: "ToneEngine", type: .dynamic, targets: ["ToneEngine"]),
    ],
    dependencies: [.package(name: "descant", path: "..")],
    targets: [
        .systemLibrary(name: "CFLAC", path: "CFLAC", pkgConfig: "flac", providers: [.apt(["libflac-dev"])]),
        // The process that plugins run in apart from their host.
        .executableTarget(
            name: "descant-plugin-host", dependencies: [descant], path: "PluginHost", swiftSettings: strict),
        .target(name: "DSDDecoder", dependencies: [descant], path: "DSDDecoder", swiftSettings: strict),
        // Loads espeak-ng, which is under the GPL, in a helper process.
        .target(name: "CEspeak", path: "CEspeak"),
        .target(
            name: "EspeakSpeech", dependencies: [descant, "CEspeak"], path: "EspeakSpeech",
            exclude: ["NOTICE", "bundle.txt"], swiftSettings: strict),
        .target(
            name: "FLACDecoder", dependencies: [descant, "CFLAC"], path: "FLACDecoder",
            exclude: ["NOTICE", "bundle.txt"],
            swiftSettings: strict),
        .systemLibrary(name: "CFlite", path: "CFlite", providers: [.apt(["flite1-dev"])]),
        .target(
            name: "FliteSpeech", dependencies: [descant, "CFlite"], path: "FliteSpeech",
            exclude: ["NOTICE", "bundle.txt"],
            swiftSettings: strict),
        .systemLibrary(name: "CLibav", path: "CLibav", pkgConfig: "libavcodec", providers: [.apt(["libavcodec-dev"])]),
        .target(
            name: "LibavDecoder", dependencies: [descant, "CLibav"], path: "LibavDecoder",
            exclude: ["NOTICE", "bundle.txt"],
            swiftSettings: strict),
        .systemLibrary(name: "CMpv", path: "CMpv", providers: [.apt(["libmpv-dev"])]),
        .target(
            name: "MpvEngine", dependencies: [descant, "CMpv"], path: "MpvEngine", exclude: ["NOTICE", "bundle.txt"],
            swiftSettings: strict),
        .target(name: "CSherpa", path: "CSherpa"),
        .target(
            name: "SherpaSpeech", dependencies: [descant, "CSherpa"], path: "SherpaSpeech", exclude: ["bundle.txt"],
            swiftSettings: strict),
        // The toolkit is a C++ library, libstk-dev on Debian.
        .target(name: "CSTK", path: "CSTK", linkerSettings: [.linkedLibrary("stk")]),
        .target(
            name: "STKReverb", dependencies: [descant, "CSTK"], path: "STKReverb", exclude: ["NOTICE", "bundle.txt"],
            swiftSettings: strict),
        .target(name: "PCMStreamOutput", dependencies: [descant], path: "PCMStreamOutput", swiftSettings: strict),
        .target(name: "ToneEngine", dependencies: [descant], path: "ToneEngine", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
