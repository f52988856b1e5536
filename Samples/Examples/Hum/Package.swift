// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Hum",
    products: [.library(name: "Hum", type: .dynamic, targets: ["Hum"])],
    dependencies: [.package(url: "https://example.org/descant.git", branch: "main")],
    targets: [.target(name: "Hum", dependencies: [.product(name: "Descant", package: "descant")])])
