import Descant
import DescantTestSupport
import DescantTesting
import Dispatch
import Foundation
import Synchronization
import Testing

/// Files, HTTP, memory, the host's bytes and the host's PCM: the same samples from each.
@Suite(.timeLimit(.minutes(5))) struct SourceTests {
    enum Kind: CaseIterable, Sendable {
        case file, http, httpWithoutRanges, data, bytes, bytesWithoutSize, bytesWithoutSeeking, pcm, pcmWithoutSeeking

        /// Whether the source is seekable.
        var isSeekable: Bool {
            switch self {
            case .bytesWithoutSize, .bytesWithoutSeeking, .pcmWithoutSeeking, .httpWithoutRanges: false
            default: true
            }
        }
    }

    /// A source of one kind, and the objects that must exist while it plays.
    private func source(_ kind: Kind, _ content: SampleBuffer, _ offline: OfflineEngine) throws -> (AudioSource, Any?) {
        let file = try offline.file(content, .flac(bits: 16))
        let data = try Data(contentsOf: file)
        switch kind {
        case .file: return (.url(file), nil)
        case .http, .httpWithoutRanges:
            let server = try LoopbackWebServer { request in
                kind == .http ? .file(data, for: request, type: "audio/flac") : WebAnswer(body: data)
            }
            return (.url(server.url("/ramp.flac")), server)
        case .data: return (.data(data, name: "ramp.flac"), nil)
        case .bytes: return (.bytes(MemoryBytes(data, name: "ramp.flac")), nil)
        case .bytesWithoutSize: return (.bytes(MemoryBytes(data, name: "ramp.flac", tellsSize: false)), nil)
        case .bytesWithoutSeeking: return (.bytes(MemoryBytes(data, name: "ramp.flac", isSeekable: false)), nil)
        case .pcm: return (.pcm(SampleSource(content, name: "ramp")), nil)
        case .pcmWithoutSeeking: return (.pcm(SampleSource(content, name: "ramp", isSeekable: false)), nil)
        }
    }

    @Test(arguments: Kind.allCases)
    func everySourceReturnsEverySample(kind: Kind) async throws {
        let offline = try OfflineEngine()
        let (source, keeper) = try source(kind, TestSignal.ramp(frames: 200_000).samples(), offline)
        let info = try await offline.engine.openDeck(source, gain: 1, isClip: false)
        #expect(info.sourceFormat == PCMFormat(sampleRate: 48_000, channels: 2))
        try await offline.start(info.id)
        #expect(try await offline.renderToIdle() == 200_000)
        let runs = RampAnalysis.runs(in: try await offline.rendered())
        #expect(runs == [RampRun(.source(0), at: 0, length: 200_000)])
        withExtendedLifetime(keeper) {}
    }

    @Test(arguments: Kind.allCases.filter(\.isSeekable))
    func seeksAreExact(kind: Kind) async throws {
        let offline = try OfflineEngine()
        let (source, keeper) = try source(kind, TestSignal.ramp(frames: 400_000).samples(), offline)
        let deck = try await offline.engine.openDeck(source, gain: 1, isClip: false).id
        try await offline.start(deck)
        try await offline.render(5_000)
        try await offline.engine.seek(offline.main, to: 300_001.0 / 48_000, fade: 0)
        #expect(try await offline.renderToIdle() == 240 + 400_000 - 300_001)
        let runs = RampAnalysis.runs(in: try await offline.rendered().slice(5_480..<200_000))
        #expect(runs == [RampRun(.source(300_241), at: 0, length: 400_000 - 300_241)])
        withExtendedLifetime(keeper) {}
    }

    /// A host's PCM that delivers 0.1 s and then nothing until it is released, and a file behind it.
    private final class Tracks: TrackSourceProvider, PCMSource {
        static let url = URL(fileURLWithPath: "/generated")

        let name = "generator"
        let format = PCMFormat(sampleRate: 48_000, channels: 2)
        let frameCount: Int64? = nil
        private let left = Mutex(4_800)
        private let gate = DispatchSemaphore(value: 0)

        func release() { gate.signal() }

        func audioSource(for url: URL) async throws -> AudioSource? { url == Self.url ? .pcm(self) : nil }

        func read(into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
            let count = left.withLock { left in
                let count = min(left, maxFrames)
                left -= count
                return count
            }
            if count == 0 { gate.wait() }
            for index in 0..<count * 2 { buffer[index] = 0.25 }
            return count
        }

        func seek(toFrame frame: Int64) throws {}
    }

    @Test func pcmThatHangsIsGivenUpAndTheNextTrackPlays() async throws {
        var limits = CallLimits()
        // Long enough for a busy machine, short enough for a test that waits for it.
        limits.read = 3
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: [], limits: limits))
        let offline = try OfflineEngine()
        let file = try offline.file(TestSignal.sine(440, seconds: 0.2).samples())
        let engine = try environment.makeEngine(output: .null)
        let player = AudioPlayerService(engine: engine)
        let tracks = Tracks()
        defer { tracks.release() }
        await player.setTrackSources(tracks)
        let events = player.events.buffered(.bounded(256)).numbered
        try await player.loadPlaylist([Tracks.url, file], configuration: PlayerConfiguration(crossfadeDuration: 0))
        var (failure, started): (AudioPlayerError?, [URL]) = (nil, [])
        for await event in events {
            if case .trackFailed(Tracks.url, let error) = event.event.kind { failure = error }
            if case .trackStarted(let url, _, _) = event.event.kind { started.append(url) }
            if case .playlistEnded = event.event.kind { break }
            if case .stateChanged(.failed(let error)) = event.event.kind {
                Issue.record(error)
                break
            }
        }
        #expect(started == [Tracks.url, file])
        #expect(failure?.description.contains("generator: its read did not come back within 3.0 s") == true)
        await engine.shutdown()
    }

    @Test func unreachableServerIsAnErrorThatNamesTheURL() async throws {
        let offline = try OfflineEngine()
        var url: URL?
        do { url = try LoopbackWebServer { _ in WebAnswer() }.url("/gone.flac") }
        let gone = try #require(url)
        do {
            _ = try await offline.open(gone)
            Issue.record("an unreachable server was opened")
        } catch let error as CoreError {
            #expect(error.message.contains("gone.flac"), "\(error)")
        }
    }
}
