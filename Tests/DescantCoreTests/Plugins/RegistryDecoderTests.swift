import DescantTesting
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import DescantCore

/// The decoder that chooses among those of a registry; bundles are tested in the package Tests/Integration.
@Suite(.timeLimit(.minutes(5))) struct RegistryDecoderTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// A decoder of silence whose calls may fail or hang; it marks what it reads with its own number.
    private final class Marker: DecoderPort, Sendable {
        private let mark: Float
        private let openError: CoreError?
        private let gate: DispatchSemaphore?
        private let closeGate: DispatchSemaphore?
        private let closes = Atomic(0)

        init(
            _ mark: Float, openError: CoreError? = nil, gate: DispatchSemaphore? = nil,
            closeGate: DispatchSemaphore? = nil
        ) {
            self.mark = mark
            self.openError = openError
            self.gate = gate
            self.closeGate = closeGate
        }

        var closed: Int { closes.load(ordering: .relaxed) }

        func open(url: URL) throws -> DecodeHandle {
            if let openError { throw openError }
            return DecodeHandle()
        }
        func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
            gate?.wait()
            for index in 0..<maxFrames { buffer[index] = mark }
            return maxFrames
        }
        func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {}
        func info(_ handle: DecodeHandle) throws -> StreamInfo {
            StreamInfo(duration: 1, sampleRate: 8_000, channels: 1, bitDepth: 16)
        }
        func close(_ handle: DecodeHandle) {
            closeGate?.wait()
            closes.wrappingAdd(1, ordering: .relaxed)
        }
    }

    /// A registry whose decoder recognises the content "ABCD", and files named so.
    private func registry(_ decoder: Marker, limits: CallLimits = CallLimits()) -> PluginRegistry {
        let registry = PluginRegistry(searchPath: [], limits: limits)
        registry.register(
            .decoder("first", extensions: ["abc"], signatures: [FileSignature("41424344")]) { decoder })
        return registry
    }

    private func mark(_ decoder: RegistryDecoder, _ handle: DecodeHandle) throws -> Float {
        var sample: Float = 0
        #expect(try decoder.read(handle, into: &sample, maxFrames: 1) == 1)
        return sample
    }

    @Test func theContractOfDecodersIsKept() throws {
        let sounds = [
            TestSignal.ramp(frames: 20_000), TestSignal.noise(seconds: 0.5, sampleRate: 44_100, channels: 1),
        ]
        let fixtures = try sounds.enumerated().map { index, signal in
            let url = try folder.write(MemoryDecoder.fileHeader, to: "\(index).mem")
            return DecoderFixture(url: url, content: signal.samples())
        }
        let inner = MemoryDecoder()
        for fixture in fixtures { inner.register(fixture.content, for: fixture.url) }
        let registry = PluginRegistry(searchPath: [])
        registry.register(.decoder("memory", extensions: ["mem"]) { inner })
        for plugins in [registry, PluginRegistry(searchPath: [])] {
            let contract = DecoderContract(fixtures: fixtures, detectsTruncation: false) {
                RegistryDecoder(plugins, fallback: inner)
            }
            #expect(try contract.findings() == [])
        }
    }

    @Test func theContentDecidesAndTheOtherDecoderGetsTheRest() throws {
        let other = Marker(2)
        let decoder = RegistryDecoder(registry(Marker(1)), fallback: other)
        let known = try decoder.open(url: try folder.write(Data("ABCD".utf8), to: "known.wav"))
        let unknown = try decoder.open(url: try folder.write(Data("RIFF".utf8), to: "unknown.wav"))
        #expect(try mark(decoder, known) == 1 && mark(decoder, unknown) == 2)
        #expect(try decoder.reason(known) == "first, built in (score 75, priority 0)")
        #expect(try decoder.reason(unknown) == nil)
        decoder.close(unknown)
        decoder.close(unknown)
        #expect(other.closed == 1)
        #expect(throws: CoreError.self) { try decoder.info(unknown) }
        #expect(throws: CoreError.self) { try mark(decoder, unknown) }
    }

    /// Cover art makes tags longer than what is read of a file's beginning. A name decides nothing then, for the gate neither.
    @Test func theContentBehindALongTagDecides() throws {
        let tag = Data("ID3".utf8) + Data([4, 0, 0, 0, 2, 0, 0]) + Data(count: 2 << 14)
        let file = try folder.write(tag + Data("ABCD".utf8), to: "disguised.wav")
        let registry = registry(Marker(1))
        let decoder = RegistryDecoder(registry, fallback: Marker(2))
        #expect(try mark(decoder, decoder.open(url: file)) == 1)
        #expect(try registry.open(file).identifier == "first")
        let type = PluginFileType(signatures: [FileSignature("41424344")])
        let gated = RegistryDecoder(registry) { type.score($0) == .content ? "not for you" : nil }
        #expect(throws: CoreError.unsupported("\(file.path): not for you")) { try gated.open(url: file) }
    }

    /// A decoder that skips bytes behind a tag is asked once more, with the file's first bytes.
    @Test func aDecoderThatKnowsOnlyTheTagIsTried() throws {
        let tag = Data("ID3".utf8) + Data([4, 0, 0, 0, 2, 0, 0]) + Data(count: 2 << 14)
        let file = try folder.write(tag + Data(count: 700) + Data("ABCD".utf8), to: "padded.abc")
        let registry = PluginRegistry(searchPath: [])
        registry.register(.decoder("skipping", extensions: ["abc"]) { Skipper() })
        #expect(try registry.open(file).identifier == "skipping")
    }

    /// Takes files whose tag fills the first bytes.
    private final class Skipper: DecoderPort, DecoderProbe, Sendable {
        func score(_ input: ProbeInput) -> ProbeScore {
            input.endOfLeadingID3v2Tag >= input.header.count ? .fileExtension : .none
        }
        func open(url: URL) throws -> DecodeHandle { DecodeHandle() }
        func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int { 0 }
        func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {}
        func info(_ handle: DecodeHandle) throws -> StreamInfo {
            StreamInfo(duration: 1, sampleRate: 8_000, channels: 1, bitDepth: 16)
        }
        func close(_ handle: DecodeHandle) {}
    }

    /// The file access gives a descriptor, which has no name. The name that was asked for decides, also when it is that of a link, and when
    /// the file is removed meanwhile.
    @Test func theNameAskedForChoosesTheDecoderOfAnOpenedFile() throws {
        let decoder = RegistryDecoder(registry(Marker(1)), fallback: Marker(2))
        let files = LocalFileAccess(roots: [folder.url])
        let song = try folder.write(Data("text".utf8), to: "song.ABC")
        let other = try folder.write(Data("text".utf8), to: "other.wav")
        let link = folder.file("link.abc")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: other)
        for (url, expected) in [(song, 1), (other, 2), (link, 1)] as [(URL, Float)] {
            let token = try files.open(url: url)
            defer { files.close(token) }
            let opened = try files.reopeningURL(of: token)
            if url == song { try FileManager.default.removeItem(at: song) }
            #expect(try mark(decoder, decoder.open(url: opened)) == expected, "\(url.lastPathComponent)")
            #expect(try ProbeInput(file: opened).fileExtension == url.pathExtension.lowercased())
        }
    }

    @Test func aFileFoundDamagedIsNotGivenToTheOtherDecoder() throws {
        let file = try folder.write(Data("ABCD".utf8), to: "a.abc")
        let damaged = RegistryDecoder(registry(Marker(1, openError: .decodeError("bad block"))), fallback: Marker(2))
        #expect(throws: CoreError.decodeError("\(file.path): no decoder could open it; first: bad block")) {
            try damaged.open(url: file)
        }
        let foreign = RegistryDecoder(registry(Marker(1, openError: .unsupported("version 9"))), fallback: Marker(2))
        #expect(try mark(foreign, foreign.open(url: file)) == 2)
    }

    @Test func anErrorNamesEveryDecoderThatWasTried() throws {
        let file = try folder.write(Data("ABCD".utf8), to: "a.abc")
        let first = registry(Marker(1, openError: .unsupported("version 9")))
        let both = RegistryDecoder(first, fallback: Marker(2, openError: .unsupported("no element")))
        #expect(throws: CoreError.unsupported("no element; tried before: first: version 9")) {
            try both.open(url: file)
        }
        #expect(throws: CoreError.unsupported("\(file.path): no decoder could open it; first: version 9")) {
            try RegistryDecoder(first).open(url: file)
        }
        let text = try folder.write(Data("text".utf8), to: "a.txt")
        let error = #expect(throws: CoreError.self) { try RegistryDecoder(first).open(url: text) }
        #expect(error?.code == "unsupported" && error?.message.contains("a.txt") == true)
    }

    @Test func theGateIsAskedWithTheContentBeforeADecoder() throws {
        let asked = Mutex<[ProbeInput]>([])
        let file = try folder.write(Data("ABCD".utf8), to: "disguised.wav")
        let refused = Marker(1, openError: .decodeError("was asked"))
        let decoder = RegistryDecoder(registry(refused), fallback: refused) { input in
            asked.withLock { $0.append(input) }
            return input.header.starts(with: Data("ABCD".utf8)) || input.fileExtension == "abc" ? "not for you" : nil
        }
        #expect(throws: CoreError.unsupported("\(file.path): not for you")) { try decoder.open(url: file) }
        let address = try #require(URL(string: "http://localhost/a.abc"))
        #expect(throws: CoreError.unsupported("http://localhost/a.abc: not for you")) { try decoder.open(url: address) }
        #expect(asked.withLock { $0.map(\.header.count) } == [4, 0])
        #expect(throws: CoreError.self) { try decoder.open(url: URL(fileURLWithPath: "/nonexistent/a.abc")) }
        #expect(asked.withLock { $0.count } == 2)
    }

    @Test func aReadThatHangsEndsAtTheLimitAndWritesNothingLater() throws {
        let gate = DispatchSemaphore(value: 0)
        let hanging = Marker(1, gate: gate)
        var limits = CallLimits()
        limits.read = 0.1
        let decoder = RegistryDecoder(registry(hanging, limits: limits))
        let handle = try decoder.open(url: try folder.write(Data("ABCD".utf8), to: "a.abc"))
        var sample: Float = 7
        let error = #expect(throws: CoreError.self) { try decoder.read(handle, into: &sample, maxFrames: 1) }
        #expect(error?.code == "ioError" && error?.message.contains("did not come back within 0.1 s") == true)
        gate.signal()
        // The close waits behind the read on the stream's queue.
        decoder.close(handle)
        while hanging.closed == 0 { sched_yield() }
        #expect(sample == 7)
    }

    /// Writes a bundle that has a manifest and no usable library.
    private func writeBundle(_ identifier: String, in parent: URL) throws {
        let bundle = parent.appendingPathComponent("hanging.descantplugin")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let library = Data("no library".utf8)
        try library.write(to: bundle.appendingPathComponent("libhanging.so"))
        var manifest = PluginManifest(
            id: identifier, name: "hanging", version: "1", license: "MIT",
            provides: [.decoder("hanging", extensions: ["hanging"]) { MemoryDecoder() }])
        manifest.abi = PluginEntry.abi
        manifest.swiftVersion = PluginEntry.swiftVersion
        manifest.library = "libhanging.so"
        manifest.sha256 = SHA256.hexadecimal(library)
        try manifest.json().write(to: bundle.appendingPathComponent("manifest.json"))
    }

    /// Nobody waits for a close, and a bundle whose close hangs is out of use from then on.
    @Test func aCloseThatHangsRetiresItsBundle() throws {
        let identifier = "org.example.hanging"
        let bundles = folder.file("bundles")
        try writeBundle(identifier, in: bundles)
        var limits = CallLimits()
        limits.close = 0.1
        let registry = PluginRegistry(searchPath: [bundles], limits: limits)
        registry.scan()
        try #require(registry.available.map(\.manifest.id) == [identifier])
        // No library can be loaded here; a decoder of the host is reported by its own identifier, here the bundle's.
        let gate = DispatchSemaphore(value: 0)
        let hanging = Marker(1, closeGate: gate)
        registry.register(
            .decoder(identifier, extensions: ["abc"], signatures: [FileSignature("41424344")]) { hanging })
        let decoder = RegistryDecoder(registry)
        decoder.close(try decoder.open(url: try folder.write(Data("ABCD".utf8), to: "a.abc")))
        while registry.unavailable.isEmpty { sched_yield() }
        let overdue = PluginError.overdue(identifier: identifier, operation: "close", seconds: 0.1)
        #expect(registry.unavailable.map(\.error) == [overdue])
        #expect(registry.available.isEmpty)
        #expect(hanging.closed == 0)
        gate.signal()
        while hanging.closed == 0 { sched_yield() }
    }
}
