import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Damaged files cause no crash, no hang and no leak in the decoder bundles.
@Suite(.serialized, .timeLimit(.minutes(60))) struct MutatedFileTests {
    @Test(arguments: ["flac", "ogg-flac", "dsf", "dff", "mp3", "info.mp3", "m4a", "alac.m4a", "ogg", "opus"])
    func mutatedFilesDoNotCrash(kind: String) throws {
        let shelf = try BundleShelf()
        for name in ["FLACDecoder", "DSDDecoder", "LibavDecoder"] { try shelf.write(BuiltLibrary.plugin(name)) }
        let registry = shelf.registry()
        let original: Data
        switch kind {
        case "flac": original = try Data(contentsOf: FLACSample(in: shelf.folder, frames: 20_000).url)
        case "ogg-flac":
            original = try Data(contentsOf: FLACSample(in: shelf.folder, frames: 20_000, arguments: ["--ogg"]).url)
        case "dsf", "dff":
            let sample = DSDSample(seconds: 0.02, tones: [1_000, 2_000])
            original = kind == "dsf" ? sample.dsf() : sample.dff()
        default:
            let sound = TestSignal.noise(seed: 3, seconds: 0.4, sampleRate: 48_000).samples()
            let url = shelf.directory.file("whole.\(kind)")
            let format = try #require(Self.coded[kind])
            original = try Data(contentsOf: FixtureEncoder().encode(sound, as: format, to: url))
        }
        var mutator = FileMutator(SeededGenerator(seed: UInt64(kind.utf8.reduce(7) { $0 * 31 + Int($1) })))
        let decoder = try registry.makeDecoder(
            kind.hasSuffix("flac") ? "flac" : Self.coded[kind] == nil ? "dsd" : "libav")
        let count = MutationCount.share(usual: kind.hasPrefix("d") ? 200 : 50, of: 12)
        var before: ProcessUsage?
        for index in 0..<count {
            if MutationCount.isLong, index == count / 4 { before = try ProcessUsage() }
            let file = try shelf.directory.write(mutator.mutate(original), to: "damaged.\(kind)")
            try play(decoder, file, isExact: Self.coded[kind] == nil)
        }
        guard let before else { return }
        let after = try ProcessUsage()
        #expect(after.residentBytes - before.residentBytes < 20 << 20)
        #expect(after.descriptors <= before.descriptors + 2)
    }

    private static let coded: [String: FixtureFormat] = [
        "mp3": .mp3(kilobitsPerSecond: 128), "info.mp3": .infoMP3(kilobitsPerSecond: 64),
        "m4a": .aac(kilobitsPerSecond: 128), "alac.m4a": .alac, "ogg": .vorbis(quality: 3),
        "opus": .opus(kilobitsPerSecond: 64),
    ]

    private func play(_ decoder: any DecoderPort, _ file: URL, isExact: Bool) throws {
        do {
            let reader = try StreamReader(decoder, file)
            #expect(throws: Never.self) { try reader.info.validate() }
            let (samples, error) = reader.readUntilError(limit: 1 << 18)
            // Damaged coefficients of a lossy codec may be large.
            let limit: Float = isExact ? 4 : 1e9
            #expect(samples.allSatisfy { $0.isFinite && abs($0) < limit })
            if let error { #expect(error.message.contains(file.path), "\(error)") }
            try? reader.seek(reader.info.duration / 2)
            _ = try? reader.read(1_000)
        } catch let error as CoreError {
            #expect(error.message.contains(file.path), "\(error)")
        }
    }
}
