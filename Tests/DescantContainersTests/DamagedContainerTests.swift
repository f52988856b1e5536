import DescantTestSupport
import DescantTesting
import Foundation
import Testing

@testable import DescantContainers
@testable import DescantGStreamer

/// No parser traps on damaged files, and each ends in bounded time.
///
/// The tests yield between files, because other tests wait for the same threads.
@Suite(.serialized) struct DamagedContainerTests {
    /// The number of mutants of each file.
    private static let mutantCount = MutationCount.share(usual: 10, of: SmallFile.allCases.count)

    /// The distance between the tested offsets.
    private static let step = MutationCount.isLong ? 1 : 7

    @Test(.timeLimit(.minutes(20)), arguments: SmallFile.allCases)
    func mutantsAreParsed(file: SmallFile) async throws {
        let original = try file.bytes()
        var mutator = FileMutator(SeededGenerator(seed: UInt64(file.rawValue.utf8.reduce(7) { $0 * 31 + Int($1) })))
        for _ in 0..<Self.mutantCount {
            run(on: [UInt8](mutator.mutate(Data(original))))
            await Task.yield()
        }
    }

    @Test(.timeLimit(.minutes(20)), arguments: SmallFile.allCases)
    func truncatedFilesAreParsed(file: SmallFile) async throws {
        let original = try file.bytes()
        // The headers are at the beginning, so cuts inside the sound need not all be tested.
        let lengths =
            Array(stride(from: 0, through: min(original.count, 1_500), by: Self.step))
            + Array(stride(from: 1_500, to: original.count, by: 211 * Self.step))
        for length in lengths {
            run(on: Array(original.prefix(length)))
            await Task.yield()
        }
        // APE tags and the last pages of Ogg files are found from the end.
        for length in stride(from: 1, to: min(original.count, 1_500), by: 3 * Self.step) {
            run(on: Array(original.suffix(length)))
            await Task.yield()
        }
    }

    @Test(arguments: SmallFile.allCases) func extremeNumbersAreParsed(file: SmallFile) async throws {
        let original = try file.bytes()
        for value: UInt8 in [0, 0x7F, 0x80, 0xFF] {
            for start in stride(from: 0, to: min(original.count, 480), by: 6 * Self.step) {
                var bytes = original
                for index in start..<min(start + 8, bytes.count) { bytes[index] = value }
                run(on: bytes)
                await Task.yield()
            }
        }
    }

    /// Runs every parser, and computes the lengths as the engine does.
    private func run(on bytes: [UInt8]) {
        for rate in [44_100, 48_000, 1_536_000] { _ = ExactLength.read(ArrayBytes(bytes))?.scaled(to: rate) }
        Parsers.run(on: bytes)
    }

    @Test func undamagedFilesHaveALength() throws {
        for file in SmallFile.allCases where file.hasLength {
            let length = try #require(ExactLength.read(ArrayBytes(try file.bytes())), "\(file)")
            #expect(length.frames == Int64(SmallFile.seconds * Double(length.sampleRate)), "\(file)")
        }
    }
}
