import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Faults of tracks on a card: how soon the next track is heard.
@Suite(.serialized, .timeLimit(.minutes(5))) struct HeardFaultTests {
    enum Fault: CaseIterable, Sendable {
        /// The first file ends in its middle.
        case truncated
        /// The first file is cut while it plays.
        case shrinks
        /// Between both tracks there is one that is no sound.
        case unplayable
        /// Between both tracks there is one without a file.
        case missing
        /// The server of the first track breaks off and does not come back.
        case serverGone

        /// The most between the two tracks, in seconds: a lost connection is tried again for 7 s.
        var limit: Double { self == .serverGone ? 7 : 0.5 }

        /// The format of the tracks. The server breaks off behind half a megabyte; a loss in the first bytes fails the track at once.
        var format: FixtureFormat { self == .serverGone ? .wav(.int16) : .flac(bits: 16) }
    }

    @Test(arguments: Fault.allCases) func theNextTrackIsHeardInTime(fault: Fault) async throws {
        var problem: String? = "not tried"
        // A busy machine may hold up the server.
        for _ in 0..<4 where problem != nil { problem = try await Self.problem(fault) }
        #expect(problem == nil)
    }

    /// The frames of a track.
    private static let length = 240_000
    /// The index of the second track's first frame.
    private static let secondTrack: Int64 = 1_000_000

    /// Plays two ramps with a fault in or between them.
    ///
    /// - Returns: What was wrong with what was heard, if anything was.
    private static func problem(_ fault: Fault) async throws -> String? {
        let stage = try SoundRig.pulseAudioCard.start()
        let directory = try TemporaryDirectory()
        func ramp(_ name: String, from index: Int64) throws -> URL {
            try FixtureEncoder().encode(
                TestSignal.ramp(frames: length, firstIndex: index).samples(), as: fault.format,
                to: directory.file("\(name).\(fault.format.fileExtension)"))
        }
        var tracks = [try ramp("first", from: 0), try ramp("second", from: secondTrack)]
        let whole = try Data(contentsOf: tracks[0])
        let server = try LoopbackWebServer { request in
            (request.rangeStart ?? 0) == 0
                ? .file(whole, for: request, ending: .cut(after: whole.count / 2)) : WebAnswer(ending: .hangUp)
        }
        switch fault {
        case .truncated: try whole.prefix(whole.count / 2).write(to: tracks[0])
        case .shrinks: break
        case .unplayable: tracks.insert(try directory.write(Data("This is no sound.\n".utf8), to: "text.flac"), at: 1)
        case .missing: tracks.insert(directory.file("missing.flac"), at: 1)
        case .serverGone: tracks[0] = server.url("/first.wav")
        }
        let engine = try OfflineEngine.environment.makeEngine(output: stage.output())
        let player = AudioPlayerService(engine: engine)
        let recording = try await stage.record()
        try await player.loadPlaylist(tracks, configuration: PlayerConfiguration(crossfadeDuration: 0))
        if fault == .shrinks {
            try await recording.wait(frames: recording.frameCount + 24_000)
            let file = try FileHandle(forWritingTo: tracks[0])
            try file.truncate(atOffset: UInt64(whole.count / 2))
            try file.close()
        }
        for await state in player.stateUpdates where state == .finished { break }
        let runs = RampAnalysis.runs(in: SampleBuffer(stereo: await recording.stop()))
        await engine.shutdown()

        guard let second = runs.first(where: { ($0.sourceEnd ?? 0) > secondTrack }) else {
            return "the second track was not heard"
        }
        // On a busy machine the server's connection may break before the first sound, which fails the track at once.
        guard let first = runs.last(where: { $0.end <= second.at && $0.sourceEnd != nil }) else {
            return "the first track was not heard"
        }
        // On a busy machine some milliseconds of a queue are replaced late.
        guard case .source(let begin) = second.kind, begin - secondTrack < 1_440 else {
            return "the second track begins with \(second)"
        }
        let isWhole = first.sourceEnd == Int64(length)
        guard isWhole == [.unplayable, .missing].contains(fault) else { return "the first track was heard to \(first)" }
        let silence = Double(second.at - first.end) / 48_000
        return silence <= fault.limit ? nil : "\(silence) s between the tracks"
    }
}
