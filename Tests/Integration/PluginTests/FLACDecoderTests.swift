import Descant
import DescantTesting
import Foundation
import Testing

/// The FLAC bundle, loaded as a host loads it.
@Suite struct FLACDecoderTests {
    private let shelf: BundleShelf
    private let registry: PluginRegistry

    init() throws {
        shelf = try BundleShelf()
        try shelf.write(BuiltLibrary.plugin("FLACDecoder"))
        registry = shelf.registry()
    }

    // MARK: Sound

    @Test(arguments: [4, 8, 12, 16, 20, 24, 32])
    func everyBitDepth(_ bits: Int) throws {
        let sample = try FLACSample(in: shelf.folder, bits: bits)
        let reader = try StreamReader(registry, sample.url)
        #expect(reader.info.bitDepth == bits)
        #expect(reader.info.sampleRate == 44_100)
        #expect(reader.info.duration == 30_000.0 / 44_100)
        #expect(try reader.readAll() == sample.floats)
    }

    @Test(arguments: 1...8)
    func everyChannelCount(_ channels: Int) throws {
        let sample = try FLACSample(in: shelf.folder, channels: channels, sampleRate: 96_000, frames: 10_000)
        let reader = try StreamReader(registry, sample.url)
        #expect(reader.info.channels == channels)
        #expect(try reader.readAll(chunk: 999) == sample.floats)
    }

    @Test(arguments: [16, 24])
    func samplesMatchGStreamer(_ bits: Int) throws {
        let sample = try FLACSample(in: shelf.folder, bits: bits)
        let output = shelf.directory.file("gstreamer.f32")
        try Tool.run(
            "gst-launch-1.0",
            [
                "--quiet", "filesrc", "location=\(sample.url.path)", "!", "flacparse", "!", "flacdec", "!",
                "audioconvert",
                "!", "audio/x-raw,format=F32LE,layout=interleaved", "!", "filesink", "location=\(output.path)",
            ])
        let theirs = try Data(contentsOf: output)
        let ours = try StreamReader(registry, sample.url).readAll()
        #expect(ours.withUnsafeBytes { Data($0) } == theirs)
    }

    @Test func theDecoderContract() throws {
        let fixtures = try [16, 24].map { bits in
            let sample = try FLACSample(in: shelf.folder, bits: bits)
            return DecoderFixture(url: sample.url, content: SampleBuffer(format: sample.format, samples: sample.floats))
        }
        let registry = registry
        let findings = try DecoderContract(fixtures: fixtures) { try registry.makeDecoder("flac") }.findings()
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test func winsOverAFallback() throws {
        let sample = try FLACSample(in: shelf.folder)
        registry.register(.decoder("fallback", extensions: ["*"], priority: 100) { BuiltInDecoder("fallback") })
        let disguised = shelf.directory.file("noise.mp3")
        try FileManager.default.copyItem(at: sample.url, to: disguised)
        for url in [sample.url, disguised] {
            let stream = try registry.open(url)
            #expect(stream.identifier == "flac")
            #expect(stream.plugin == "org.descant.flac")
            stream.decoder.close(stream.handle)
        }
        let text = try shelf.directory.write(Data("words".utf8), to: "words.flac")
        #expect(try registry.open(text).identifier == "fallback")
    }

    // MARK: Seeking

    @Test(arguments: [[], ["--no-seektable"], ["--blocksize=192"]])
    func everySeekIsExact(_ arguments: [String]) throws {
        let sample = try FLACSample(in: shelf.folder, frames: 100_000, arguments: arguments)
        let reader = try StreamReader(registry, sample.url)
        let expected = sample.floats
        var generator = SeededGenerator(seed: 7)
        for frame in [0, 1, 99_999, 50_000, 4_096, 4_095]
            + (0..<50).map({ _ in Int.random(in: 0..<100_000, using: &generator) })
        {
            try reader.seek(Double(frame) / 44_100)
            let samples = try reader.read(500)
            #expect(samples.elementsEqual(expected[(frame * 2)...].prefix(samples.count)), "frame \(frame)")
            #expect(samples.count == 2 * min(500, 100_000 - frame))
        }
    }

    @Test func seekBeforeFirstReadIsExact() throws {
        let sample = try FLACSample(in: shelf.folder, frames: 100_000)
        for frame in [44_100, 99_999, 1, 0] {
            let reader = try StreamReader(registry, sample.url)
            try reader.seek(Double(frame) / 44_100)
            #expect(try reader.read(1).elementsEqual(sample.floats[(2 * frame)..<(2 * frame + 2)]), "frame \(frame)")
            try reader.seek(0)
            #expect(try reader.readAll() == sample.floats)
        }
    }

    @Test func seekPastDamagedBeginningIsExact() throws {
        let sample = try FLACSample(in: shelf.folder, frames: 100_000, arguments: ["--no-seektable", "--no-padding"])
        var data = try Data(contentsOf: sample.url)
        // In the middle of the first block, which noise makes longer than this.
        data[4_000] ^= 0xff
        let url = try shelf.directory.write(data, to: "damaged.flac")
        for readsFirst in [false, true] {
            let reader = try StreamReader(registry, url)
            if readsFirst { #expect(try reader.read(1) == [0, 0]) }
            try reader.seek(50_000.0 / 44_100)
            #expect(try reader.read(10).elementsEqual(sample.floats[100_000..<100_020]))
        }
    }

    @Test func seekAfterAndToTheEndWorks() throws {
        let sample = try FLACSample(in: shelf.folder)
        let reader = try StreamReader(registry, sample.url)
        for _ in 0..<3 {
            #expect(try reader.readAll() == sample.floats)
            #expect(try reader.read(10).isEmpty)
            try reader.seek(reader.info.duration)
            #expect(try reader.read(10).isEmpty)
            try reader.seek(0)
        }
    }

    // MARK: Odd files

    @Test(arguments: [20, 5000, 100_000])
    func tagBeforeTheStreamIsSkipped(_ size: Int) throws {
        let sample = try FLACSample(in: shelf.folder)
        let length = [UInt8(size >> 21 & 127), UInt8(size >> 14 & 127), UInt8(size >> 7 & 127), UInt8(size & 127)]
        var tag = Data("ID3".utf8) + Data([4, 0, 0]) + Data(length)
        tag += Data((0..<size).map { _ in UInt8.random(in: 0..<255) })
        let tagged = try shelf.directory.write(tag + Data(contentsOf: sample.url), to: "tagged.flac")
        let reader = try StreamReader(registry, tagged)
        #expect(try reader.readAll() == sample.floats)
        try reader.seek(10_000.0 / 44_100)
        #expect(try reader.read(10).elementsEqual(sample.floats[20_000..<20_020]))
    }

    @Test func bytesAfterTheStreamAreIgnored() throws {
        let sample = try FLACSample(in: shelf.folder)
        let data = try Data(contentsOf: sample.url) + Data("TAG".utf8) + Data(count: 125)
        let reader = try StreamReader(registry, try shelf.directory.write(data, to: "trailing.flac"))
        #expect(try reader.readAll() == sample.floats)
        #expect(try reader.read(10).isEmpty)
    }

    @Test func headerWithoutLengthIsRead() throws {
        let sample = try FLACSample(in: shelf.folder, toPipe: true)
        let reader = try StreamReader(registry, sample.url)
        #expect(reader.info.duration == 30_000.0 / 44_100)
        #expect(try reader.readAll() == sample.floats)
        try reader.seek(20_000.0 / 44_100)
        #expect(try reader.read(10).elementsEqual(sample.floats[40_000..<40_020]))
    }

    @Test func truncatedStreamWithoutLengthEndsWithAnError() throws {
        let sample = try FLACSample(in: shelf.folder, toPipe: true)
        let data = try Data(contentsOf: sample.url)
        let reader = try StreamReader(registry, try shelf.directory.write(data.prefix(data.count / 2), to: "cut.flac"))
        let (samples, error) = reader.readUntilError()
        #expect(samples.count > 0)
        #expect(samples.elementsEqual(sample.floats.prefix(samples.count)))
        #expect(error?.message.contains("(frame \(samples.count / 2))") == true, "\(String(describing: error))")
    }

    // MARK: Faults

    @Test(arguments: [0.3, 0.62, 0.95])
    func truncatedFileEndsWithAnError(_ share: Double) throws {
        let sample = try FLACSample(in: shelf.folder)
        let data = try Data(contentsOf: sample.url)
        let file = try shelf.directory.write(data.prefix(Int(Double(data.count) * share)), to: "truncated.flac")
        let reader = try StreamReader(registry, file)
        let (samples, error) = reader.readUntilError()
        #expect(samples.count > 0)
        #expect(samples.count % (2 * 4096) == 0, "whole blocks")
        #expect(samples.elementsEqual(sample.floats.prefix(samples.count)))
        #expect(error?.code == "decodeError")
        let place = "(frame \(samples.count / 2))"
        for words in [file.path, "truncated", place, "(frame 30000)"] {
            #expect(error?.message.contains(words) == true, "\(String(describing: error))")
        }
        #expect(throws: CoreError.self) { _ = try reader.read(10) }
        #expect(throws: CoreError.self) { try reader.seek(29_000.0 / 44_100) }
        try reader.seek(0)
        #expect(try reader.read(100).elementsEqual(sample.floats.prefix(200)))
    }

    @Test func damagedBlockIsSilent() throws {
        let sample = try FLACSample(in: shelf.folder)
        var data = try Data(contentsOf: sample.url)
        for index in data.count / 2..<data.count / 2 + 40 { data[index] ^= 0x5a }
        let file = try shelf.directory.write(data, to: "damaged.flac")
        let reader = try StreamReader(registry, file)
        let (samples, error) = reader.readUntilError()
        // One block of 4096 frames is silent, everything else is there and in its place.
        #expect(samples.count == sample.floats.count)
        let whole = sample.floats
        let first = try #require(samples.indices.first { samples[$0] != whole[$0] })
        let (start, end) = (first / 8_192 * 8_192, first / 8_192 * 8_192 + 8_192)
        let block = start / 2
        #expect(samples[start..<end].allSatisfy { $0 == 0 })
        #expect(samples[..<start] == whole[..<start])
        #expect(samples[end...] == whole[end...])
        #expect(error?.code == "decodeError")
        for words in [file.path, "damaged", "4096 frames are missing", "(frame \(block))"] {
            #expect(error?.message.contains(words) == true, "\(String(describing: error))")
        }
        try reader.seek(29_000.0 / 44_100)
        #expect(try reader.read(100).elementsEqual(sample.floats[58_000..<58_200]))
        // A seek into the damaged block is silent for the length of a block.
        try reader.seek(Double(block + 96) / 44_100)
        let behind = try reader.read(5_000)
        #expect(behind.prefix(8_192).allSatisfy { $0 == 0 })
        #expect(behind.dropFirst(8_192).elementsEqual(whole[end + 192..<start + 10_192]))
    }

    @Test func wrongMD5IsReported() throws {
        let sample = try FLACSample(in: shelf.folder)
        var data = try Data(contentsOf: sample.url)
        // The MD5 ends the STREAMINFO block: marker, block header, 18 bytes of facts, 16 bytes of checksum.
        data[4 + 4 + 18] ^= 1
        let file = try shelf.directory.write(data, to: "checksum.flac")
        let reader = try StreamReader(registry.makeDecoder("flac-verified"), file)
        let (samples, error) = reader.readUntilError()
        #expect(samples == sample.floats)
        #expect(error?.code == "decodeError")
        #expect(error?.message.contains("MD5") == true)
        // Playback does not make this check.
        #expect(try StreamReader(registry, file).readAll() == sample.floats)
        let sound = try StreamReader(registry.makeDecoder("flac-verified"), sample.url)
        for _ in 0..<2 {
            #expect(try sound.readAll() == sample.floats)
            try sound.seek(0)
        }
    }

    @Test func otherFilesAreRefused() throws {
        let decoder = try registry.makeDecoder("flac")
        let sample = try FLACSample(in: shelf.folder)
        let header = try Data(contentsOf: sample.url).prefix(30)
        let text = Data(repeating: UInt8(ascii: "x"), count: 200_000)
        let files = [
            (shelf.directory.file("nowhere.flac"), "notFound"), (shelf.folder, "ioError"),
            (try shelf.directory.write(Data(), to: "empty.flac"), "decodeError"),
            (try shelf.directory.write(text, to: "text.flac"), "unsupported"),
            (try shelf.directory.write(header, to: "header.flac"), "unsupported"),
        ]
        for (url, code) in files {
            let error = #expect(throws: CoreError.self) { _ = try decoder.open(url: url) }
            #expect(error?.code == code, "\(String(describing: error))")
            #expect(error?.message.contains(url.path) == true)
        }
    }

    @Test func unreadableFileIsNamedInTheError() throws {
        // A loop of links, because root can read every file.
        let loop = shelf.directory.file("loop.flac")
        try FileManager.default.createSymbolicLink(at: loop, withDestinationURL: loop)
        let secret = try shelf.directory.write(Data("fLaC".utf8), to: "secret.flac")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: secret.path)
        let decoder = try registry.makeDecoder("flac")
        for url in geteuid() == 0 ? [loop] : [loop, secret] {
            let error = #expect(throws: CoreError.self) { _ = try decoder.open(url: url) }
            #expect(error?.code == "ioError")
            #expect(error?.message.contains(url.path) == true)
        }
    }

    @Test func mutatedFilesDoNotCrash() throws {
        let sample = try FLACSample(in: shelf.folder, frames: 6000)
        let original = try Data(contentsOf: sample.url)
        var generator = SeededGenerator(seed: 11)
        for round in 0..<150 {
            var data = original
            for _ in 0..<Int.random(in: 1...20, using: &generator) {
                let end = round % 2 == 0 ? 120 : data.count
                data[Int.random(in: 0..<end, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            let file = try shelf.directory.write(data, to: "mutated.flac")
            guard let reader = try? StreamReader(registry, file) else { continue }
            let (samples, _) = reader.readUntilError(limit: 1 << 20)
            #expect(samples.count <= 1 << 21)
        }
    }

    // MARK: Dependencies beside the library

    /// The dependency of the plugin's library: libFLAC.so.12 on Debian 12, libFLAC.so.14 on Debian 13.
    private func flacLibrary() throws -> (name: String, file: URL) {
        let file = try #require(
            try LoadedImages.path(of: "libFLAC.so.", loadedBy: { try registry.makeDecoder("flac") }))
        return (file.lastPathComponent.split(separator: ".").prefix(3).joined(separator: "."), file)
    }

    @Test func missingDependencyIsNamedInTheError() throws {
        let name = try flacLibrary().name
        let gone = name.replacingOccurrences(of: "FLAC", with: "GONE")
        let bundle = try shelf.write(BuiltLibrary.plugin("FLACDecoder"), named: "Lacking")
        try shelf.changeManifest(of: bundle) { $0.id = "org.descant.lacking" }
        try shelf.changeLibrary(of: bundle) { $0.replaceAll(name, with: gone) }
        let other = try BundleShelf()
        let moved = other.folder.appendingPathComponent(bundle.lastPathComponent)
        try FileManager.default.moveItem(at: bundle, to: moved)
        let registry = other.registry()
        let error = #expect(throws: PluginError.self) { _ = try registry.makeDecoder("flac") }
        #expect(error == .missingDependency(path: moved.path + "/libFLACDecoder.so", library: gone))
    }

    @Test func dependencyBesideTheLibraryIsFound() throws {
        let (name, system) = try flacLibrary()
        let renamed = name.replacingOccurrences(of: "FLAC", with: "MINE")
        let other = try BundleShelf()
        let bundle = try other.write(BuiltLibrary.plugin("FLACDecoder"), named: "WithDependency")
        let mine = bundle.appendingPathComponent(renamed)
        try FileManager.default.copyItem(at: system, to: mine)
        try other.changeLibrary(of: bundle) { $0.replaceAll(name, with: renamed) }
        let digest = try BundleShelf.digest(mine)
        try other.changeManifest(of: bundle) { $0.files = [renamed: digest] }
        let sample = try FLACSample(in: other.folder)
        #expect(try StreamReader(other.registry(), sample.url).readAll() == sample.floats)
        #expect(try LoadedImages.paths().contains(bundle.path + "/" + renamed))
    }
}
