import Descant
import DescantTesting
import Foundation
import Testing

/// Synthesizers in helper processes: what they do there fails one request, and the next one is spoken.
@Suite struct IsolatedSpeechTests {
    private static let healthy = "one two three"

    private let shelf: BundleShelf
    private let synthesizer: any SpeechSynthesizer

    init() throws {
        shelf = try BundleShelf()
        try shelf.write(BuiltLibrary.fixture("FixtureHostile"))
        synthesizer = try Self.registry(shelf.folder).makeSpeechSynthesizer("hostile-speech")
    }

    private static func registry(_ folder: URL, memory: Int = 1 << 30) -> PluginRegistry {
        var limits = CallLimits()
        // Long enough for a busy machine, short enough for a test that waits for it.
        (limits.make, limits.voice, limits.speech, limits.close, limits.load) = (3, 1, 2, 3, 60)
        let isolation = PluginIsolation(.everything, memoryLimit: memory)
        let registry = PluginRegistry(isolation: isolation, searchPath: [folder], limits: limits)
        registry.scan()
        return registry
    }

    private func expectHealth() async throws {
        let heard = try await Speech(synthesizer, SpeechRequest(text: Self.healthy))
        #expect(heard.samples == [Float](repeating: 0.25, count: 4_800))
        #expect(heard.sampleRate == 16_000)
        #expect(heard.words.map(\.frame) == [0, 1_600, 3_200])
        #expect(heard.words.map(\.utf8Range) == [0..<3, 4..<7, 8..<13])
    }

    @Test func speechIsThatOfThePlugin() async throws {
        try await expectHealth()
        #expect(try await synthesizer.voices().map(\.identifier) == ["quarter"])
        #expect(synthesizer.capabilities.wordTiming == .exact)
        #expect(synthesizer.capabilities.concurrency == 2)
        #expect(try LoadedImages.paths().allSatisfy { !$0.contains(shelf.folder.path) })
        await synthesizer.shutdown()
        await #expect(throws: CoreError.self) { try await expectHealth() }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var text: String
        var told: [String]
        var testDescription: String { text }
    }

    private static func ended(_ text: String, _ reason: String) -> Row {
        Row(text: text, told: ["org.example.hostile was ended: it \(reason) while speaking \"\(text)\""])
    }

    private static let rows = [
        Row(text: "crash speak", told: ["org.example.hostile crashed (SIGSEGV) while speaking \"crash speak\""]),
        Row(text: "crash later", told: ["org.example.hostile crashed (SIGSEGV) while speaking \"crash later\""]),
        Row(text: "abort speak", told: ["org.example.hostile crashed (SIGABRT)"]),
        Row(text: "trap later", told: ["org.example.hostile crashed (SIG"]),
        Row(text: "exit speak", told: ["org.example.hostile ended by itself (status 7)"]),
        ended("hang speak", "did not answer within 3.0 s"),
        ended("hang later", "did not answer within 2.0 s"),
        Row(text: "throw speak", told: ["thrown in its speak"]),
        Row(text: "throw later", told: ["thrown in its later"]),
        ended("garbage speak", "sent something else than an answer"),
        Row(text: "close speak", told: ["org.example.hostile", "while speaking"]),
        Row(text: "open speak /etc/passwd", told: ["refused: Permission denied"]),
        Row(text: "open speak /usr/lib/../../etc/passwd", told: ["refused: Permission denied"]),
        Row(text: "open speak /proc/self/maps", told: ["refused: Permission denied"]),
        Row(text: "status speak /proc/7/stat", told: ["read: 1 (thread) S 0"]),
        Row(text: "write speak", told: ["refused: Permission denied"]),
        Row(text: "socket speak", told: ["refused: Operation not permitted"]),
        Row(text: "fork speak", told: ["refused: Operation not permitted"]),
        Row(text: "kill speak", told: ["refused: Operation not permitted"]),
        Row(text: "marks backwards", told: ["it gave a mark at frame -1 after one at 0"]),
        Row(text: "marks behind", told: ["it gave a mark at frame 1000000 of 3200"]),
        Row(text: "marks huge", told: ["it gave a mark at frame \(Int64.max) for 10 bytes of text"]),
        Row(text: "marks many", told: ["it gave 201 marks for 10 bytes of text"]),
        Row(text: "marks outside", told: ["it gave a mark at 0..<1000 of 13 bytes"]),
        Row(text: "rate faster", told: ["it gave a sample rate of 48000 Hz after 16000 Hz"]),
        Row(text: "rate silent", told: ["it gave a sample rate of 0 Hz"]),
        Row(text: "samples infinite", told: ["it gave samples that are not numbers"]),
        Row(text: "words warned", told: ["org.example.hostile was ended"]),
        Row(text: "endless", told: ["it gave more than 130 s of sound for 7 bytes of text"]),
        Row(text: "soundless", told: ["pieces without sound for 9 bytes of text"]),
        Row(text: "leak speak", told: ["org.example.hostile ended by itself (status 7)"]),
    ]

    @Test(arguments: rows)
    func requestFailsAndNextOneIsSpoken(_ row: Row) async throws {
        do {
            _ = try await Speech(synthesizer, SpeechRequest(text: row.text))
            Issue.record("\(row.text) was not noticed")
        } catch {
            for words in row.told { #expect("\(error)".contains(words), "\(error)") }
            #expect(error is CoreError, "\(error)")
        }
        try await expectHealth()
        await synthesizer.shutdown()
    }

    @Test func memoryIsBounded() async throws {
        let synthesizer = try Self.registry(shelf.folder, memory: 256 << 20).makeSpeechSynthesizer("hostile-speech")
        let error = await #expect(throws: CoreError.self) {
            _ = try await Speech(synthesizer, SpeechRequest(text: "allocate speak"))
        }
        #expect(
            error?.message.contains("org.example.hostile crashed (SIGABRT)") == true, "\(String(describing: error))")
        #expect(try await Speech(synthesizer, SpeechRequest(text: Self.healthy)).samples.count == 4_800)
        await synthesizer.shutdown()
    }

    @Test func preparationMayFailToo() async throws {
        let error = await #expect(throws: CoreError.self) {
            try await synthesizer.prepare(SpeechRequest(text: "", voice: "crash prepare"))
        }
        #expect(
            error?.message.contains("crashed (SIGSEGV) while loading a voice") == true, "\(String(describing: error))")
        try await synthesizer.prepare(SpeechRequest(text: ""))
        try await expectHealth()
        await synthesizer.shutdown()
    }

    @Test func cancelledRequestMakesRoomForTheNextOne() async throws {
        var stream: AsyncThrowingStream<SpeechChunk, any Error>? = synthesizer.synthesize(
            SpeechRequest(text: "endless words"))
        var iterator = stream?.makeAsyncIterator()
        #expect(try await iterator?.next()?.samples.count == 1_600)
        (iterator, stream) = (nil, nil)
        try await expectHealth()
        await synthesizer.shutdown()
    }

    @Test func impossibleRatesAreRefused() throws {
        let error = #expect(throws: CoreError.self) {
            _ = try Self.registry(shelf.folder).makeSpeechSynthesizer("hostile-rates")
        }
        let told = "org.example.hostile was ended: it gave speaking rates of 0.0 to 0.0 while making the synthesizer"
        #expect(error?.message.contains(told) == true, "\(String(describing: error))")
    }

    @Test func longestRequestIsWhatFitsIntoOne() async throws {
        let synthesizer = try Self.registry(shelf.folder).makeSpeechSynthesizer("hostile-length")
        #expect(synthesizer.capabilities.longestRequest == 524_288)
        await synthesizer.shutdown()
    }

    /// The end of the helper does not close a socket that lies in an unread message.
    @Test(.timeLimit(.minutes(2))) func socketThatWasSentAwayHoldsNothingUp() async throws {
        for _ in 0..<5 {
            await #expect(throws: CoreError.self) {
                _ = try await Speech(synthesizer, SpeechRequest(text: "give speak"))
            }
        }
        try await expectHealth()
        await synthesizer.shutdown()
    }

    @Test(.timeLimit(.minutes(5))) func shutdownEndsAPreparationThatHangs() async throws {
        var limits = CallLimits()
        (limits.make, limits.voice) = (86_400, 86_400)
        let registry = PluginRegistry(isolation: .everything, searchPath: [shelf.folder], limits: limits)
        registry.scan()
        let synthesizer = try registry.makeSpeechSynthesizer("hostile-speech")
        let preparation = Task { try await synthesizer.prepare(SpeechRequest(text: "", voice: "hang prepare")) }
        // Time for the helper to be asked; before that the shutdown refuses the request, which is no error of this test.
        for _ in 0..<1_000 { await Task.yield() }
        await synthesizer.shutdown()
        await #expect(throws: CoreError.self) { try await preparation.value }
    }

    /// Nothing but the end of the synthesizer ends the wait for sound.
    @Test(.timeLimit(.minutes(5))) func shutdownEndsARequestThatWaits() async throws {
        var limits = CallLimits()
        (limits.voice, limits.speech) = (86_400, 86_400)
        let registry = PluginRegistry(isolation: .everything, searchPath: [shelf.folder], limits: limits)
        registry.scan()
        let synthesizer = try registry.makeSpeechSynthesizer("hostile-speech")
        var chunks = synthesizer.synthesize(SpeechRequest(text: "hang later")).makeAsyncIterator()
        #expect(try await chunks.next()?.samples.count == 1_600)
        await synthesizer.shutdown()
        await #expect(throws: CoreError.self) { while try await chunks.next() != nil {} }
    }

    /// A player's speech: the text fails with the plugin's name, and the next one is heard whole.
    @Test func engineSpeaksTheNextTextAfterACrash() async throws {
        let manual = ManualMixingEngine.offline(format: PCMFormat(sampleRate: 16_000, channels: 1))
        let engine = SpeechEngine(
            identifier: "hostile-speech", synthesizer: synthesizer, mixer: manual.engine,
            settings: SpokenSession.settings, logger: shelf.logger)
        func speak(_ text: String) async throws -> CoreError? {
            try await engine.loadContent(.text(text, language: nil))
            try? await engine.play()
            let layer = await engine.layer
            while await engine.engineState != .finished {
                if case .failed(let error) = await engine.engineState { return error }
                _ = try await manual.engine.advance(frames: 160_000, untilIdle: layer)
                await Task.yield()
            }
            return nil
        }
        let error = try await speak("one two\n\ncrash speak\n\nthree four")
        #expect(
            error?.message.contains("org.example.hostile crashed (SIGSEGV)") == true, "\(String(describing: error))")
        #expect(manual.rendered.samples.count { $0 == 0.25 } == 3_200)
        #expect(try await speak("three four five") == nil)
        #expect(manual.rendered.samples.count { $0 == 0.25 } == 3_200 + 4_800)
        await engine.shutdown()
        await manual.engine.shutdown()
    }

    // MARK: The synthesizers of this project, sample by sample and mark by mark

    /// flite draws random numbers, from the same row in every new process.
    @Test(arguments: ["slt", "rms", "awb"])
    func fliteSpeaksAsInItsHost(voice: String) throws {
        let folder = try SpeechBundle("FliteSpeech").folder.deletingLastPathComponent().path
        let host = try BuiltLibrary.folder.appendingPathComponent("IsolatedHost").path
        let outputs = try ["direct", "isolated"].map { place in
            let texts = ["Zero one, two. Paper and window!", "", "日本 zero"]
            return try Tool.run(host, [folder, "say", place, "flite", voice] + texts)
        }
        #expect(outputs[0].count > 100_000)
        #expect(outputs[0] == outputs[1])
    }

    @Test func sherpaSpeaksAsInThisProcess() async throws {
        let bundle = try SpeechBundle("SherpaSpeech")
        let voices = [
            "tones-en_US", "tones-piper-en_US#1", "tones-kokoro-en_US#2", "tones-kokoro-short-en_US",
            "tones-matcha-en_US#1", "tones-matcha-vocos-en_US",
        ]
        try await expectSameSpeech(bundle, "sherpa", voices: voices)
    }

    private func expectSameSpeech(_ bundle: SpeechBundle, _ name: String, voices: [String]) async throws {
        let direct = try bundle.synthesizer(name)
        let registry = PluginRegistry(
            isolation: .everything, searchPath: [bundle.folder.deletingLastPathComponent()])
        registry.scan()
        let isolated = try registry.makeSpeechSynthesizer(name)
        for voice in voices {
            for text in ["Zero one, two. Paper and window!", "", "日本 zero"] {
                let request = SpeechRequest(text: text, voice: voice, language: "en-US", rate: 1.25)
                let (here, there) = (try await Speech(direct, request), try await Speech(isolated, request))
                #expect(here.samples == there.samples, "\(voice), \(text)")
                #expect(here.words == there.words, "\(voice), \(text)")
                #expect(here.warnings == there.warnings, "\(voice), \(text)")
                #expect(here.sampleRate == there.sampleRate)
                #expect(!here.samples.isEmpty || text.isEmpty)
            }
        }
        await #expect(throws: CoreError.self) {
            _ = try await Speech(isolated, SpeechRequest(text: "one", voice: "nobody"))
        }
        await direct.shutdown()
        await isolated.shutdown()
    }

    /// Models are not tested before they are loaded, because a damaged one ends nothing but its helper.
    @Test func damagedModelFailsAndTheNextOneSpeaks() async throws {
        let bundle = try SpeechBundle("SherpaSpeech")
        let registry = PluginRegistry(
            isolation: .everything, searchPath: [bundle.folder.deletingLastPathComponent()])
        registry.scan()
        let synthesizer = try registry.makeSpeechSynthesizer("sherpa")
        let error = await #expect(throws: CoreError.self) {
            _ = try await Speech(synthesizer, SpeechRequest(text: "zero", voice: "unusable-unknown-operator"))
        }
        #expect(error?.message.contains("sherpa") == true, "\(String(describing: error))")
        #expect(
            try await Speech(synthesizer, SpeechRequest(text: "zero", voice: "tones-en_US")).samples.isEmpty == false)
        await synthesizer.shutdown()
    }

    /// `DESCANT_CRASHES` sets the number; `make test-long` takes 1,000.
    @Test func crashesLeaveNothingBehind() async throws {
        let count = ProcessInfo.processInfo.environment["DESCANT_CRASHES"].flatMap { Int($0) } ?? 50
        let texts = [
            "crash speak", "abort later", "trap speak", "exit later", "garbage speak", "marks backwards", "leak speak",
            "give speak",
        ]
        let host = try BuiltLibrary.folder.appendingPathComponent("IsolatedHost")
        let text = try Tool.run(host.path, [shelf.folder.path, "speak", "\(count)"] + texts)
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        #expect(lines == ["failed \(count) of \(count)", "children 0", "descriptors +0", "memory 0"], "\(lines)")
    }
}
