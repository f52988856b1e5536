import DescantCore
import DescantMixing
import DescantTesting
import Dispatch
import Foundation
import Testing

struct DeckProviderChainTests {
    private let tone = TestSignal.sine(440, seconds: 1).samples()

    @Test(arguments: [true, false])
    func aFileThatARefusedBundleSupportsNamesIt(hasDecoder: Bool) async throws {
        let folder = try TemporaryDirectory()
        let bundle = folder.file("Mem.descantplugin")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: false)
        var manifest = PluginManifest(
            id: "org.example.mem", name: "Mem", version: "1", license: "MIT",
            provides: [.decoder("mem", extensions: ["mem"]) { MemoryDecoder() }])
        (manifest.abi, manifest.swiftVersion) = (PluginEntry.abi, PluginEntry.swiftVersion)
        (manifest.library, manifest.sha256) = ("libmem.so", "")
        try manifest.json().write(to: bundle.appendingPathComponent("manifest.json"))
        let decoders = hasDecoder ? [("first", refusing("not mine", url: url))] : []
        let fixture = ChainFixture(
            decoders, searchPath: [folder.url], licenses: LicensePolicy(forbidden: ["MIT"]))
        let error = await #expect(throws: CoreError.self) { _ = try await fixture.open() }
        let message = try #require(error?.message)
        #expect(message.contains(bundle.path) && message.contains("MIT is forbidden"), "\(message)")
    }

    private func refusing(_ words: String, url: URL) -> MemoryDecoder {
        var fault = MemoryDecoder.Fault()
        fault.openError = .unsupported(words)
        let decoder = MemoryDecoder()
        decoder.register(tone, for: url, fault: fault)
        return decoder
    }

    private let url = ChainFixture.file

    @Test func nextDecoderIsTriedAndTheReasonNamesTheFirst() async throws {
        let second = MemoryDecoder()
        second.register(tone, for: url)
        let fixture = ChainFixture([("first", refusing("not mine", url: url)), ("second", second)])
        let opened = try await fixture.open()
        defer { opened.deck.close() }
        #expect(opened.info.decoder == "second")
        #expect(
            opened.info.decoderReason == "second, built in (score 20, priority 0); tried before it: first: not mine")
    }

    @Test func fallbackIsTriedLast() async throws {
        let fixture = ChainFixture([("first", refusing("not mine", url: url))])
        fixture.fallback.register(tone, for: url)
        let opened = try await fixture.open()
        defer { opened.deck.close() }
        #expect(opened.info.decoder == "memory")
        #expect(opened.info.decoderReason.hasSuffix("; tried before it: first: not mine"))
    }

    @Test func errorNamesEveryDecoder() async throws {
        let second = refusing("\(url.path) is bad b", url: url)
        let fixture = ChainFixture([("a", refusing("\(url.path): bad a", url: url)), ("b", second)])
        let error = await #expect(throws: CoreError.self) { try await fixture.open() }
        #expect(
            error?.message
                == "\(url.path): no decoder could open it; a: bad a; b: it is bad b; gstreamer: \(url.path)")
        #expect(error?.code == "notFound")
    }

    @Test func bytesGoToTheFallback() async throws {
        let fixture = ChainFixture([])
        let data = WAVFile(tone, encoding: .int24).data()
        let opened = try await fixture.open(.data(data, name: "tone.wav"))
        defer { opened.deck.close() }
        #expect((try Drain.read(opened.deck, channels: 2).samples == tone) == true)
    }

    @Test func pcmOfTheHostNeedsNoDecoder() async throws {
        let fixture = ChainFixture([])
        let opened = try await fixture.open(.pcm(SampleSource(tone, name: "made here")))
        defer { opened.deck.close() }
        #expect(opened.info.decoder == "pcm")
        #expect(opened.info.name == "made here")
        #expect(opened.deck.frameCount == 48_000)
        #expect((try Drain.read(opened.deck, channels: 2).samples == tone) == true)
        opened.deck.seek(toFrame: 1_000)
        #expect((try Drain.read(opened.deck, channels: 2).samples == tone.slice(1_000..<48_000)) == true)
    }

    @Test func titleComesFromTheDescriber() async throws {
        struct Describer: TrackDescriber {
            func describe(_ source: AudioSource) async throws -> TrackInfo {
                TrackInfo(
                    title: "Nocturne", artist: "Field", duration: 3,
                    format: AudioFormat(sampleRate: 1, channelCount: 1, codec: "FLAC"))
            }
        }
        let decoder = MemoryDecoder()
        decoder.register(tone, for: url)
        let fixture = ChainFixture([("memory", decoder)], describer: Describer())
        let opened = try await fixture.open()
        opened.deck.close()
        #expect(opened.info.track.title == "Nocturne")
        #expect(opened.info.track.artist == "Field")
        #expect(opened.info.track.duration == 1)
        #expect(opened.info.track.format.codec == "FLAC")
        #expect(opened.info.track.format.sampleRate == 48_000)
    }

    @Test func lateTitleArrivesAsAnEvent() async throws {
        struct Describer: TrackDescriber {
            let gate: AsyncStream<Void>
            func describe(_ source: AudioSource) async throws -> TrackInfo {
                for await _ in gate { break }
                return TrackInfo(title: "Late", duration: 1, format: AudioFormat(sampleRate: 1, channelCount: 1))
            }
        }
        let decoder = MemoryDecoder()
        decoder.register(tone, for: url)
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let fixture = ChainFixture([("memory", decoder)], describer: Describer(gate: gate), descriptionLimit: 0.01)
        let opened = try await fixture.open()
        defer { opened.deck.close() }
        #expect(opened.info.track.title == "ramp")
        opener.yield()
        guard case .trackInfoChanged(let track) = try await fixture.events.first({ $0 }) else {
            Issue.record("another event")
            return
        }
        #expect(track.title == "Late")
    }

    @Test func openThatHangsIsReportedAndTheNextDecoderTried() async throws {
        let hanging = HangingDecoder(at: .open)
        defer { hanging.release() }
        let second = MemoryDecoder()
        second.register(tone, for: url)
        let fixture = ChainFixture(
            [("hanging", hanging), ("second", second)], limits: .with { $0.open = 1 })
        let opened = try await fixture.open()
        defer { opened.deck.close() }
        #expect(opened.info.decoder == "second")
        guard case .overdue(let plugin, let operation, let seconds) = fixture.events.all.first else {
            Issue.record("\(fixture.events.all)")
            return
        }
        #expect(plugin == "hanging")
        #expect(operation == "open")
        #expect(seconds >= 1)
        #expect(
            opened.info.decoderReason.contains("hanging of hanging did not come back from its open within 1.")
        )
    }

    /// Only the calls that hang have a short limit, which others may exceed on a busy machine.
    private func shortLimits(at place: HangingDecoder.Place) -> CallLimits {
        .with { if place == .read { $0.read = 0.05 } else { $0.seek = 0.05 } }
    }

    @Test(arguments: [HangingDecoder.Place.read, .seek])
    func callThatHangsIsReported(place: HangingDecoder.Place) async throws {
        let hanging = HangingDecoder(at: place)
        defer { hanging.release() }
        let fixture = ChainFixture([("hanging", hanging)], limits: shortLimits(at: place))
        let opened = try await fixture.open()
        opened.deck.seek(toFrame: 10)
        guard case .overdue(let plugin, let operation, _) = try await fixture.events.first({ $0 }) else {
            Issue.record("another event")
            return
        }
        #expect(plugin == "hanging")
        #expect(operation == "\(place)")
        opened.deck.close()
    }

    /// Some formats are decoded from the start up to the target.
    @Test func limitOfASeekGrowsWithItsTarget() async throws {
        let hanging = HangingDecoder(at: .seek)
        defer { hanging.release() }
        let fixture = ChainFixture([("hanging", hanging)], limits: .with { $0.seek = 0.1 })
        let opened = try await fixture.open()
        defer { opened.deck.close() }
        // 5 s of sound permit 0.2 s more.
        opened.deck.seek(toFrame: 240_000)
        guard case .overdue(_, let operation, let seconds) = try await fixture.events.first({ $0 }) else {
            Issue.record("another event")
            return
        }
        #expect(operation == "seek")
        #expect(abs(seconds - 0.3) < 0.000_001)
    }

    @Test(arguments: [HangingDecoder.Place.read, .seek])
    func callThatHangsFailsTheDeck(place: HangingDecoder.Place) async throws {
        let hanging = HangingDecoder(at: place)
        defer { hanging.release() }
        let fixture = ChainFixture([("hanging", hanging)], limits: shortLimits(at: place))
        let opened = try await fixture.open()
        if place == .seek { opened.deck.seek(toFrame: 10) }
        let failure = try #require(try Drain.read(opened.deck, channels: 2).failure)
        #expect(
            failure.message.contains("hanging of hanging did not come back from its \(place) within "))
        // The deck stays failed and does not wait for the call.
        opened.deck.seek(toFrame: 0)
        #expect(try Drain.read(opened.deck, channels: 2).failure == failure)
        opened.deck.close()
    }

    @Test func closeThatHangsIsReportedAndDoesNotBlock() async throws {
        let hanging = HangingDecoder(at: .close)
        defer { hanging.release() }
        let fixture = ChainFixture([("hanging", hanging)], limits: .with { $0.close = 0.05 })
        try await fixture.open().deck.close()
        guard case .overdue(_, let operation, _) = try await fixture.events.first({ $0 }) else {
            Issue.record("another event")
            return
        }
        #expect(operation == "close")
    }

    // MARK: Refusals

    private func damaged(_ url: URL, _ error: CoreError) -> MemoryDecoder {
        var fault = MemoryDecoder.Fault()
        fault.openError = error
        let decoder = MemoryDecoder()
        decoder.register(tone, for: url, fault: fault)
        return decoder
    }

    @Test func recognisedAndRefusedFileIsNotOpenedByTheFallback() async throws {
        let broken = damaged(url, .decodeError("\(url.path): bad block"))
        let other = MemoryDecoder()
        other.register(tone, for: url)
        // The other decoder would open it, but only its file extension fits.
        let fixture = ChainFixture([("broken", broken), ("other", other)], recognised: ["broken"])
        fixture.fallback.register(tone, for: url)
        let error = await #expect(throws: CoreError.self) { try await fixture.open() }
        #expect(error == .decodeError("\(url.path): bad block"))
    }

    @Test func otherDecoderThatRecognisesTheFileIsTried() async throws {
        let other = MemoryDecoder()
        other.register(tone, for: url)
        let fixture = ChainFixture(
            [("broken", damaged(url, .decodeError("bad"))), ("other", other)], recognised: ["broken", "other"])
        let opened = try await fixture.open()
        defer { opened.deck.close() }
        #expect(opened.info.decoder == "other")
    }

    @Test(arguments: [true, false])
    func unsupportedOrUnrecognisedFileIsOpenedByTheFallback(isRecognised: Bool) async throws {
        let error: CoreError = isRecognised ? .unsupported("a new version") : .decodeError("bad")
        let fixture = ChainFixture([("a", damaged(url, error))], recognised: isRecognised ? ["a"] : [])
        fixture.fallback.register(tone, for: url)
        let opened = try await fixture.open()
        defer { opened.deck.close() }
        #expect(opened.info.decoder == "memory")
    }
}

/// A decoder that hangs in one of its calls.
final class HangingDecoder: DecoderPort, Sendable {
    enum Place: Sendable { case open, read, seek, close }

    private let place: Place
    private let gate = DispatchSemaphore(value: 0)

    init(at place: Place) { self.place = place }

    func release() { for _ in 0..<10 { gate.signal() } }

    private func pass(_ here: Place) { if here == place { gate.wait() } }

    func open(url: URL) throws -> DecodeHandle {
        pass(.open)
        return DecodeHandle()
    }

    func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        pass(.read)
        buffer.update(repeating: 0, count: maxFrames * 2)
        return maxFrames
    }

    func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws { pass(.seek) }

    func info(_ handle: DecodeHandle) throws -> StreamInfo {
        StreamInfo(duration: 10, sampleRate: 48_000, channels: 2, bitDepth: 16)
    }

    func close(_ handle: DecodeHandle) { pass(.close) }
}
