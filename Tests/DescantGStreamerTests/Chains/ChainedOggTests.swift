import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTestSupport
import DescantTesting
import Dispatch
import Foundation
import Synchronization
import Testing

/// Chained Ogg files: each link gives the frames that it gives as a file of its own, at its place.
@Suite(.timeLimit(.minutes(5))) struct ChainedOggTests {
    private let directory: TemporaryDirectory

    /// The allowed difference of a sample after a seek: decoders keep state of what they decoded before. Other places of the noise
    /// differ by more than 0.3.
    private static let tolerance: Float = 0.02

    init() throws { directory = try TemporaryDirectory() }

    private func open(
        _ source: AudioSource, onEvent: @escaping @Sendable (DeckEvent) -> Void = { _ in }
    ) async throws -> any Deck {
        try await GStreamerDecks().open(source, mix: ChainedFile.mix, onEvent: onEvent).deck
    }

    private func open(_ file: ChainedFile) async throws -> any Deck {
        try await open(.url(directory.write(file.data, to: "chain.ogg")))
    }

    @Test(
        arguments: [FixtureFormat.vorbis(quality: 5), .opus(kilobitsPerSecond: 128)], [2, 3, 50])
    func deliversEveryFrameOfEveryLink(format: FixtureFormat, count: Int) async throws {
        let file = try await ChainedFile(format, links: count, in: directory)
        let sources: [AudioSource] = [
            .url(try directory.write(file.data, to: "chain.ogg")), .data(file.data, name: "chain.ogg"),
            .bytes(HostBytes(file.data, isSeekable: true)),
        ]
        for source in sources {
            let deck = try await open(source)
            defer { deck.close() }
            #expect(deck.isFrameCountExact && deck.frameCount == Int64(file.samples.frameCount))
            let whole = try DeckDrain.read(deck, channels: 2)
            #expect(whole.failure == nil)
            #expect(whole.endPosition == Int64(file.samples.frameCount))
            #expect((whole.samples == file.samples) == true, "\(whole.samples.frameCount) frames of \(source)")
        }
    }

    /// Files that were joined may have one serial number. The last positions of the file are then those of the last link.
    @Test(
        arguments: [FixtureFormat.vorbis(quality: 5), .opus(kilobitsPerSecond: 128)],
        [[96_000, 240_000], [240_000, 96_000]])
    func linksOfOneSerialNumberAreDelivered(format: FixtureFormat, lengths: [Int]) async throws {
        let file = try await ChainedFile(format, links: 2, lengths: lengths, in: directory)
        let joined = ChainedFile.renumbered(file.data, 7)
        let deck = try await open(.url(directory.write(joined, to: "joined.ogg")))
        defer { deck.close() }
        #expect(deck.isFrameCountExact && deck.frameCount == 336_000)
        let whole = try DeckDrain.read(deck, channels: 2)
        #expect(whole.failure == nil && (whole.samples == file.samples) == true, "\(whole.samples.frameCount) frames")
    }

    @Test(arguments: [FixtureFormat.vorbis(quality: 5), .opus(kilobitsPerSecond: 128)])
    func seeksToTheFrame(format: FixtureFormat) async throws {
        let file = try await ChainedFile(format, links: 5, in: directory)
        let deck = try await open(file)
        defer { deck.close() }
        var random = SeededGenerator(seed: 9)
        let boundaries = file.starts.dropFirst().flatMap { [$0 - 1, $0, $0 + 1] }
        let targets = (0..<100).map { _ in Int(random.next() % UInt64(file.samples.frameCount)) }
        for target in boundaries + [0, file.samples.frameCount - 1] + targets {
            deck.seek(toFrame: Int64(target))
            let part = try DeckDrain.read(deck, channels: 2, atMost: 6_000)
            #expect(part.failure == nil && part.firstPosition == Int64(target))
            #expect(part.samples.frameCount == min(6_000, file.samples.frameCount - target), "from \(target)")
            if case .vorbis = format {
                #expect(file.difference(of: part.samples, from: target) < Self.tolerance, "from \(target)")
            } else if part.samples.frameCount == 6_000 {
                // Opus differs for some thousand frames behind a seek to the beginning of a stream, and is in its place.
                let window = max(0, target - 1_000)..<min(target + 7_000, file.samples.frameCount)
                let place = Alignment(of: part.samples.channel(0), in: file.samples.slice(window).channel(0))
                #expect(place.frame == target - window.lowerBound, "from \(target)")
            }
        }
    }

    /// The newest of several seeks counts, also before the first read and while another link is being opened.
    @Test func lastOfSeveralSeeksWins() async throws {
        let file = try await ChainedFile(.vorbis(quality: 5), links: 5, in: directory)
        let deck = try await open(file)
        defer { deck.close() }
        let end = Int64(file.samples.frameCount)
        for targets in [
            [70_000], [80_000, 60_000], [1_000, end, 90_000, 35_000], [end, 5], [95_000, 95_001, 40_000],
        ] {
            for target in targets { deck.seek(toFrame: target) }
            let part = try DeckDrain.read(deck, channels: 2, atMost: 3_000)
            #expect(part.firstPosition == targets.last)
            #expect(file.difference(of: part.samples, from: Int(part.firstPosition)) < Self.tolerance, "\(targets)")
        }
        deck.seek(toFrame: end)
        let nothing = try DeckDrain.read(deck, channels: 2)
        #expect(nothing.samples.frameCount == 0 && nothing.endPosition == end && nothing.failure == nil)
        deck.seek(toFrame: 0)
        #expect(try DeckDrain.read(deck, channels: 2).samples.frameCount == file.samples.frameCount)
    }

    /// A wait for a link that cannot be opened now ends when a seek leads to another place.
    @Test func seekEndsAWait() async throws {
        let file = try await ChainedFile(.vorbis(quality: 5), links: 3, in: directory)
        let host = ScriptedHost(file.data)
        let deck = try await open(.bytes(host))
        defer { deck.close() }
        let end = Int64(file.samples.frameCount)
        host.holdsFrom(file.links[2].lowerBound)
        deck.seek(toFrame: Int64(file.starts[2]))
        let isReadable = Task.detached { deck.waitUntilReadable(deadline: EventCount.deadline(in: 30)) }
        await host.untilHeld()
        deck.seek(toFrame: end)
        #expect(await isReadable.value)
        #expect(try DeckDrain.read(deck, channels: 2).endPosition == end)
        host.release()
        deck.seek(toFrame: Int64(file.starts[2]))
        #expect(try DeckDrain.read(deck, channels: 2).samples.frameCount == file.samples.frameCount - file.starts[2])
    }

    @Test(arguments: [0.75, 1.5])
    func otherSpeedsGoThroughEveryLink(rate: Double) async throws {
        let file = try await ChainedFile(.vorbis(quality: 5), links: 5, in: directory)
        let deck = try await open(file)
        defer { deck.close() }
        deck.setRate(rate, fromFrame: 0)
        let whole = try DeckDrain.read(deck, channels: 2)
        #expect(deck.rate == rate && whole.failure == nil)
        #expect(abs(Double(whole.samples.frameCount) * rate - Double(file.samples.frameCount)) < 20)
        #expect(abs(whole.endPosition - Int64(file.samples.frameCount)) < 20)
        deck.setRate(1, fromFrame: 31_000)
        let rest = try DeckDrain.read(deck, channels: 2)
        #expect(deck.rate == 1 && rest.firstPosition == 31_000)
        #expect(rest.samples.frameCount == file.samples.frameCount - 31_000)
        #expect(file.difference(of: rest.samples, from: 31_000) < Self.tolerance)
    }

    @Test func flacInOgg() async throws {
        var parts: [(data: Data, samples: SampleBuffer)] = []
        for seed: UInt64 in 1...3 {
            let signal = TestSignal(
                .noise(seed: seed, amplitude: 0.4), frames: 20_000 + Int(seed), sampleRate: 48_000, channels: 2,
                depth: .int16
            ).samples()
            let wave = try FixtureEncoder().encode(signal, as: .wav(.int16), to: directory.file("\(seed).wav"))
            let url = directory.file("\(seed).oga")
            try CodedFile.run(["flac", "--ogg", "--totally-silent", "--output-name=\(url.path)", wave.path])
            parts.append((try Data(contentsOf: url), signal))
        }
        let file = ChainedFile(parts)
        let deck = try await open(file)
        defer { deck.close() }
        #expect(deck.isFrameCountExact && deck.frameCount == 60_006)
        let whole = try DeckDrain.read(deck, channels: 2)
        #expect(whole.failure == nil && (whole.samples == file.samples) == true)
        for target in [45_000, 20_001, 0, 40_002, 60_005] {
            deck.seek(toFrame: Int64(target))
            let rest = try DeckDrain.read(deck, channels: 2)
            #expect((rest.samples == file.samples.slice(target..<60_006)) == true, "from \(target)")
        }
    }

    /// The first link determines the format of the deck.
    @Test func linksOfOtherFormatsAreConverted() async throws {
        var links = Data()
        for (index, (rate, channels)) in [(44_100, 2), (48_000, 1), (44_100, 2)].enumerated() {
            let tone = TestSignal.sine(440, seconds: 1, sampleRate: rate, channels: channels)
            let url = try FixtureEncoder().make(tone, as: .vorbis(quality: 5), named: "link", in: directory)
            links.append(ChainedFile.renumbered(try Data(contentsOf: url), UInt64(index + 1)))
        }
        let url = try directory.write(links, to: "mixed.ogg")
        let deck = try await open(.url(url))
        defer { deck.close() }
        #expect(!deck.isFrameCountExact && deck.sampleRate == 44_100)
        let whole = try DeckDrain.read(deck, channels: 2)
        #expect(whole.failure == nil && abs(whole.samples.frameCount - 3 * 44_100) < 10)
        for channel in 0..<2 {
            let fit = ToneFit(
                frequency: 440, in: whole.samples.channel(channel), frames: 46_000..<86_000, sampleRate: 44_100)
            #expect(abs(fit.amplitude - 0.25) < 0.01)
        }
        deck.seek(toFrame: 100_000)
        let rest = try DeckDrain.read(deck, channels: 2)
        #expect(rest.firstPosition == 100_000 && rest.samples.frameCount == 3 * 44_100 - 100_000)
        let decoder = GStreamerDecoder()
        let handle = try decoder.open(url: url)
        defer { decoder.close(handle) }
        #expect(try decoder.info(handle).channels == 2)
    }

    // MARK: Damage

    @Test func damagedLinkPlaysOn() async throws {
        let file = try await ChainedFile(.vorbis(quality: 5), links: 3, lengths: [96_000], in: directory)
        var data = file.data
        let middle = (file.links[1].lowerBound + file.links[1].upperBound) / 2
        for index in middle..<middle + 3_000 { data[index] = UInt8(truncatingIfNeeded: index &* 73) }
        let deck = try await open(.url(directory.write(data, to: "damaged.ogg")))
        defer { deck.close() }
        #expect(deck.frameCount == Int64(file.samples.frameCount))
        let whole = try DeckDrain.read(deck, channels: 2)
        #expect(whole.failure == nil && whole.endPosition == Int64(file.samples.frameCount))
        deck.seek(toFrame: Int64(file.starts[2]))
        let last = try DeckDrain.read(deck, channels: 2)
        #expect(file.difference(of: last.samples, from: file.starts[2]) < Self.tolerance)
    }

    /// A link that cannot be decoded ends the deck with an error; the others can be reached.
    @Test func undecodableLinkIsAnError() async throws {
        let file = try await ChainedFile(.vorbis(quality: 5), links: 3, in: directory)
        var second = EditableOggFile(file.data[file.links[1]])
        let header = try #require(second.firstIndex(of: [1] + Array("vorbis".utf8)))
        // A version that decoders refuse.
        second.put(7, bytes: 4, at: header + 7)
        let url = try directory.write(
            file.data[file.links[0]] + second.data + file.data[file.links[2]], to: "undecodable.ogg")
        let deck = try await open(.url(url))
        defer { deck.close() }
        #expect(deck.frameCount == Int64(file.samples.frameCount))
        let start = try DeckDrain.read(deck, channels: 2)
        #expect((start.samples == file.samples.slice(0..<file.starts[1])) == true)
        let failure = try #require(start.failure)
        #expect(failure.message.contains(url.path), "\(failure)")
        #expect(failure.message.hasSuffix("(in part 2 of 3, which begins at 0.625 s)"), "\(failure)")
        deck.seek(toFrame: Int64(file.starts[2]))
        let last = try DeckDrain.read(deck, channels: 2)
        #expect(last.failure == nil)
        #expect(file.difference(of: last.samples, from: file.starts[2]) < Self.tolerance)
    }

    @Test func hostThatFailsInAnotherLinkIsAnError() async throws {
        let file = try await ChainedFile(.vorbis(quality: 5), links: 3, in: directory)
        let host = ScriptedHost(file.data)
        let deck = try await open(.bytes(host))
        defer { deck.close() }
        host.failsFrom(file.links[2].lowerBound + 200)
        let outcome = try DeckDrain.read(deck, channels: 2)
        #expect((outcome.samples == file.samples.slice(0..<file.starts[2])) == true)
        #expect(outcome.failure?.message.contains("the archive is locked") == true, "\(String(describing: outcome))")
        #expect(outcome.failure?.message.contains("part 3 of 3") == true)
    }

    // MARK: Resources

    /// A link is opened when the one in front of it is nearly over, by one thread at a time.
    @Test(.timeLimit(.minutes(2))) func onlyTheNextLinkIsOpened() async throws {
        let file = try await ChainedFile(.vorbis(quality: 5), links: 50, in: directory)
        let host = ScriptedHost(file.data)
        let deck = try await open(.bytes(host))
        defer { deck.close() }
        for index in 0..<5 {
            deck.seek(toFrame: Int64(file.starts[index]))
            #expect(deck.waitUntilReadable(deadline: EventCount.deadline(in: 20)))
            // No further link was opened since the last turn, whose next link this one is.
            if index > 0 { #expect(host.lastByte <= file.links[index].upperBound) }
            host.forgetReads()
            _ = try DeckDrain.read(deck, channels: 2, atMost: 1_000)
            // The next link is opened in the background.
            while host.lastByte < file.links[index].upperBound { await Task.yield() }
            #expect(host.lastByte <= file.links[index + 1].upperBound)
        }
        #expect(host.threadsInside == 1)
    }

    // MARK: Titles

    @Test func titlesOfLinksAreReported() async throws {
        var links = Data()
        for (index, title) in ["First", "Second"].enumerated() {
            let signal = TestSignal.noise(seconds: 1).samples()
            let url = try FixtureEncoder().encode(
                signal, as: .vorbis(quality: 5), comments: ["TITLE": title], to: directory.file("link.ogg"))
            links.append(ChainedFile.renumbered(try Data(contentsOf: url), UInt64(index + 1)))
        }
        let log = EventRecorder<DeckEvent>()
        let opened = try await GStreamerDecks().open(
            .url(directory.write(links, to: "titles.ogg")), mix: ChainedFile.mix
        ) { log.record($0) }
        defer { opened.deck.close() }
        #expect(opened.info.track.title == "First" && opened.info.track.duration == 2)
        _ = try DeckDrain.read(opened.deck, channels: 2)
        let events = try await log.wait { !$0.titles.isEmpty }
        #expect(events.titles == ["Second"])
    }

    /// In one pipeline, as with a station: what a song does not tell is not taken from the one before it.
    @Test(arguments: [FixtureFormat.vorbis(quality: 5), .opus(kilobitsPerSecond: 96)])
    func aSongDoesNotKeepTheTagsBeforeIt(format: FixtureFormat) async throws {
        let comments = [
            ["TITLE": "First", "ARTIST": "Alpha", "ALBUM": "Both", "REPLAYGAIN_TRACK_GAIN": "-6.00 dB"],
            ["TITLE": "Second"],
        ]
        var links = Data()
        for (index, comments) in comments.enumerated() {
            let signal = TestSignal.noise(seconds: 2).samples()
            let url = try FixtureEncoder().encode(
                signal, as: format, comments: comments, to: directory.file("link.\(format.fileExtension)"))
            links.append(ChainedFile.renumbered(try Data(contentsOf: url), UInt64(index + 1)))
        }
        let (events, continuation) = AsyncStream<DeckEvent>.makeStream()
        let opened = try await GStreamerDecks().open(
            .bytes(HostBytes(links, isSeekable: false)), mix: ChainedFile.mix
        ) { continuation.yield($0) }
        defer { opened.deck.close() }
        #expect(opened.info.track.title == "First" && opened.info.track.artist == "Alpha")
        #expect(opened.info.track.replayGain?.trackGain == -6)
        #expect(try DeckDrain.read(opened.deck, channels: 2).failure == nil)
        for await event in events {
            guard case .trackInfoChanged(let track) = event, track.title == "Second" else { continue }
            #expect(track.artist == nil && track.tags.album == nil && track.replayGain == nil, "\(track)")
            #expect(track.format.codec == opened.info.track.format.codec)
            break
        }
    }

    // MARK: The decoder

    @Test func decoderReadsAndSeeks() async throws {
        let file = try await ChainedFile(.vorbis(quality: 5), links: 3, in: directory)
        let decoder = GStreamerDecoder()
        let handle = try decoder.open(url: directory.write(file.data, to: "chain.ogg"))
        defer { decoder.close(handle) }
        #expect(try decoder.info(handle).duration == Double(file.samples.frameCount) / 48_000)
        for target in [0, 31_000, 100, 55_000] {
            try decoder.seek(handle, toSeconds: Double(target) / 48_000)
            var samples = [Float](repeating: 0, count: 2 * 20_000)
            let count = try samples.withUnsafeMutableBufferPointer { buffer in
                try buffer.baseAddress.map { try decoder.read(handle, into: $0, maxFrames: 20_000) } ?? 0
            }
            #expect(count == min(20_000, file.samples.frameCount - target))
            let part = SampleBuffer(format: ChainedFile.mix, samples: Array(samples.prefix(2 * count)))
            #expect(file.difference(of: part, from: target) < Self.tolerance, "from \(target)")
        }
    }

    /// Sound and pictures beside each other are one stream of time, not a chain.
    @Test func multiplexedStreamsAreNoChain() async throws {
        let url = directory.file("film.ogv")
        try CodedFile.run(
            ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x64:rate=10", "-f", "lavfi", "-i", "sine"]
                + ["-t", "2", "-c:v", "libtheora", "-c:a", "libvorbis", url.path])
        let deck = try await open(.url(url))
        defer { deck.close() }
        let whole = try DeckDrain.read(deck, channels: 2)
        #expect(whole.failure == nil && abs(whole.samples.duration - 2) < 0.1)
    }
}

/// Bytes of a host that fail or are held from an offset on, when a test says so.
private final class ScriptedHost: ByteSource {
    let name = "host bytes"
    let isSeekable = true
    private let data: Data
    private let state = Mutex((offset: 0, last: 0, limit: Int.max, inside: 0, most: 0))
    private let holdsFrom = Mutex(Int.max)
    private let gate = DispatchSemaphore(value: 0)
    private let held = AsyncStream<Void>.makeStream()

    init(_ data: Data) { self.data = data }

    var size: Int64? { Int64(data.count) }

    /// The end of the bytes that were read.
    var lastByte: Int { state.withLock { $0.last } }

    /// The maximum number of simultaneous calls.
    var threadsInside: Int { state.withLock { $0.most } }

    func forgetReads() { state.withLock { $0.last = 0 } }

    func failsFrom(_ offset: Int) { state.withLock { $0.limit = offset } }

    func holdsFrom(_ offset: Int) { holdsFrom.withLock { $0 = offset } }

    /// Waits until a read is held.
    func untilHeld() async { for await _ in held.stream { return } }

    /// Lets the read go that is held, and holds no more.
    func release() {
        holdsFrom.withLock { $0 = .max }
        gate.signal()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let (offset, limit) = state.withLock { state in
            state.inside += 1
            state.most = max(state.most, state.inside)
            return (state.offset, state.limit)
        }
        defer { state.withLock { $0.inside -= 1 } }
        if offset >= holdsFrom.withLock({ $0 }) {
            held.continuation.yield()
            gate.wait()
        }
        if offset + buffer.count > limit { throw HostBytes.Locked() }
        let count = max(0, min(buffer.count, data.count - offset))
        data.copyBytes(to: buffer.bindMemory(to: UInt8.self), from: offset..<offset + count)
        state.withLock { state in
            state.offset = offset + count
            state.last = max(state.last, state.offset)
        }
        return count
    }

    func seek(to offset: Int64) { state.withLock { $0.offset = Int(offset) } }
}
