internal import Descant
internal import Foundation

/// The time of a scan of many bundles. No library is loaded.
struct PluginsBench {
    private let count: Int
    private static let rounds = 20

    init(_ arguments: inout Arguments) throws {
        count = try arguments.integer()
        guard (1...10_000).contains(count) else { throw BenchError.failed("1 to 10000 bundles are scanned") }
    }

    func run() throws {
        let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("descant-bench-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for number in 0..<count { try write(number, below: folder) }
        let registry = PluginRegistry(searchPath: [folder])
        // Warm: the first scan has read every file.
        registry.scan()
        guard registry.available.count == count else { throw BenchError.failed("\(registry.unavailable)") }
        var times: [Double] = []
        for _ in 0..<Self.rounds {
            let called = BenchOutput.now
            registry.scan()
            times.append(Double(BenchOutput.now - called) / 1e6)
        }
        let statistics = Statistics(times)
        BenchReport.line(
            ("scan_ms", BenchReport.decimals(statistics.median ?? 0, 3)),
            ("scan_max_ms", BenchReport.decimals(statistics.maximum ?? 0, 3)))
    }

    /// A bundle with a library that a scan does not read.
    private func write(_ number: Int, below folder: URL) throws {
        let bundle = folder.appendingPathComponent("Many\(number).descantplugin")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        var manifest = PluginManifest(
            id: "org.example.many\(number)", name: "Many", version: "1.0.0", license: "Apache-2.0",
            provides: [
                .decoder("many\(number)", extensions: ["many\(number)"], signatures: [FileSignature("6d616e79")]) {
                    throw CoreError.unsupported("never made")
                }
            ])
        manifest.abi = PluginEntry.abi
        manifest.swiftVersion = PluginEntry.swiftVersion
        manifest.library = "libMany.so"
        manifest.sha256 = String(repeating: "0", count: 64)
        try manifest.json().write(to: bundle.appendingPathComponent("manifest.json"))
        try Data("no library".utf8).write(to: bundle.appendingPathComponent("libMany.so"))
    }
}
