// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Player",
    dependencies: [.package(url: "https://example.org/descant.git", branch: "main")],
    targets: [.executableTarget(name: "Player", dependencies: [.product(name: "Descant", package: "descant")])])
