public import DescantCore
internal import Foundation

/// Checks the rules that every decoder must keep; see `DecoderPort` for the rules in full.
///
/// <!-- snippet: Tests/Integration/DocumentationTests/Guide/CommentExamples.swift#decoder -->
/// ```swift
/// let contract = DecoderContract(fixtures: [fixture]) { MyDecoder() }
/// #expect(try contract.findings() == [])
/// ```
public struct DecoderContract: Sendable {
    /// Files of known sound; at least one, of 0.2 s or longer.
    public var fixtures: [DecoderFixture]
    /// Whether a file that was cut off must end in `CoreError.decodeError`. Some containers do not store their length.
    public var detectsTruncation: Bool
    private let makeDecoder: @Sendable () throws -> any DecoderPort

    /// Prepares the checks.
    ///
    /// - Parameters:
    ///   - fixtures: Files of known sound that the decoder can read.
    ///   - detectsTruncation: Whether a file that was cut off must end in an error.
    ///   - makeDecoder: Makes a decoder.
    public init(
        fixtures: [DecoderFixture], detectsTruncation: Bool = true,
        makeDecoder: @escaping @Sendable () throws -> any DecoderPort
    ) {
        self.fixtures = fixtures
        self.detectsTruncation = detectsTruncation
        self.makeDecoder = makeDecoder
    }

    /// Runs every check. Blocks while files are decoded.
    ///
    /// - Returns: The broken rules; empty for a decoder that keeps the contract.
    /// - Throws: Only when a check itself cannot run, for example because the disk is full.
    public func findings() throws -> [ContractFinding] {
        var collector = FindingCollector()
        for fixture in fixtures {
            do {
                try check(fixture, into: &collector)
            } catch {
                collector.expect(false, "\(fixture.url.lastPathComponent) can be decoded", seen: "\(error)")
            }
        }
        try checkBadFiles(into: &collector)
        do {
            try checkHandles(into: &collector)
        } catch {
            collector.expect(false, "a decoder opens its files any number of times", seen: "\(error)")
        }
        try checkProbe(into: &collector)
        return collector.findings
    }

    // MARK: Sound

    private func check(_ fixture: DecoderFixture, into collector: inout FindingCollector) throws {
        let name = fixture.url.lastPathComponent
        let reader = try DecoderReader(try makeDecoder(), url: fixture.url)
        defer { reader.close() }
        checkInfo(try reader.info(), of: fixture, into: &collector)
        let decoded = try reader.readAll(fixture.content, chunk: 1_000, overrun: &collector)
        collector.expectEqual(
            decoded.frameCount, fixture.content.frameCount, "\(name): every frame is decoded, and no more")
        compare(decoded, fixture, from: 0, "\(name): decoded samples are those of the file", into: &collector)
        collector.expectEqual(
            try reader.read(frames: 100).frameCount + reader.read(frames: 100).frameCount, 0,
            "\(name): after the end every read returns 0 frames")
        if fixture.isSeekable {
            try checkSeek(reader, fixture, into: &collector)
        } else {
            collector.expectError(["unsupported"], "\(name): a seek in a stream that cannot be repositioned") {
                try reader.seek(toSeconds: 0)
            }
        }
        try checkChunks(fixture, expected: decoded, into: &collector)
    }

    private func checkInfo(_ info: StreamInfo, of fixture: DecoderFixture, into collector: inout FindingCollector) {
        let name = fixture.url.lastPathComponent
        let format = fixture.content.format
        collector.expectEqual(info.sampleRate, Double(format.sampleRate), "\(name): the sample rate is the file's")
        collector.expectEqual(info.channels, format.channels, "\(name): the channels are the file's")
        collector.expect(
            abs(info.duration - fixture.content.duration) <= 0.5 / Double(format.sampleRate),
            "\(name): the duration is exact to the frame",
            seen: "\(info.duration) s instead of \(fixture.content.duration) s")
        collector.expect((try? info.validate()) != nil, "\(name): the stream's description is valid", seen: "\(info)")
    }

    /// Reads in chunks of other sizes; the samples must not depend on the size.
    private func checkChunks(
        _ fixture: DecoderFixture, expected: SampleBuffer, into collector: inout FindingCollector
    ) throws {
        for chunk in [1, 37, 8_192] {
            let reader = try DecoderReader(try makeDecoder(), url: fixture.url)
            defer { reader.close() }
            let count = min(expected.frameCount, chunk == 1 ? 500 : expected.frameCount)
            let decoded = try reader.read(frames: count, chunk: chunk, overrun: &collector)
            let difference = LevelAnalysis.maximumDifference(decoded.samples, expected.slice(0..<count).samples)
            collector.expect(
                difference == 0,
                "\(fixture.url.lastPathComponent): samples do not depend on the size of the reads",
                seen: "a difference of \(difference) when reading \(chunk) frames at once")
        }
    }

    private func checkSeek(
        _ reader: DecoderReader, _ fixture: DecoderFixture, into collector: inout FindingCollector
    ) throws {
        let name = fixture.url.lastPathComponent
        let frames = fixture.content.frameCount
        let rate = Double(fixture.content.format.sampleRate)
        for target in [frames / 2 + 1, 0, frames - frames / 5, 1, frames / 3, frames / 3] {
            try reader.seek(toSeconds: Double(target) / rate)
            let count = min(4_096, frames - target)
            let decoded = try reader.read(frames: count)
            collector.expectEqual(
                decoded.frameCount, count, "\(name): frames follow a seek to frame \(target)")
            compare(
                decoded, fixture, from: target, "\(name): a seek to frame \(target) is exact", into: &collector)
        }
        try reader.seek(toSeconds: try reader.info().duration)
        collector.expectEqual(
            try reader.read(frames: 100).frameCount, 0, "\(name): a seek to the duration leads to the end")
        for seconds in [-0.5, fixture.content.duration + 1, .nan, .infinity] {
            collector.expectError(["invalidArgument"], "\(name): a seek to \(seconds) s is refused") {
                try reader.seek(toSeconds: seconds)
            }
        }
        try reader.seek(toSeconds: 0)
        let again = try reader.readAll(fixture.content, chunk: 4_096, overrun: &collector)
        collector.expectEqual(
            again.frameCount, frames, "\(name): after a seek to the start every frame is decoded again")
        compare(
            again, fixture, from: 0, "\(name): after a seek to the start the samples are those of the file",
            into: &collector)
    }

    private func compare(
        _ decoded: SampleBuffer, _ fixture: DecoderFixture, from frame: Int, _ rule: String,
        into collector: inout FindingCollector
    ) {
        let expected = fixture.content.slice(frame..<frame + decoded.frameCount)
        if let tolerance = fixture.tolerance {
            let difference = LevelAnalysis.maximumDifference(decoded.samples, expected.samples)
            collector.expect(difference <= tolerance, rule, seen: "a difference of \(difference)")
            return
        }
        let end = min(fixture.content.frameCount, frame + decoded.frameCount + 4_096)
        let start = max(0, frame - 4_096)
        let found = Alignment(
            of: Array(decoded.channel(0).prefix(16_384)), in: fixture.content.slice(start..<end).channel(0))
        collector.expect(
            start + found.frame == frame && found.correlation > 0.3, rule,
            seen: "the sound of frame \(start + found.frame), with a correlation of \(found.correlation)")
    }

    // MARK: Errors

    private func checkBadFiles(into collector: inout FindingCollector) throws {
        let directory = try TemporaryDirectory(label: "descant-decoder-contract")
        let suffix = fixtures.first?.url.pathExtension ?? "bin"
        let decoder = try makeDecoder()
        var noise = SeededGenerator(seed: 7)
        let garbage = Data((0..<20_000).map { _ in UInt8(truncatingIfNeeded: noise.next()) })
        let folder = directory.file("folder.\(suffix)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        let unreadable: Set<String> = ["unsupported", "decodeError"]
        let cases: [(String, URL, Set<String>)] = [
            ("a missing file", directory.file("missing.\(suffix)"), ["notFound"]),
            ("a directory", folder, ["ioError", "unsupported", "invalidArgument"]),
            ("an empty file", try directory.write(Data(), to: "empty.\(suffix)"), unreadable),
            ("a file of garbage", try directory.write(garbage, to: "garbage.\(suffix)"), unreadable),
            ("a text file", try directory.write(Data("no sound".utf8), to: "text.\(suffix)"), unreadable),
        ]
        for (what, url, codes) in cases {
            collector.expectError(codes, "opening \(what) fails with \(codes.sorted().joined(separator: " or "))") {
                let handle = try decoder.open(url: url)
                decoder.close(handle)
                return "a handle"
            }
            checkMessage(decoder, url, what, into: &collector)
        }
        for fixture in fixtures where detectsTruncation {
            try checkTruncation(decoder, fixture, in: directory, into: &collector)
        }
    }

    private func checkMessage(
        _ decoder: any DecoderPort, _ url: URL, _ what: String, into collector: inout FindingCollector
    ) {
        do {
            decoder.close(try decoder.open(url: url))
        } catch {
            let text = (error as? CoreError)?.message ?? "\(error)"
            collector.expect(
                text.contains(url.lastPathComponent), "the error for \(what) names the file", seen: text)
        }
    }

    private func checkTruncation(
        _ decoder: any DecoderPort, _ fixture: DecoderFixture, in directory: TemporaryDirectory,
        into collector: inout FindingCollector
    ) throws {
        let data = try Data(contentsOf: fixture.url)
        let name = fixture.url.lastPathComponent
        let cut = try directory.write(data.prefix(data.count * 3 / 5), to: "cut-\(name)")
        collector.expectError(["decodeError"], "\(name): a file that was cut off ends with an error") {
            let reader = try DecoderReader(decoder, url: cut)
            defer { reader.close() }
            var ignored = FindingCollector()
            return "\(try reader.readAll(fixture.content, chunk: 4_096, overrun: &ignored).frameCount) frames"
        }
    }

    // MARK: Handles

    private func checkHandles(into collector: inout FindingCollector) throws {
        guard let fixture = fixtures.first else {
            return collector.needsFixture(false)
        }
        let decoder = try makeDecoder()
        let closed = try decoder.open(url: fixture.url)
        decoder.close(closed)
        decoder.close(closed)
        decoder.close(DecodeHandle())
        for (what, handle) in [("a closed handle", closed), ("an unknown handle", DecodeHandle())] {
            collector.expectError(["invalidState"], "info of \(what) is refused") { try decoder.info(handle) }
            collector.expectError(["invalidState"], "a seek in \(what) is refused") {
                try decoder.seek(handle, toSeconds: 0)
            }
            collector.expectError(["invalidState"], "reading \(what) is refused") {
                var sample = [Float](repeating: 0, count: 8)
                return try sample.withUnsafeMutableBufferPointer { buffer in
                    guard let base = buffer.baseAddress else { return 0 }
                    return try decoder.read(handle, into: base, maxFrames: 1)
                }
            }
        }
        try checkIndependence(decoder, fixture, into: &collector)
    }

    /// Reads two handles of one decoder alternately: neither may change the result of the other.
    private func checkIndependence(
        _ decoder: any DecoderPort, _ fixture: DecoderFixture, into collector: inout FindingCollector
    ) throws {
        let first = try DecoderReader(decoder, url: fixture.url)
        let second = try DecoderReader(decoder, url: fixture.url)
        defer { second.close() }
        collector.expect(
            first.handle != second.handle, "every open returns a new handle", seen: "the same handle twice")
        var (one, two) = (SampleBuffer(format: first.format), SampleBuffer(format: first.format))
        for turn in 0..<20 {
            one.append(try first.read(frames: 100 + turn))
            two.append(try second.read(frames: 311))
        }
        first.close()
        two.append(try second.read(frames: 311))
        collector.expectEqual(
            one.frameCount, min(fixture.content.frameCount, (0..<20).reduce(0) { $0 + 100 + $1 }),
            "opening a second handle leaves the first open")
        let common = min(one.frameCount, two.frameCount)
        let difference = LevelAnalysis.maximumDifference(
            one.slice(0..<common).samples, two.slice(0..<common).samples)
        collector.expect(
            difference == 0, "two handles on one file do not disturb each other", seen: "a difference of \(difference)")
        collector.expectEqual(
            two.frameCount, min(fixture.content.frameCount, 21 * 311), "closing one handle leaves the other open")
    }

    // MARK: Probe

    private func checkProbe(into collector: inout FindingCollector) throws {
        guard let probe = try makeDecoder() as? any DecoderProbe else { return }
        for fixture in fixtures {
            let file = try FileHandle(forReadingFrom: fixture.url)
            defer { try? file.close() }
            let header = try file.read(upToCount: 4_096) ?? Data()
            let own = probe.score(ProbeInput(header: header, fileExtension: fixture.url.pathExtension.lowercased()))
            collector.expect(
                own >= .content, "\(fixture.url.lastPathComponent): the first bytes show the decoder's own format",
                seen: "a score of \(own.value)")
        }
        let foreign = ProbeInput(header: Data("no sound at all".utf8), fileExtension: "txt")
        collector.expectEqual(probe.score(foreign), .none, "the probe scores a text file 0")
    }
}
