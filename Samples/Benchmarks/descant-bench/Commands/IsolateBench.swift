internal import Descant
internal import Foundation

/// A decoder in a helper process beside the same one in this process: opening to the first frame, and processor time.
struct IsolateBench {
    private enum Place: String, CaseIterable {
        case host, helper
    }

    private let place: Place
    private let file: URL
    private let count: Int

    private static let block = 4_096

    init(_ arguments: inout Arguments) throws {
        place = try arguments.choice(Place.self)
        file = try arguments.file()
        count = try arguments.integer()
    }

    func run() throws {
        let plugins = PluginRegistry(isolation: place == .helper ? .everything : .asManifest)
        let decoder = AudioEnvironment(plugins: plugins).makeDecoder()
        // The first opening loads bundles and starts helpers; the second one finds them.
        for _ in 0..<2 { _ = try open(decoder) }
        let first = try (0..<count).map { _ in try open(decoder) }
        if let median = Statistics(first).median { BenchReport.line(("first_ms", BenchReport.decimals(median, 3))) }
        ProcessCost.waitForIdleHelpers()
        let before = ProcessCost.withHelpers
        let handle = try decoder.open(url: file)
        let channels = try decoder.info(handle).channels
        var samples = [Float](repeating: 0, count: Self.block * channels)
        while try decoder.read(handle, into: &samples, maxFrames: Self.block) > 0 {}
        BenchReport.line(("cpu_s", BenchReport.decimals(ProcessCost.withHelpers - before, 4)))
        decoder.close(handle)
    }

    /// Opens the file and reads its first frames.
    ///
    /// - Returns: How long it took, in milliseconds.
    private func open(_ decoder: RegistryDecoder) throws -> Double {
        let called = BenchOutput.now
        let handle = try decoder.open(url: file)
        defer { decoder.close(handle) }
        var samples = [Float](repeating: 0, count: 512 * (try decoder.info(handle).channels))
        _ = try decoder.read(handle, into: &samples, maxFrames: 512)
        return Double(BenchOutput.now - called) / 1e6
    }
}
