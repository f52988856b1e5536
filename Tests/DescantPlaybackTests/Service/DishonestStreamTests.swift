import DescantCore
import DescantTesting
import Foundation
import Synchronization
import Testing

@testable import DescantPlayback

/// The one-file service with decoders that give more or fewer frames than they announce, or than they were asked for.
@Suite(.timeLimit(.minutes(2))) struct DishonestStreamTests {
    /// How the service reaches a decoder.
    enum Route: CaseIterable, Sendable { case direct, provider, fallback }

    /// A decoder that announces estimates and reports files that are cut off, as GStreamer's does.
    private final class ManyFormats: DecoderPort, ContentRecognizer, Sendable {
        private let inner: ScriptedDecoder

        init(_ inner: ScriptedDecoder) { self.inner = inner }

        func recognises(_ url: URL) -> Bool { true }
        func open(url: URL) throws -> DecodeHandle { try inner.open(url: url) }
        func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
            try inner.read(handle, into: buffer, maxFrames: maxFrames)
        }
        func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {
            try inner.seek(handle, toSeconds: seconds)
        }
        func info(_ handle: DecodeHandle) throws -> StreamInfo { try inner.info(handle) }
        func close(_ handle: DecodeHandle) { inner.close(handle) }
    }

    private let directory: TemporaryDirectory
    private let url: URL
    private let output = MemoryOutput()
    /// A second of sound, whatever the decoder announces.
    private let sound = TestSignal.ramp(frames: 44_100, sampleRate: 44_100).samples()
    /// The frames that the service asks for at 44.1 kHz.
    private static let block = 4_096

    init() throws {
        directory = try TemporaryDirectory()
        url = try directory.write(MemoryDecoder.fileHeader, to: "ramp.mem")
    }

    private func scripted(announcing seconds: Double? = nil) -> ScriptedDecoder {
        let decoder = ScriptedDecoder(duration: seconds)
        decoder.base.register(sound, for: url)
        return decoder
    }

    private func endless(announcing seconds: Double) -> ScriptedDecoder {
        let decoder = scripted(announcing: seconds)
        decoder.changeReads { _, _ in Self.block }
        return decoder
    }

    private func decoder(_ inner: some DecoderPort & Sendable, by route: Route) -> any DecoderPort {
        let registry = PluginRegistry(searchPath: [])
        switch route {
        case .direct: return inner
        case .provider:
            registry.register(.decoder("memory", extensions: ["mem"]) { inner })
            return RegistryDecoder(registry)
        case .fallback: return RegistryDecoder(registry, fallback: inner)
        }
    }

    /// Plays the file until it has ended or failed.
    private func play(_ decoder: any DecoderPort) async throws -> PlaybackState {
        var limits = DecoderLimits()
        limits.unannouncedDuration = 2
        let service = DefaultPlaybackService(
            audio: output, decoder: decoder, clock: ManualClock(), logger: NoopLogger(), fileAccess: nil, session: nil,
            limits: limits)
        try service.load(url: url)
        try service.play()
        for await state in service.stateUpdates {
            switch state {
            case .stopped, .error: return state
            case .playing, .paused, .buffering: continue
            }
        }
        return service.state
    }

    // MARK: Lengths

    @Test func anEndlessStreamIsStoppedShortlyBehindItsAnnouncedLength() async throws {
        let state = try await play(endless(announcing: 1))
        #expect(
            state
                == .error(
                    .decodeError("\(url.path) announced 44100 frames and did not end after 88641; it was stopped")))
        #expect((44_100...88_641).contains(output.content.frameCount))
    }

    @Test func anEstimatedLengthMayBeExceededByMore() async throws {
        let state = try await play(endless(announcing: 1.000_005))
        #expect(
            state
                == .error(
                    .decodeError("\(url.path) announced 44100 frames and did not end after 2734200; it was stopped")))
        #expect(output.content.frameCount > 88_641)
    }

    @Test(arguments: [0, Double.infinity, 1e300])
    func aStreamWithoutALengthIsStoppedAtTheLimit(seconds: Double) async throws {
        let state = try await play(endless(announcing: seconds))
        #expect(
            state
                == .error(.decodeError("\(url.path) announced no length and did not end after 88200; it was stopped")))
        #expect((44_100...88_200).contains(output.content.frameCount))
    }

    @Test(arguments: Route.allCases)
    func missingFramesAreReportedBehindThoseThatThereAre(route: Route) async throws {
        let state = try await play(decoder(scripted(announcing: 31), by: route))
        #expect(
            state
                == .error(.decodeError("\(url.path) announced 1367100 frames and ended 1323000 before that")))
        #expect(output.content == sound)
    }

    /// An estimate, and a length that is rounded to a millisecond.
    @Test(arguments: [31.000_005, 44_144.0 / 44_100])
    func aLengthThatMayBeInexactIsNoError(seconds: Double) async throws {
        #expect(try await play(scripted(announcing: seconds)) == .stopped)
        #expect(output.content == sound)
    }

    @Test(arguments: [Route.direct, .fallback])
    func aDecoderThatChecksLengthsItselfIsNotChecked(route: Route) async throws {
        #expect(try await play(decoder(ManyFormats(scripted(announcing: 31)), by: route)) == .stopped)
        #expect(output.content == sound)
    }

    // MARK: Counts

    /// Behind the first frames, a negative number must not pass for the end.
    @Test(arguments: [-1, Int.min, 4_097, Int.max], Route.allCases)
    func impossibleCountsAreReportedBehindTheFramesBefore(count: Int, route: Route) async throws {
        let decoder = scripted()
        let reads = Mutex(0)
        decoder.changeReads { _, frames in
            reads.withLock { reads in
                reads += 1
                return reads > 2 ? count : frames
            }
        }
        let state = try await play(self.decoder(decoder, by: route))
        guard case .error(let error) = state else {
            Issue.record("\(state)")
            return
        }
        #expect(error.code == "decodeError")
        #expect(error.message.contains("gave \(count) frames when asked for up to 4096"), "\(error)")
        #expect(output.content == sound.slice(0..<2 * Self.block))
    }
}
