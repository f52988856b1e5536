import DescantCore
import DescantTesting
import Foundation
import Synchronization
import Testing

@Suite struct DecoderContractTests {
    private let directory: TemporaryDirectory
    private let fixtures: [DecoderFixture]

    init() throws {
        let directory = try TemporaryDirectory()
        self.directory = directory
        let sounds = [
            TestSignal.ramp(frames: 20_000), TestSignal.noise(seconds: 0.5, sampleRate: 44_100, channels: 1),
        ]
        fixtures = try sounds.enumerated().map { index, signal in
            let url = try directory.write(MemoryDecoder.fileHeader, to: "\(index).mem")
            return DecoderFixture(url: url, content: signal.samples())
        }
    }

    private func contract(_ make: @escaping @Sendable (MemoryDecoder) -> any DecoderPort) -> DecoderContract {
        DecoderContract(fixtures: fixtures, detectsTruncation: false) { [fixtures] in
            let decoder = MemoryDecoder()
            for fixture in fixtures { decoder.register(fixture.content, for: fixture.url) }
            return make(decoder)
        }
    }

    @Test func memoryDecoderKeepsTheContract() throws {
        #expect(try contract { $0 }.findings() == [])
    }

    @Test(arguments: Sabotage.Kind.allCases)
    func brokenDecodersAreFound(kind: Sabotage.Kind) throws {
        let found = try contract { Sabotage($0, kind) }.findings()
        #expect(!found.isEmpty, "\(kind)")
    }

    @Test func memoryDecoderFailsAtTheSetFrame() throws {
        let decoder = MemoryDecoder()
        var fault = MemoryDecoder.Fault()
        fault.failure = (500, .decodeError("frame 500"))
        let url = directory.file("faulty.mem")
        decoder.register(TestSignal.ramp(frames: 1_000).samples(), for: url, fault: fault)
        let handle = try decoder.open(url: url)
        var buffer = [Float](repeating: 0, count: 2_000)
        #expect(try decoder.read(handle, into: &buffer, maxFrames: 1_000) == 500)
        #expect(throws: CoreError.decodeError("frame 500")) { try decoder.read(handle, into: &buffer, maxFrames: 1) }
        decoder.close(handle)
        #expect(decoder.openHandleCount == 0)
    }
}

/// A decoder that breaks one rule.
final class Sabotage: DecoderPort, DecoderProbe, Sendable {
    enum Kind: CaseIterable, Sendable {
        case dropsLastFrame, wrongRate, seeksOneFrameLate, acceptsAnySeek, opensAnything, readsClosedHandles
        case writesTooMuch, foreignErrors, claimsEverything
        case endsAfterSeek, olderHandleEnds, nanRate, negativeChannels, endless, opensNothing
    }

    private let base: MemoryDecoder
    private let kind: Kind
    private let newest = Mutex<DecodeHandle?>(nil)

    init(_ base: MemoryDecoder, _ kind: Kind) {
        self.base = base
        self.kind = kind
    }

    func open(url: URL) throws -> DecodeHandle {
        if kind == .opensNothing { throw CoreError.unsupported("\(url.path): nothing is decoded here") }
        do {
            let handle = try base.open(url: url)
            newest.withLock { $0 = handle }
            return handle
        } catch {
            if kind == .opensAnything { return DecodeHandle() }
            if kind == .foreignErrors { throw CocoaError(.fileNoSuchFile) }
            throw error
        }
    }

    func read(_ handle: DecodeHandle, into buffer: UnsafeMutablePointer<Float>, maxFrames: Int) throws -> Int {
        if kind == .readsClosedHandles, (try? base.info(handle)) == nil { return 0 }
        let frames = try base.read(handle, into: buffer, maxFrames: maxFrames)
        let channels = try base.info(handle).channels
        if kind == .writesTooMuch, frames > 0 { buffer[frames * channels] = 0 }
        if kind == .olderHandleEnds, newest.withLock({ $0 }) != handle { return 0 }
        if kind == .endless {
            for index in frames * channels..<maxFrames * channels { buffer[index] = 0 }
            return maxFrames
        }
        return kind == .dropsLastFrame && frames < maxFrames ? max(0, frames - 1) : frames
    }

    func seek(_ handle: DecodeHandle, toSeconds seconds: Double) throws {
        let info = try base.info(handle)
        switch kind {
        case .acceptsAnySeek: try base.seek(handle, toSeconds: seconds.isNaN ? 0 : min(max(0, seconds), info.duration))
        case .seeksOneFrameLate where seconds > 0 && seconds < info.duration:
            try base.seek(handle, toSeconds: seconds + 1 / info.sampleRate)
        case .endsAfterSeek where seconds > 0 && seconds < info.duration:
            try base.seek(handle, toSeconds: info.duration)
        default: try base.seek(handle, toSeconds: seconds)
        }
    }

    func info(_ handle: DecodeHandle) throws -> StreamInfo {
        var info = try base.info(handle)
        switch kind {
        case .wrongRate: info.sampleRate = 32_000
        case .nanRate: info.sampleRate = .nan
        case .negativeChannels: info.channels = -2
        default: break
        }
        return info
    }

    func close(_ handle: DecodeHandle) { base.close(handle) }

    func score(_ input: ProbeInput) -> ProbeScore { kind == .claimsEverything ? .content : base.score(input) }
}
