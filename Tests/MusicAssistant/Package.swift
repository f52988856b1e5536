// swift-tools-version: 6.1
import PackageDescription

// The Music Assistant test server, and the tests that use it. The server is a product: use it for your own tests.

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let nio = ["NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket"].map {
    Target.Dependency.product(name: $0, package: "swift-nio")
}
let kit = Target.Dependency.product(name: "MusicAssistantKit", package: "descant")

let package = Package(
    name: "descant-music-assistant-tests",
    products: [
        .library(name: "MusicAssistantTestServer", targets: ["MusicAssistantTestServer"]),
        .library(name: "MusicAssistantTestServerTLS", targets: ["MusicAssistantTestServerTLS"]),
    ],
    dependencies: [
        .package(name: "descant", path: "../..", traits: ["MusicAssistant"]),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    ],
    targets: [
        .target(
            name: "MusicAssistantTestServer", dependencies: nio, resources: [.copy("Transcripts")],
            swiftSettings: strict),
        .target(
            name: "MusicAssistantTestServerTLS",
            dependencies: [
                "MusicAssistantTestServer", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict),
        .testTarget(name: "MusicAssistantTestServerTests", dependencies: ["MusicAssistantTestServer"] + nio),

        // The client library.
        .target(
            name: "ClientTestSupport", dependencies: [kit, "MusicAssistantTestServer"], swiftSettings: strict),
        .testTarget(
            name: "MusicAssistantKitTests",
            dependencies: [
                kit, "MusicAssistantTestServer", "ClientTestSupport", "RemotePlayers",
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
            ],
            exclude: ["Conversation/conversation.json", "Conversation/expect.py"]),
        // The examples of the guide.
        .target(
            name: "RemotePlayers", dependencies: [kit, .product(name: "MusicAssistantTLS", package: "descant")],
            path: "Examples/RemotePlayers"),
        .executableTarget(name: "client-bench", dependencies: [kit, "MusicAssistantTestServer"]),
        .testTarget(
            name: "MusicAssistantTLSTests",
            dependencies: [
                kit, .product(name: "MusicAssistantTLS", package: "descant"), "MusicAssistantTestServer",
                "MusicAssistantTestServerTLS", "ClientTestSupport",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
