import Descant
import DescantTesting
import Foundation
import Testing

/// Offline rendering: a crossfading main layer under a looping overlay.
@Suite(.timeLimit(.minutes(5))) struct OfflineTests {
    private func render(chunk: Int) async throws -> (samples: SampleBuffer, underruns: Int) {
        let offline = try OfflineEngine()
        let recording = offline.record()
        let tracks = try [1, 2].map { try offline.file(TestSignal.noise(seed: $0, seconds: 3).samples()) }
        let clip = try offline.file(TestSignal.noise(seed: 3, amplitude: 0.1, seconds: 0.7).samples())
        let overlay = await offline.engine.addLayer(.overlay)
        let loop = try await offline.open(clip, isClip: true)
        let plan = LoopPlan(passes: nil, delay: 0.1, fadeIn: 0.05, fadeOut: 0.05, fadesEveryPass: true)
        try await offline.start(loop, on: overlay, loop: plan)
        let (first, second) = (try await offline.open(tracks[0]), try await offline.open(tracks[1]))
        try await offline.engine.play(first, on: offline.main, entry: .cut, loop: nil)
        try await offline.engine.setFollowUp(.deck(second, .crossfade(1, curve: .sCurve)), on: offline.main)
        let starts = offline.record()
        let decision = Task { [engine = offline.engine, main = offline.main] in
            for await numbered in starts {
                guard case .deckStarted(second) = numbered.event.kind else { continue }
                return try await engine.setFollowUp(.nothing, on: main)
            }
        }
        try await advance(offline, 192_000, chunk: chunk)
        try await decision.value
        let samples = try await offline.rendered()
        let events = await offline.collect(recording)
        let underruns = events.filter { if case .underrun = $0.kind { true } else { false } }
        return (samples, underruns.count)
    }

    private func advance(_ offline: OfflineEngine, _ frames: Int, chunk: Int) async throws {
        var left = frames
        while left > 0 { left -= try await offline.render(min(chunk, left)) }
    }

    @Test func offlineRenderDoesNotDependOnBlockSizes() async throws {
        let whole = try await render(chunk: 1_000_000)
        let pieces = try await render(chunk: 1_237)
        #expect(whole.samples.frameCount == 192_000)
        #expect(whole.samples == pieces.samples)
        #expect(whole.underruns == 0 && pieces.underruns == 0)
    }

    private static let destinations: [@Sendable (URL) -> OutputDestination] = [
        { .wav($0, .f32) }, { .flac($0, bits: 16) }, { .raw($0, .s16) },
    ]

    @Test(arguments: destinations.indices) func fileIsMadeWithTheEngine(_ index: Int) async throws {
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
        let (folder, output) = (try TemporaryDirectory(label: "descant-output"), Self.destinations[index])
        for path in ["missing/x", ""] {
            let file = folder.file(path)
            let error = #expect(throws: CoreError.self) { _ = try environment.makeEngine(output: output(file)) }
            #expect(error?.code == "ioError" && error?.message.contains("cannot write \(file.path): ") == true)
        }
        let web = try #require(URL(string: "http://localhost/x"))
        let error = #expect(throws: CoreError.self) { _ = try environment.makeEngine(output: output(web)) }
        #expect(error?.code == "invalidArgument")
        let new = folder.file("new")
        await (try environment.makeEngine(output: output(new))).shutdown()
        #expect(FileManager.default.fileExists(atPath: new.path))
        // What is there is replaced by a mix, and kept without one.
        let kept = try folder.write(Data("kept".utf8), to: "kept")
        await (try environment.makeEngine(output: output(kept))).shutdown()
        #expect(try Data(contentsOf: kept) == Data("kept".utf8))
    }
}
