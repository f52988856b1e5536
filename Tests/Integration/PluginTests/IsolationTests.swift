import Descant
import DescantTesting
import Foundation
import Testing

/// Bundles in helper processes: what they do there reaches nobody else.
@Suite struct IsolationTests {
    private let shelf: BundleShelf
    private let registry: PluginRegistry

    init() throws {
        shelf = try BundleShelf()
        try shelf.write(BuiltLibrary.fixture("FixtureHostile"))
        registry = Self.registry(shelf)
    }

    private static func registry(_ shelf: BundleShelf, memory: Int = 1 << 30) -> PluginRegistry {
        var limits = CallLimits()
        // Long enough for a busy machine, short enough for a test that waits for it.
        (limits.open, limits.read, limits.seek, limits.close, limits.load) = (3, 3, 3, 3, 60)
        let registry = PluginRegistry(
            isolation: PluginIsolation(.everything, memoryLimit: memory), searchPath: [shelf.folder], limits: limits,
            logger: shelf.logger)
        registry.scan()
        return registry
    }

    private func file(_ words: String) throws -> URL {
        try shelf.directory.write(Data("HOST \(words)".utf8), to: "\(UUID().uuidString).hostile")
    }

    /// Reads a file to its end.
    private func samples(_ url: URL, with other: PluginRegistry? = nil) throws -> [Float] {
        let stream = try (other ?? registry).open(url)
        defer { stream.decoder.close(stream.handle) }
        var samples: [Float] = []
        var block = [Float](repeating: 0, count: 2 * 4_096)
        while true {
            let frames = try stream.decoder.read(stream.handle, into: &block, maxFrames: 4_096)
            guard frames > 0 else { return samples }
            samples += block[..<(frames * 2)]
        }
    }

    private func expectHealth() throws {
        let heard = try samples(try file("nothing"))
        #expect(heard == [Float](repeating: 0.25, count: 48_000))
    }

    @Test func harmlessFileSoundsAsInThisProcess() throws {
        try expectHealth()
        #expect(try LoadedImages.paths().allSatisfy { !$0.contains(shelf.folder.path) })
        #expect(registry.unavailable.isEmpty)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var words: String
        var told: [String]
        var testDescription: String { words }
    }

    /// A signal ends the helper in a call.
    private static func signals(_ call: String, _ activity: String) -> [Row] {
        [("crash", "SIGSEGV"), ("abort", "SIGABRT"), ("trap", "SIG")].map { harm, signal in
            Row(words: "\(harm) \(call)", told: ["org.example.hostile crashed (\(signal)", activity])
        }
    }

    /// A call fails in another way.
    private static func failures(_ call: String, _ activity: String) -> [Row] {
        let name = "org.example.hostile"
        return [
            Row(words: "exit \(call)", told: ["\(name) ended by itself (status 7) \(activity)"]),
            Row(words: "hang \(call)", told: ["\(name) was ended: it did not answer within 3.0 s \(activity)"]),
            Row(words: "throw \(call)", told: ["thrown in its \(call)"]),
            Row(words: "garbage \(call)", told: ["\(name) was ended: it sent something else than an answer"]),
            Row(words: "close \(call)", told: [name, activity]),
        ]
    }

    private static let ends =
        signals("open", "while opening ") + signals("read", "while reading ") + signals("later", "while reading ")
        + failures("read", "while reading")

    private static let rest = [
        Row(words: "hang open", told: ["org.example.hostile was ended: it did not answer within 3.0 s while opening"]),
        Row(words: "throw open", told: ["thrown in its open"]),
        Row(words: "throw later", told: ["thrown in its later"]),
        Row(words: "garbage open", told: ["org.example.hostile was ended: it sent something else than an answer"]),
        Row(words: "excess", told: ["org.example.hostile gave 4097 frames when asked for up to 4096"]),
        Row(words: "channels", told: ["9 channels; 1 to 8 are possible"]),
        Row(words: "open read /etc/passwd", told: ["refused: Permission denied"]),
        Row(words: "open read /proc/self/maps", told: ["refused: Permission denied"]),
        // libdispatch ends a process in which it cannot read the state of its threads.
        Row(words: "status read /proc/7/stat", told: ["read: 1 (thread) S 0"]),
        Row(words: "open read /proc/7/../self/stat", told: ["refused: Permission denied"]),
        Row(words: "write read", told: ["refused: Permission denied"]),
        Row(words: "socket read", told: ["refused: Operation not permitted"]),
        Row(words: "fork read", told: ["refused: Operation not permitted"]),
        Row(words: "kill read", told: ["refused: Operation not permitted"]),
    ]

    @Test(arguments: ends + rest)
    func itemFailsAndNextOnePlays(_ row: Row) throws {
        let url = try file(row.words)
        do {
            _ = try samples(url)
            Issue.record("\(row.words) was not noticed")
        } catch {
            for words in row.told { #expect("\(error)".contains(words), "\(error)") }
            #expect(error is CoreError, "\(error)")
        }
        try expectHealth()
        #expect(registry.unavailable.isEmpty)
    }

    @Test(arguments: signals("seek", "while seeking in") + failures("seek", "while seeking in"))
    func seekFailsAndNextItemPlays(_ row: Row) throws {
        let stream = try registry.open(file(row.words))
        defer { stream.decoder.close(stream.handle) }
        do {
            try stream.decoder.seek(stream.handle, toSeconds: 0)
            Issue.record("\(row.words) was not noticed")
        } catch {
            for words in row.told { #expect("\(error)".contains(words), "\(error)") }
            #expect(error is CoreError, "\(error)")
        }
        try expectHealth()
        #expect(registry.unavailable.isEmpty)
    }

    /// A close throws nothing. A helper that did not carry it out serves no further file.
    @Test(arguments: ["crash", "abort", "trap", "exit", "hang", "throw", "garbage", "close"])
    func closeFailsAndNextItemPlays(_ harm: String) throws {
        let stream = try registry.open(file("\(harm) close"))
        var block = [Float](repeating: 0, count: 2 * 4_096)
        let frames = try stream.decoder.read(stream.handle, into: &block, maxFrames: 4_096)
        #expect(frames == 4_096)
        stream.decoder.close(stream.handle)
        #expect(throws: CoreError.self) { _ = try stream.decoder.info(stream.handle) }
        try expectHealth()
        #expect(registry.unavailable.isEmpty)
    }

    @Test func memoryIsBounded() throws {
        let registry = Self.registry(shelf, memory: 256 << 20)
        let url = try file("allocate read")
        do {
            _ = try samples(url, with: registry)
            Issue.record("it was not noticed")
        } catch {
            #expect("\(error)".contains("org.example.hostile crashed (SIGABRT)"), "\(error)")
        }
        #expect(try samples(file("nothing"), with: registry).count == 48_000)
    }

    /// Only damaged content is kept from decoders that go by the name of a file.
    @Test func fileIsLeftToTheNextDecoderAfterAnErrorOfAnotherType() throws {
        registry.register(.decoder("next", extensions: ["hostile"]) { BuiltInDecoder("next") })
        let stream = try registry.open(file("foreign open"))
        #expect(stream.identifier == "next")
        #expect(stream.reason.contains("thrown with a type of its own"), "\(stream.reason)")
        #expect(throws: CoreError.self) { _ = try registry.open(file("throw open")) }
        #expect(registry.unavailable.isEmpty)
    }

    // MARK: The mix

    @Test func overlayIsUnbrokenWhileItemsCrashAndTheNextOneSounds() async throws {
        let output = shelf.directory.file("mix.wav")
        let engine = try AudioEnvironment(plugins: registry).makeEngine(output: .wav(output, .f32))
        let overlay = await engine.addLayer(.overlay)
        let ground = try await engine.openDeck(.url(file("nothing")), gain: 1, isClip: false).id
        try await engine.play(ground, on: overlay, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: overlay)
        let bad = try await engine.openDeck(.url(file("crash later")), gain: 1, isClip: false).id
        try await engine.play(bad, on: engine.mainLayer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: engine.mainLayer)
        _ = try await engine.advance(frames: 12_000, untilIdle: nil)
        await #expect(throws: CoreError.self) {
            _ = try await engine.openDeck(.url(file("abort open")), gain: 1, isClip: false)
        }
        let next = try await engine.openDeck(.url(file("nothing")), gain: 1, isClip: false).id
        try await engine.play(next, on: engine.mainLayer, entry: .cut, loop: nil)
        try await engine.setFollowUp(.nothing, on: engine.mainLayer)
        _ = try await engine.advance(frames: 12_000, untilIdle: nil)
        try await engine.finishOutput()
        let heard = try WAVFile(contentsOf: output).content.channel(0)
        #expect(heard.count == 24_000)
        #expect(heard[..<12_000].allSatisfy { $0 == 0.25 || $0 == 0.5 }, "the overlay alone, or both")
        #expect(heard[..<4_096].allSatisfy { $0 == 0.5 }, "what was decoded before the crash sounds")
        #expect(heard[8_192..<12_000].allSatisfy { $0 == 0.25 }, "the overlay goes on")
        #expect(heard[12_000...].allSatisfy { $0 == 0.5 }, "the next item sounds at once")
    }

    // MARK: Built-in decoders, and unchanged bundles

    @Test(arguments: [
        FixtureFormat.flac(bits: 16), .wav(.int16), .vorbis(quality: 5), .mp3(kilobitsPerSecond: 128),
    ])
    func gstreamerDecodesInAHelperAsInThisProcess(_ format: FixtureFormat) throws {
        let sound = TestSignal.noise(seconds: 1).samples()
        let url = shelf.directory.file("sound.\(format.fileExtension)")
        _ = try FixtureEncoder().encode(sound, as: format, to: url)
        let isolated = try Self.all(AudioEnvironment(plugins: registry).makeDecoder(), url)
        let direct = try Self.all(
            AudioEnvironment(plugins: PluginRegistry(searchPath: [])).makeDecoder(), url)
        #expect(isolated == direct)
        #expect(isolated.count >= 48_000)
    }

    private static func all(_ decoder: RegistryDecoder, _ url: URL) throws -> [Float] {
        let handle = try decoder.open(url: url)
        defer { decoder.close(handle) }
        let channels = try decoder.info(handle).channels
        var samples: [Float] = []
        var block = [Float](repeating: 0, count: channels * 4_096)
        for seconds in [0.5, 0] {
            try decoder.seek(handle, toSeconds: seconds)
            while true {
                let frames = try decoder.read(handle, into: &block, maxFrames: 4_096)
                guard frames > 0 else { break }
                samples += block[..<(frames * channels)]
            }
        }
        return samples
    }

    /// The contract of decoders, kept across the border between processes.
    @Test func bundleOfThisProjectKeepsTheContractInAHelper() throws {
        try shelf.write(BuiltLibrary.plugin("FLACDecoder"))
        let registry = Self.registry(shelf)
        let sound = TestSignal.noise(seconds: 1).samples()
        let url = try FixtureEncoder().encode(
            sound, as: .flac(bits: 16), to: shelf.directory.file("sound.flac"))
        let fixture = DecoderFixture(url: url, content: sound, tolerance: 0)
        let contract = DecoderContract(fixtures: [fixture]) { try registry.makeDecoder("flac") }
        #expect(try contract.findings() == [])
    }

    /// The contract of readers of tags, by the reader that runs in a helper when everything does.
    @Test func tagsAreReadByTheContractInAHelper() throws {
        let environment = AudioEnvironment(plugins: registry)
        let url = try FixtureEncoder().encode(
            TestSignal.noise(seconds: 1).samples(), as: .flac(bits: 16), to: shelf.directory.file("tagged.flac"))
        let tags = TagBundle(title: "Stone & River", artist: "Nobody", trackNumber: 3)
        try environment.makeTagWriter().write(url: url, change: TagChange(set: tags))
        let contract = TagReaderContract(fixtures: [TagFixture(url: url, tags: tags)]) { environment.makeTagReader() }
        #expect(try contract.findings() == [])
    }

    /// A seek to the beginning of a file of a lossy format opens it again.
    @Test(arguments: [FixtureFormat.mp3(kilobitsPerSecond: 128), .opus(kilobitsPerSecond: 96)])
    func beginningIsPlayedAnyNumberOfTimes(_ format: FixtureFormat) throws {
        let url = shelf.directory.file("sound.\(format.fileExtension)")
        _ = try FixtureEncoder().encode(TestSignal.noise(seconds: 1).samples(), as: format, to: url)
        let decoder = AudioEnvironment(plugins: registry).makeDecoder()
        let handle = try decoder.open(url: url)
        defer { decoder.close(handle) }
        var first: [Float] = []
        for _ in 0..<8 {
            var block = [Float](repeating: 0, count: 2 * 4_096)
            let frames = try decoder.read(handle, into: &block, maxFrames: 4_096)
            if first.isEmpty { first = block }
            #expect(frames == 4_096 && block == first)
            try decoder.seek(handle, toSeconds: 0)
        }
    }

    /// The part that was asked for in advance is not lost.
    @Test func refusedSeekChangesNothing() throws {
        try shelf.write(BuiltLibrary.plugin("FLACDecoder"))
        let registry = Self.registry(shelf)
        let url = try FixtureEncoder().encode(
            TestSignal.noise(seconds: 1).samples(), as: .flac(bits: 16), to: shelf.directory.file("sound.flac"))
        let whole = try samples(url, with: registry)
        let stream = try registry.open(url)
        defer { stream.decoder.close(stream.handle) }
        var heard: [Float] = []
        var block = [Float](repeating: 0, count: 2 * 100)
        while true {
            let frames = try stream.decoder.read(stream.handle, into: &block, maxFrames: 100)
            guard frames > 0 else { break }
            heard += block[..<(frames * 2)]
            #expect(throws: CoreError.self) { try stream.decoder.seek(stream.handle, toSeconds: 2) }
        }
        #expect((heard == whole) == true)
    }

    // MARK: What is left behind

    /// `DESCANT_CRASHES` sets the number; `make test-long` takes 1,000.
    @Test func crashesLeaveNothingBehind() async throws {
        let count = ProcessInfo.processInfo.environment["DESCANT_CRASHES"].flatMap { Int($0) } ?? 50
        let files = try ["crash open", "abort read", "trap later", "exit read", "garbage read"].map { try file($0) }
        let host = try BuiltLibrary.folder.appendingPathComponent("IsolatedHost")
        let text = try Tool.run(host.path, [shelf.folder.path, "\(count)"] + files.map(\.path))
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        #expect(lines == ["failed \(count) of \(count)", "children 0", "descriptors +0", "memory 0"], "\(lines)")
    }

    @Test func helpersEndWithTheirHost() async throws {
        let host = try BuiltLibrary.folder.appendingPathComponent("IsolatedHost")
        let process = Process()
        process.executableURL = host
        process.arguments = [shelf.folder.path, "wait", try file("nothing").path, try file("hang read").path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        var text = ""
        while !text.contains("\n"), case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
            text += String(decoding: data, as: UTF8.self)
        }
        let helpers = text.split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
        #expect(helpers.count >= 2, "\(text)")
        #expect(helpers.allSatisfy { kill($0, 0) == 0 })
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        // A process that has ended may wait for the system to take its status; it has no program then.
        for helper in helpers {
            while FileManager.default.fileExists(atPath: "/proc/\(helper)/exe"), Self.runsHelper(helper) {
                sched_yield()
            }
        }
    }

    private static func runsHelper(_ process: pid_t) -> Bool {
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
        return program?.hasSuffix("/descant-plugin-host") == true
    }

    @Test func tagsAreReadInAHelper() throws {
        let reader = try registry.makeTagReader("hostile-tags")
        #expect(try reader.read(url: file("nothing")).title == "HOST-nothing")
        let bad = try file("crash tags")
        do {
            _ = try reader.read(url: bad)
            Issue.record("the crash was not noticed")
        } catch {
            let name = bad.lastPathComponent
            let text = "org.example.hostile crashed (SIGSEGV) while reading the tags of \(name)"
            #expect("\(error)".contains(text), "\(error)")
        }
        #expect(try reader.read(url: file("nothing")).title == "HOST-nothing")
    }

    /// Without the program no track plays, and the error of each says why, also while no helper is started.
    @Test func missingHelperProgramIsNotAMissingFile() async throws {
        let program = shelf.folder.appendingPathComponent("descant-plugin-host")
        let registry = PluginRegistry(
            isolation: PluginIsolation(.everything, helper: program), searchPath: [], logger: shelf.logger)
        let player = try AudioEnvironment(plugins: registry).makePlayer(output: .discard)
        let url = shelf.directory.file("sound.wav")
        try WAVFile(TestSignal.noise(seconds: 1).samples(), encoding: .int16).write(to: url)
        for _ in 1...4 {
            let error = await #expect(throws: AudioPlayerError.self) { try await player.loadPlaylist([url]) }
            #expect(error?.code == "invalidAudioFile")
            for words in ["sound.wav", program.path, "PluginIsolation.helper"] {
                #expect(error?.description.contains(words) == true, "\(error as Any)")
            }
        }
    }

    /// A helper that was taken over answers with what would overflow the stack of a decoder without a limit.
    @Test func tagsInAnotherFormatAreRefused() throws {
        let reader = try registry.makeTagReader("hostile-tags")
        #expect {
            _ = try reader.read(url: file("nest tags"))
        } throws: {
            "\($0)".contains("it sent something else than an answer")
        }
        #expect(try reader.read(url: file("nothing")).title == "HOST-nothing")
    }
}
