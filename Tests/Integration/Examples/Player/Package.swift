// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Player",
    dependencies: [.package(name: "descant", path: "../descant")],
    targets: [.executableTarget(name: "Player", dependencies: [.product(name: "Descant", package: "descant")])])
