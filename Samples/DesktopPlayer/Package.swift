// swift-tools-version: 6.1
import PackageDescription

// The desktop player. It is a package of its own, so that nothing else needs GTK.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let app = Target.Dependency.product(name: "PlayerApp", package: "descant-samples")
let integration = Target.Dependency.product(name: "PlayerIntegration", package: "descant-samples")
let descant = Target.Dependency.product(name: "Descant", package: "descant")

let package = Package(
    name: "descant-desktop-player",
    products: [.executable(name: "descant-desktop", targets: ["descant-desktop"])],
    dependencies: [
        .package(name: "descant", path: "../.."),
        .package(name: "descant-samples", path: ".."),
    ],
    targets: [
        .systemLibrary(name: "CGtk", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
        // A list model, which is a class of GObject.
        .target(name: "CGtkList", dependencies: ["CGtk"]),
        // Views: they render the application's state and send its commands.
        .target(name: "DesktopUI", dependencies: ["CGtk", "CGtkList", app], swiftSettings: strict),
        .executableTarget(
            name: "descant-desktop", dependencies: ["DesktopUI", app, integration, descant], swiftSettings: strict),
        .testTarget(
            name: "DesktopPlayerTests",
            dependencies: [
                "descant-desktop", descant, .product(name: "DescantTestSupport", package: "descant"),
            ],
            exclude: ["desktop.py", "drag.py", "Pictures"]),
    ],
    swiftLanguageModes: [.v6]
)
