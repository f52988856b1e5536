import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Glibc
import Testing

/// Faults of local files: a typed error that names the file, the next track at once, and other layers unbroken.
@Suite(.timeLimit(.minutes(5))) struct FaultTests {
    enum Unplayable: String, CaseIterable, Sendable {
        case missing, directory, empty, noFrames, headerOnly, text, garbage, playlist, picture, film

        var codes: Set<String> {
            switch self {
            case .missing: ["notFound"]
            case .directory: ["ioError", "invalidArgument", "unsupported"]
            default: ["unsupported", "decodeError"]
            }
        }

        func make(in directory: TemporaryDirectory) throws -> URL {
            switch self {
            case .missing: return directory.file("missing.flac")
            case .directory:
                let folder = directory.file("folder.flac")
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
                return folder
            case .empty: return try directory.write(Data(), to: "empty.flac")
            case .noFrames:
                let silence = TestSignal.silence(seconds: 0).samples()
                return try directory.write(WAVFile(silence, encoding: .int16).data(), to: "frameless.wav")
            case .headerOnly:
                let whole = try FixtureEncoder().make(
                    .sine(440, seconds: 1), as: .flac(bits: 16), named: "whole", in: directory)
                return try directory.write(try Data(contentsOf: whole).prefix(42), to: "header.flac")
            case .text: return try directory.write(Data("This is no sound at all.\n".utf8), to: "text.mp3")
            case .garbage:
                var random = SeededGenerator(seed: 1)
                let bytes = (0..<50_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                return try directory.write(Data(bytes), to: "garbage.mp3")
            case .playlist:
                return try directory.write(Data("#EXTM3U\nfile:///nowhere.mp3\n".utf8), to: "list.m3u")
            case .picture: return try directory.write(Self.png, to: "picture.mp3")
            case .film: return try silentFilm(in: directory)
            }
        }

        /// A file with only video.
        private func silentFilm(in directory: TemporaryDirectory) throws -> URL {
            let url = directory.file("film.mkv")
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [
                "gst-launch-1.0", "-q", "videotestsrc", "num-buffers=25", "!", "video/x-raw,width=64,height=48", "!",
                "jpegenc", "!", "matroskamux", "!", "filesink", "location=\(url.path)",
            ]
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0, "gst-launch-1.0 wrote no film")
            return url
        }

        /// A picture of one pixel.
        private static let png =
            Data(
                base64Encoded:
                    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
            ) ?? Data()
    }

    @Test(arguments: Unplayable.allCases)
    func unplayableFileIsATypedErrorThatNamesTheFile(fault: Unplayable) async throws {
        let offline = try OfflineEngine()
        let overlay = await offline.engine.addLayer(.overlay)
        let noise = TestSignal.noise(seconds: 1).samples()
        try await offline.start(try await offline.open(try offline.file(noise, .flac(bits: 16))), on: overlay)
        try await offline.render(5_000)
        let url = try fault.make(in: offline.directory)
        do {
            _ = try await offline.open(url)
            Issue.record("\(fault) was opened")
        } catch let error as CoreError {
            #expect(fault.codes.contains(error.code), "\(error)")
            #expect(error.message.contains(url.path), "\(error)")
        }
        let next = try await offline.open(try offline.file(TestSignal.ramp(frames: 5_000).samples(), .flac(bits: 16)))
        await offline.engine.closeDeck(next)
        try await offline.render(10_000)
        #expect(try await offline.rendered() == noise.slice(0..<15_000), "the overlay is unbroken")
    }

    /// Files that end before their sound does, while an overlay sounds and another track waits.
    @Test(arguments: [
        FixtureFormat.flac(bits: 16), .wav(.int16), .vorbis(quality: 5), .opus(kilobitsPerSecond: 96),
        .mp3(kilobitsPerSecond: 128),
    ])
    func truncatedFileIsReportedAndNextTrackFollows(format: FixtureFormat) async throws {
        let offline = try OfflineEngine()
        let whole = try offline.file(leftNoise(seed: 2, seconds: 6), format)
        let data = try Data(contentsOf: whole)
        let name = "cut.\(format.fileExtension)"
        let cut = try offline.directory.write(data.prefix(data.count / 2), to: name)
        let events = try await play(cut, in: offline)
        let end = try #require(events.compactMap(\.deckEnd).first?.end)
        guard case .truncated(let position, let error) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(position > 1.8 && position < 3.8, "\(position) s")
        #expect(error.message.contains(cut.path), "\(error)")
    }

    @Test func fileThatShrinksWhilePlayingIsTruncated() async throws {
        let offline = try OfflineEngine()
        let url = try offline.file(leftNoise(seed: 3, seconds: 20), .flac(bits: 16))
        let size = try #require(try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? UInt64)
        let events = try await play(url, in: offline) {
            let handle = try FileHandle(forWritingTo: url)
            try handle.truncate(atOffset: size / 2)
            try handle.close()
        }
        let end = try #require(events.compactMap(\.deckEnd).first?.end)
        switch end {
        case .truncated(let position, let error), .failed(let position, let error):
            #expect(position > 5 && position < 15, "\(position) s")
            #expect(error.message.contains(url.path))
        default: Issue.record("\(end)")
        }
    }

    @Test func fileDeletedWhilePlayingPlaysOn() async throws {
        let offline = try OfflineEngine()
        let url = try offline.file(TestSignal.ramp(frames: 480_000).samples(), .flac(bits: 16))
        let deck = try await offline.open(url)
        try await offline.start(deck)
        try await offline.render(10_000)
        try FileManager.default.removeItem(at: url)
        try await offline.renderToIdle()
        let runs = RampAnalysis.runs(in: try await offline.rendered())
        #expect(runs == [RampRun(.source(0), at: 0, length: 480_000)])
    }

    /// As editors and synchronisers do: a new file takes the name.
    @Test func fileReplacedByAnotherWhilePlayingPlaysOn() async throws {
        let offline = try OfflineEngine()
        let url = try offline.file(TestSignal.ramp(frames: 480_000).samples(), .flac(bits: 16))
        let other = try offline.file(TestSignal.noise(seed: 8, seconds: 1).samples(), .flac(bits: 16))
        try await offline.start(try await offline.open(url))
        try await offline.render(10_000)
        #expect(rename(other.path, url.path) == 0)
        try await offline.renderToIdle()
        let runs = RampAnalysis.runs(in: try await offline.rendered())
        #expect(runs == [RampRun(.source(0), at: 0, length: 480_000)])
    }

    /// As `cp` does: other bytes appear in the very file that is being read.
    @Test(arguments: [false, true]) func fileOverwrittenWhilePlayingEndsAndTheNextFollows(isSound: Bool) async throws {
        let offline = try OfflineEngine()
        let url = try offline.file(leftNoise(seed: 9, seconds: 20), .flac(bits: 16))
        let size = try Data(contentsOf: url).count
        var random = SeededGenerator(seed: 10)
        let bytes =
            isSound
            ? try Data(contentsOf: try offline.file(leftNoise(seed: 11, seconds: 20), .flac(bits: 16)))
            : Data((0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        let events = try await play(url, in: offline, past: 2 * 48_000) {
            let handle = try FileHandle(forWritingTo: url)
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: bytes)
            try handle.close()
        }
        let end = try #require(events.first { $0.deckEnd != nil })
        #expect((2 * 48_000...20 * 48_000).contains(end.frame), "\(end)")
        switch try #require(end.deckEnd).end {
        case .truncated(_, let error), .failed(_, let error): #expect(error.message.contains(url.path), "\(error)")
        // Other sound of the same format and length plays on.
        case let end: #expect(isSound, "\(end)")
        }
    }

    // MARK: Servers that break off in the middle of a track

    private func network(_ change: (inout NetworkAccess) -> Void) -> AudioEnvironment {
        let environment = AudioEnvironment(plugins: PluginRegistry(searchPath: []))
        change(&environment.network)
        return environment
    }

    @Test func serverThatStaysAwayEndsTheTrackAndTheNextFollows() async throws {
        let offline = try OfflineEngine(environment: network { $0.reconnectLimit = 0.5 })
        let data = try Data(contentsOf: try offline.file(leftNoise(seed: 13, seconds: 20), .flac(bits: 16)))
        let server = try LoopbackWebServer { request in
            (request.rangeStart ?? 0) == 0
                ? .file(data, for: request, ending: .cut(after: data.count / 2)) : WebAnswer(ending: .hangUp)
        }
        let url = server.url("/noise.flac")
        let events = try await play(url, in: offline)
        let percents = events.compactMap { event -> Int? in
            if case .buffering(_, let percent) = event.kind { percent } else { nil }
        }
        #expect(percents == [0], "an attempt to connect again is no buffer")
        switch try #require(events.compactMap(\.deckEnd).first?.end) {
        case .truncated(let position, let error), .failed(let position, let error):
            #expect((5...15).contains(position), "\(position) s")
            #expect(error.message.contains(url.absoluteString), "\(error)")
        case let end: Issue.record("\(end)")
        }
    }

    @Test(arguments: [true, false]) func brokenConnectionIsNotHeard(stalls: Bool) async throws {
        // Long enough for a server on a busy machine, short enough for a test that waits for it.
        let offline = try OfflineEngine(environment: network { $0.timeLimit = 4 })
        let noise = leftNoise(seed: 14, seconds: 20)
        let data = try Data(contentsOf: try offline.file(noise, .flac(bits: 16)))
        let half = data.count / 2
        let server = try LoopbackWebServer { request in
            let isFirst = (request.rangeStart ?? 0) == 0
            return .file(
                data, for: request, ending: isFirst ? stalls ? .stall(after: half) : .cut(after: half) : .complete)
        }
        _ = try await play(server.url("/noise.flac"), in: offline)
        let heard = try WAVFile(contentsOf: offline.output).content.slice(0..<noise.frameCount)
        #expect(LevelAnalysis.maximumDifference(heard.channel(0), noise.channel(0)) < 5e-5)
        #expect(server.requests.contains { ($0.rangeStart ?? 0) > 0 })
    }

    @Test(arguments: [FixtureFormat.flac(bits: 16), .mp3(kilobitsPerSecond: 128), .vorbis(quality: 5)])
    func damagedMiddleDoesNotStopThePlaylist(format: FixtureFormat) async throws {
        let offline = try OfflineEngine()
        let whole = try offline.file(leftNoise(seed: 4, seconds: 6), format)
        var data = try Data(contentsOf: whole)
        var random = SeededGenerator(seed: 5)
        for index in data.count / 2..<data.count / 2 + 3_000 { data[index] = UInt8(truncatingIfNeeded: random.next()) }
        let damaged = try offline.directory.write(data, to: "damaged.\(format.fileExtension)")
        let events = try await play(damaged, in: offline)
        let length = try #require(events.first { $0.deckEnd != nil }).frame
        #expect(length > 2 * 48_000 && length <= 6 * 48_000, "\(length) frames of a damaged file")
    }

    @Test func chainedOggPlaysEveryLink() async throws {
        let offline = try OfflineEngine()
        let links = try [440.0, 1_000].map { frequency in
            let content = TestSignal.sine(frequency, seconds: 3, sampleRate: 44_100).samples()
            return try Data(contentsOf: try offline.file(content, .vorbis(quality: 5)))
        }
        let chained = try offline.directory.write(links[0] + links[1], to: "chained.ogg")
        try await offline.start(try await offline.open(chained))
        let frames = try await offline.renderToIdle()
        #expect(abs(frames - 6 * 48_000) < 4_800)
        let samples = try await offline.rendered().channel(0)
        for (frequency, range) in [(440.0, 48_000..<120_000), (1_000, 168_000..<240_000)] {
            let fit = ToneFit(frequency: frequency, in: samples, frames: range, sampleRate: 48_000)
            #expect(abs(fit.amplitude - 0.25) < 0.01, "\(frequency) Hz")
        }
    }

    @Test(arguments: [8_000, 11_025, 22_050, 32_000, 44_100, 88_200, 96_000, 192_000], [1, 2])
    func unusualRatesKeepLevelAndLength(sampleRate: Int, channels: Int) async throws {
        let offline = try OfflineEngine()
        let tone = TestSignal.sine(441.3, seconds: 2, sampleRate: sampleRate, channels: channels)
        try await offline.start(try await offline.open(try offline.file(tone.samples())))
        #expect(try await offline.renderToIdle() == 96_000)
        let rendered = try await offline.rendered()
        for channel in 0..<2 {
            let samples = rendered.channel(channel)
            let fit = ToneFit(frequency: 441.3, in: samples, frames: 10_000..<86_000, sampleRate: 48_000)
            #expect(abs(Decibels.of(fit.amplitude / 0.25)) < 0.01)
            var residual = 0.0
            for frame in 10_000..<86_000 {
                residual = max(residual, abs(Double(samples[frame]) - fit.sample(at: frame, sampleRate: 48_000)))
            }
            #expect(Decibels.of(residual) <= -100, "at \(sampleRate) Hz")
        }
    }

    /// Plays a faulty file, then a good one, while an overlay loops on the other side; checks that neither is harmed.
    private func play(
        _ url: URL, in offline: OfflineEngine, past frames: Int = 0, meanwhile: () throws -> Void = {}
    ) async throws -> [MixEvent] {
        let recording = offline.record()
        let tone = oneSided(TestSignal.sine(1_000, seconds: 1, channels: 1).samples(), right: false)
        let decks = [try await offline.open(url), try await offline.open(try offline.file(tone))]
        let overlay = await offline.engine.addLayer(.overlay)
        let clip = TestSignal.noise(seed: 12, seconds: 0.25, channels: 1).samples()
        let loop = try await offline.open(try offline.file(oneSided(clip, right: true)), isClip: true)
        try await offline.start(loop, on: overlay, loop: LoopPlan(passes: nil))
        try await offline.renderPlaylist(decks, join: .gapless, past: frames, meanwhile: meanwhile)
        let rendered = try await offline.rendered()
        let events = await offline.collect(recording)
        let starts = events.compactMap { event -> (frame: Int64, deck: DeckID)? in
            if case .deckStarted(let deck) = event.kind { (event.frame, deck) } else { nil }
        }
        let firstEnd = try #require(events.first { $0.deckEnd?.deck == decks[0] })
        let secondStart = try #require(starts.first { $0.deck == decks[1] })
        #expect(secondStart.frame == firstEnd.frame, "the next track follows without a gap")
        let second = rendered.slice(Int(secondStart.frame)..<rendered.frameCount)
        #expect(LevelAnalysis.maximumDifference(second.channel(0), tone.channel(0)) < 1e-6, "it is played whole")
        let right = rendered.channel(1)
        let expected = right.indices.map { clip.samples[$0 % clip.frameCount] }
        #expect(LevelAnalysis.maximumDifference(right, expected) < 0.02, "the overlay is unbroken")
        return events
    }

    private func oneSided(_ mono: SampleBuffer, right: Bool) -> SampleBuffer {
        SampleBuffer(
            format: PCMFormat(sampleRate: mono.format.sampleRate, channels: 2),
            samples: mono.samples.flatMap { right ? [0, $0] : [$0, 0] })
    }

    private func leftNoise(seed: UInt64, seconds: Double) -> SampleBuffer {
        oneSided(TestSignal.noise(seed: seed, seconds: seconds, channels: 1).samples(), right: false)
    }
}
