// swift-tools-version: 6.1
import PackageDescription

let descant = Context.environment["DESCANT_PREFIX"] ?? "/usr/local"
let use: [SwiftSetting] = [.unsafeFlags(["-I", "\(descant)/lib/descant/sdk"])]
let link: [LinkerSetting] = [.unsafeFlags(["-L\(descant)/lib", "-lDescant"])]
let find: [LinkerSetting] = [.unsafeFlags(["-Xlinker", "-rpath=\(descant)/lib"])]

let package = Package(
    name: "Hum", products: [.library(name: "Hum", type: .dynamic, targets: ["Hum"])],
    targets: [
        .target(name: "Hum", swiftSettings: use, linkerSettings: link),
        .testTarget(name: "HumTests", swiftSettings: use, linkerSettings: link + find),
    ])
