// swift-tools-version: 6.1
import PackageDescription

// The media library of the sample players, and the program `descant library`. Packages of their own, because GRDB takes longer to
// build than the terminal player.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let descant = Target.Dependency.product(name: "Descant", package: "descant")

let package = Package(
    name: "descant-media-library",
    products: [
        .library(name: "MediaLibrary", targets: ["MediaLibrary"]),
        .executable(name: "descant-library", targets: ["descant-library"]),
    ],
    dependencies: [
        .package(name: "descant", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/groue/GRDB.swift.git", exact: "7.10.0"),
    ],
    targets: [
        .target(
            name: "MediaLibrary", dependencies: [descant, .product(name: "GRDB", package: "GRDB.swift")],
            swiftSettings: strict),
        .executableTarget(
            name: "descant-library",
            dependencies: [
                "MediaLibrary", descant, .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "MediaLibraryTests",
            dependencies: [
                "MediaLibrary", "descant-library", descant, .product(name: "GRDB", package: "GRDB.swift"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
