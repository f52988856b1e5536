import DescantCore
import DescantGStreamer
import DescantMixing
import DescantTesting
import Foundation
import Testing

/// A chained Ogg file of noise, and the samples of its links, each decoded as a file of its own.
struct ChainedFile {
    let data: Data
    /// The links in bytes of the file.
    let links: [Range<Int>]
    /// The samples of all links.
    let samples: SampleBuffer
    /// The first frame of each link.
    let starts: [Int]

    static let mix = PCMFormat(sampleRate: 48_000, channels: 2)

    /// The lengths of the links in frames, one after another.
    static let lengths = [30_001, 20_480, 12_345, 24_000, 9_607]

    /// Encodes a link of each length; they repeat with other serial numbers.
    init(
        _ format: FixtureFormat, links count: Int, lengths: [Int] = ChainedFile.lengths,
        in directory: TemporaryDirectory
    ) async throws {
        var encoded: [(data: Data, samples: SampleBuffer)] = []
        for (index, frames) in lengths.prefix(count).enumerated() {
            let signal = TestSignal(
                .noise(seed: UInt64(index + 1), amplitude: 0.4), frames: frames, sampleRate: 48_000, channels: 2,
                depth: .int16)
            let url = try FixtureEncoder().make(signal, as: format, named: "link\(index)", in: directory)
            let opened = try await GStreamerDecks().open(.url(url), mix: Self.mix) { _ in }
            defer { opened.deck.close() }
            encoded.append((try Data(contentsOf: url), try DeckDrain.read(opened.deck, channels: 2).samples))
        }
        self.init((0..<count).map { encoded[$0 % encoded.count] })
    }

    /// Joins links; each gets a serial number of its own.
    init(_ parts: [(data: Data, samples: SampleBuffer)]) {
        var data = Data()
        var links: [Range<Int>] = []
        var samples = SampleBuffer(format: Self.mix)
        var starts: [Int] = []
        for (index, part) in parts.enumerated() {
            let start = data.count
            data.append(Self.renumbered(part.data, UInt64(1_000 + index)))
            links.append(start..<data.count)
            starts.append(samples.frameCount)
            samples.append(part.samples)
        }
        (self.data, self.links, self.samples, self.starts) = (data, links, samples, starts)
    }

    /// The same stream with another serial number.
    static func renumbered(_ link: Data, _ serial: UInt64) -> Data {
        var file = EditableOggFile(link)
        for page in file.pages { file.put(serial, bytes: 4, at: page.lowerBound + 14) }
        return file.data
    }

    /// The largest difference of samples from those of the file, beginning at a frame.
    func difference(of part: SampleBuffer, from frame: Int) -> Float {
        guard frame + part.frameCount <= samples.frameCount else { return .infinity }
        let expected = samples.slice(frame..<frame + part.frameCount).samples
        return zip(part.samples, expected).reduce(0) { max($0, abs($1.0 - $1.1)) }
    }
}
