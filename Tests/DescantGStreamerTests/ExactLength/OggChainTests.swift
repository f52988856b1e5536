import DescantCore
import DescantTesting
import Foundation
import Synchronization
import Testing

@testable import DescantContainers
@testable import DescantGStreamer

/// The places of links in chained Ogg files, and the bytes that are read to find them.
struct OggChainTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Counts the bytes that are read.
    private final class CountedBytes: RandomAccessBytes {
        private let bytes: ArrayBytes
        private let count = Mutex<Int64>(0)

        init(_ data: Data) { bytes = ArrayBytes([UInt8](data)) }

        var size: Int64 { bytes.size }
        var read: Int64 { count.withLock { $0 } }

        func bytes(at offset: Int64, count: Int) throws(Never) -> [UInt8] {
            let found = bytes.bytes(at: offset, count: count)
            self.count.withLock { $0 += Int64(found.count) }
            return found
        }
    }

    private func encoded(_ format: FixtureFormat, seconds: Double, seed: UInt64) throws -> Data {
        let signal = TestSignal(
            .noise(seed: seed, amplitude: 0.4), frames: Int(seconds * 48_000), sampleRate: 48_000, channels: 2,
            depth: .int16)
        return try Data(contentsOf: FixtureEncoder().make(signal, as: format, named: "link\(seed)", in: directory))
    }

    @Test func everyLinkIsFound() throws {
        for lengths in [[1.0, 2], [20, 0.05, 0.05, 15], Array(repeating: 0.3, count: 40)] {
            var data = Data()
            var links: [Range<Int64>] = []
            for (index, seconds) in lengths.enumerated() {
                let format: FixtureFormat = index % 3 == 2 ? .opus(kilobitsPerSecond: 96) : .vorbis(quality: 6)
                let link = try encoded(format, seconds: seconds, seed: UInt64(index + 1))
                let start = Int64(data.count)
                data.append(ChainedFile.renumbered(link, UInt64(index)))
                links.append(start..<Int64(data.count))
            }
            let chain = try #require(ExactLength.read(ArrayBytes([UInt8](data))))
            #expect(chain.links.map(\.bytes) == links)
            #expect(chain.links.map(\.length.frames) == lengths.map { Int64($0 * 48_000) })
        }
    }

    /// A file of one stream is recognised by its first and its last bytes and a few pages in between.
    @Test func oneStreamIsReadNoFurther() throws {
        let file = CountedBytes(try encoded(.vorbis(quality: 8), seconds: 30, seed: 1))
        #expect(ExactLength.read(file)?.frames == 1_440_000)
        #expect(file.size > 700_000 && file.read < 320_000, "\(file.read) of \(file.size) bytes")
    }

    @Test func longLinksAreNotReadWhole() throws {
        let first = try encoded(.vorbis(quality: 8), seconds: 60, seed: 1)
        let file = CountedBytes(ChainedFile.renumbered(first, 1) + ChainedFile.renumbered(first, 2))
        #expect(ExactLength.read(file)?.links.count == 2)
        #expect(file.size > 3_000_000 && file.read < 1_500_000, "\(file.read) of \(file.size) bytes")
    }

    /// Joined files may have one number, as all that ffmpeg makes reproducible.
    @Test(arguments: [[0.3, 0.3, 0.3], [20, 2, 0.3], [0.3, 2, 20], [10, 0.3, 12], [2, 20, 2]] as [[Double]])
    func streamsWithOneNumberAreLinks(lengths: [Double]) throws {
        let parts = try lengths.enumerated().map { index, seconds in
            try encoded(.vorbis(quality: 6), seconds: seconds, seed: UInt64(index + 1))
        }
        for serials: [UInt64] in [[7, 7, 7], [7, 7, 1], [7, 1, 7], [1, 7, 7]] {
            var data = Data()
            var links: [Range<Int64>] = []
            for (link, serial) in zip(parts, serials) {
                let start = Int64(data.count)
                data.append(ChainedFile.renumbered(link, serial))
                links.append(start..<Int64(data.count))
            }
            let chain = try #require(ExactLength.read(ArrayBytes([UInt8](data))))
            #expect(chain.links.map(\.bytes) == links, "\(serials)")
            #expect(chain.links.map(\.length.frames) == lengths.map { Int64($0 * 48_000) })
        }
    }

    /// A recording that ends behind the change of a title.
    @Test func linksWithoutSoundAreLeftOut() throws {
        let link = try encoded(.vorbis(quality: 5), seconds: 1, seed: 1)
        let (first, second) = (ChainedFile.renumbered(link, 1), ChainedFile.renumbered(link, 2))
        let third = ChainedFile.renumbered(link, 3)
        // The pages of the headers.
        let headers = third.prefix(try #require(EditableOggFile(third).pages.dropFirst().first).upperBound)
        for file in [first + second + headers, first + headers + second] {
            let chain = try #require(ExactLength.read(ArrayBytes([UInt8](file))))
            #expect(chain.links.map(\.length.frames) == [48_000, 48_000])
        }
    }

    /// What looks like pages ends the search.
    @Test func falsePagesAreReadWithinLimits() throws {
        let link = try encoded(.vorbis(quality: 5), seconds: 1, seed: 1)
        let start = Data("OggS".utf8) + Data(repeating: 0xFF, count: 5)
        let filler = Data((0..<200_000).flatMap { _ in start })
        let file = CountedBytes(ChainedFile.renumbered(link, 1) + filler + ChainedFile.renumbered(link, 2))
        _ = ExactLength.read(file)
        #expect(file.read < 1 << 28, "\(file.read) of \(file.size) bytes")
    }

    @Test func brokenChainsAreLeftToOnePipeline() throws {
        let link = try encoded(.vorbis(quality: 5), seconds: 1, seed: 1)
        let second = ChainedFile.renumbered(link, 2)
        let whole = ChainedFile.renumbered(link, 1) + second
        #expect(ExactLength.read(ArrayBytes([UInt8](whole)))?.links.count == 2)
        // Without the first page of the second link.
        let page = try #require(EditableOggFile(second).pages.first)
        let headless = ChainedFile.renumbered(link, 1) + second.dropFirst(page.count)
        #expect(ExactLength.read(ArrayBytes([UInt8](headless))) == nil)
        // Two streams that begin beside each other.
        let beside = second.prefix(page.count) + whole
        #expect(ExactLength.read(ArrayBytes([UInt8](beside))) == nil)
        for length in stride(from: 0, to: whole.count, by: 997) {
            _ = ExactLength.read(ArrayBytes([UInt8](whole.prefix(length))))
            _ = ExactLength.read(ArrayBytes([UInt8](whole.suffix(length))))
        }
    }
}
