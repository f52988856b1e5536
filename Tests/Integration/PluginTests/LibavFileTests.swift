import Descant
import DescantTesting
import Foundation
import Testing

/// Unusual and damaged files in the bundle on libavcodec.
@Suite struct LibavFileTests {
    private let shelf: BundleShelf
    private let registry: PluginRegistry
    private let gstreamer = AudioEnvironment(plugins: PluginRegistry(searchPath: []))

    init() throws {
        shelf = try BundleShelf()
        try shelf.write(BuiltLibrary.plugin("LibavDecoder"))
        registry = shelf.registry()
    }

    /// Encodes noise with a program.
    ///
    /// - Parameter arguments: The arguments, with IN and OUT for the files.
    private func encode(
        _ name: String, channels: Int = 2, rate: Int = 44_100, frames: Int = 60_000, _ tool: String,
        _ arguments: [String]
    ) throws -> URL {
        let noise = TestSignal(
            .noise(seed: 4, amplitude: 0.3), frames: frames, sampleRate: rate, channels: channels, depth: .int16)
        let (input, output) = (shelf.directory.file("input.wav"), shelf.directory.file(name))
        try WAVFile(noise.samples(), encoding: .int16).write(to: input)
        try Tool.run(tool, arguments.map { $0 == "IN" ? input.path : $0 == "OUT" ? output.path : $0 })
        return output
    }

    private func ffmpeg(
        _ name: String, channels: Int = 2, rate: Int = 44_100, frames: Int = 60_000, _ codec: String...
    ) throws -> URL {
        try encode(
            name, channels: channels, rate: rate, frames: frames, "ffmpeg",
            ["-v", "error", "-y", "-i", "IN"] + codec + ["OUT"])
    }

    /// Compares all samples with those of GStreamer.
    private func compare(_ url: URL, _ tolerance: Double = 1e-4, sourceLocation: SourceLocation = #_sourceLocation)
        throws
    {
        let reader = try StreamReader(registry, url)
        let ours = try reader.readAll()
        let theirs = try StreamReader(gstreamer.makeDecoder(), url)
        #expect(reader.info.channels == theirs.info.channels, sourceLocation: sourceLocation)
        #expect(reader.info.sampleRate == theirs.info.sampleRate, sourceLocation: sourceLocation)
        let expected = try theirs.readAll()
        #expect(ours.count == expected.count, sourceLocation: sourceLocation)
        #expect(LevelAnalysis.maximumDifference(ours, expected) <= tolerance, sourceLocation: sourceLocation)
    }

    // MARK: Unusual files

    @Test(arguments: [
        ["-b", "128"], ["-V", "2"], ["-V", "9", "--resample", "11.025"],
        ["--abr", "40", "-m", "m", "--resample", "16"],
    ])
    func mp3OfEveryModeIsRead(mode: [String]) throws {
        for tag in [[], ["-t"]] { try compare(encode("mode.mp3", "lame", ["--quiet"] + tag + mode + ["IN", "OUT"])) }
    }

    @Test func tagsAroundAnMP3AreSkipped() throws {
        let plain = try Data(contentsOf: encode("plain.mp3", "lame", ["--quiet", "-t", "-b", "128", "IN", "OUT"]))
        let whole = try StreamReader(registry, shelf.directory.write(plain, to: "whole.mp3")).readAll()
        let size = 200_000
        let length = [UInt8(size >> 21 & 127), UInt8(size >> 14 & 127), UInt8(size >> 7 & 127), UInt8(size & 127)]
        // A picture may contain bytes that begin a frame.
        let cover = Data((0..<size / 4).flatMap { _ in [0xFF, 0xFB, 0x90, 0x64] as [UInt8] })
        let front = Data("ID3".utf8) + Data([4, 0, 0]) + Data(length) + cover
        let behind = Data("APETAGEX".utf8) + Data(count: 24) + cover + Data("TAG".utf8) + Data(count: 125)
        let url = try shelf.directory.write(front + Data(count: 700) + plain + behind, to: "tagged.mp3")
        let reader = try StreamReader(registry, url)
        // Bytes of a picture behind the sound cannot be told from sound.
        #expect(try reader.readAll().prefix(whole.count).elementsEqual(whole))
        let clean = try shelf.directory.write(front + plain + Data("TAG".utf8) + Data(count: 125), to: "clean.mp3")
        #expect(try StreamReader(registry, clean).readAll() == whole)
    }

    @Test(arguments: [1, 6]) func everyChannelCountIsRead(channels: Int) throws {
        try compare(ffmpeg("channels.m4a", channels: channels, "-c:a", "aac", "-aac_pns", "0", "-b:a", "384k"))
        try compare(ffmpeg("channels.alac.m4a", channels: channels, "-c:a", "alac"))
        try compare(ffmpeg("channels.ogg", channels: channels, "-c:a", "libvorbis"))
        let family = channels == 6 ? ["-mapping_family", "1"] : []
        try compare(
            encode(
                "channels.opus", channels: channels, rate: 48_000, "ffmpeg",
                ["-v", "error", "-y", "-i", "IN", "-c:a", "libopus"] + family + ["OUT"]))
    }

    /// The tag of Apple's encoders decides over the edit list.
    @Test func gaplessTagIsFollowed() throws {
        let url = try ffmpeg("tagged.m4a", "-c:a", "aac", "-aac_pns", "0")
        let whole = try StreamReader(registry, url).readAll()
        // 60 packets in all.
        try setGaplessTag(of: url, delay: 1_024 + 500, padding: 9_916, frames: 50_000)
        let reader = try StreamReader(registry, url)
        #expect(reader.info.duration == 50_000.0 / 44_100)
        #expect(try reader.readAll() == Array(whole[1_000..<101_000]))
    }

    /// A tag that was copied from a shorter file cuts no sound off.
    @Test func gaplessTagOfAnotherFileIsIgnored() throws {
        let url = try ffmpeg("tagged.m4a", "-c:a", "aac", "-aac_pns", "0")
        let whole = try StreamReader(registry, url).readAll()
        try setGaplessTag(of: url, delay: 1_024, padding: 480, frames: 20_000)
        #expect(try StreamReader(registry, url).readAll() == whole)
    }

    private func setGaplessTag(of url: URL, delay: Int, padding: Int, frames: Int) throws {
        let text = String(format: " 00000000 %08X %08X %016X", delay, padding, frames)
        try Tool.run(
            "/usr/bin/python3",
            [
                "-c",
                "import sys; from mutagen.mp4 import MP4; f = MP4(sys.argv[1]); f['----:com.apple.iTunes:iTunSMPB'] = [sys.argv[2].encode()]; f.save()",
                url.path, text,
            ])
    }

    /// A file that is not read exactly is left to GStreamer, which plays it.
    @Test func otherFilesAreLeftToGStreamer() async throws {
        let first = try Data(contentsOf: ffmpeg("first.ogg", "-c:a", "libvorbis"))
        let files = [
            try ffmpeg("fragments.m4a", "-c:a", "aac", "-movflags", "frag_keyframe+empty_moov"),
            // libavcodec decodes this rate wrongly.
            try encode("rate.mp3", "lame", ["--quiet", "--resample", "24", "IN", "OUT"]),
            try ffmpeg("layer2.mp3", "-c:a", "mp2", "-f", "mp2"), try ffmpeg("ac3.mp4", "-c:a", "ac3"),
            try ffmpeg("opus.mp4", rate: 48_000, "-c:a", "libopus"),
            try shelf.directory.write(
                first + Data(contentsOf: ffmpeg("second.ogg", "-c:a", "libvorbis", "-serial_offset", "7")),
                to: "chain.ogg"),
        ]
        let environment = AudioEnvironment(plugins: registry)
        let engine = try environment.makeEngine(
            output: .wav(shelf.directory.file("mix.wav"), .f32), format: PCMFormat(sampleRate: 48_000, channels: 2))
        for url in files {
            let deck = try await engine.openDeck(.url(url), gain: 1, isClip: false)
            #expect(deck.decoder == "gstreamer", "\(url.lastPathComponent): \(deck.decoderReason)")
        }
        let events = engine.mixEvents.buffered(.bounded(64)).numbered
        let own = try await engine.openDeck(.url(ffmpeg("own.m4a", "-c:a", "aac")), gain: 1, isClip: false)
        #expect(own.decoder == "libav")
        var track = own.track
        // On a busy machine the tags are read later, and told by an event.
        if track.format.codec.isEmpty {
            for await event in events {
                guard case .trackInfoChanged(own.id, let found) = event.event.kind else { continue }
                track = found
                break
            }
        }
        #expect(track.format.codec == "MPEG-4 AAC")
    }

    /// The last positions of joined streams of one serial number are those of the last one, and GStreamer's decks play them all.
    @Test func joinedStreamsOfOneNumberAreLeftToGStreamer() async throws {
        let short = try Data(contentsOf: ffmpeg("short.ogg", "-c:a", "libvorbis", "-bitexact"))
        let long = try Data(contentsOf: ffmpeg("long.ogg", frames: 900_000, "-c:a", "libvorbis", "-bitexact"))
        let engine = try AudioEnvironment(plugins: registry).makeEngine(
            output: .wav(shelf.directory.file("mix.wav"), .f32), format: PCMFormat(sampleRate: 44_100, channels: 2))
        for (index, joined) in [short + long, long + short, long + long].enumerated() {
            let url = try shelf.directory.write(joined, to: "joined\(index).ogg")
            let deck = try await engine.openDeck(.url(url), gain: 1, isClip: false)
            #expect(deck.decoder == "gstreamer", "\(deck.decoderReason)")
            #expect(deck.frameCount == Int64(index < 2 ? 960_000 : 1_800_000))
        }
    }

    // MARK: Damage

    /// Frames that are lost are missing, what follows plays, and the error names the file.
    @Test func damagedMP3PlaysToItsEnd() throws {
        let url = try encode("whole.mp3", "lame", ["--quiet", "-b", "128", "IN", "OUT"])
        var data = try Data(contentsOf: url)
        for index in data.count / 2..<data.count / 2 + 2_000 { data[index] = 0 }
        let file = try shelf.directory.write(data, to: "damaged.mp3")
        let whole = try StreamReader(registry, url).readAll()
        let reader = try StreamReader(registry, file)
        let (samples, error) = reader.readUntilError()
        #expect(samples.count < whole.count && samples.count > whole.count - 2 * 1_152 * 7)
        #expect(error?.code == "decodeError")
        #expect(error?.message.contains(file.path) == true && error?.message.contains("truncated") == true)
        try reader.seek(0.1)
        #expect(try reader.read(100).elementsEqual(whole[8_820..<9_020]))
    }

    /// The sound ends between two frames, within a header or within a frame, and zeros may follow.
    @Test(arguments: [(0, 0), (2, 0), (100, 0), (0, 4_328), (0, 4_400), (0, 20_000)])
    func anMP3ThatShrinksWhileItPlaysIsTruncated(place: Int, zeros: Int) throws {
        // Every frame of this bit rate and sample rate has 384 bytes, also the first one, which holds the length.
        let url = try encode(
            "shrinking.mp3", rate: 48_000, frames: 900_000, "lame", ["--quiet", "-b", "128", "IN", "OUT"])
        let whole = try StreamReader(registry, url).readAll()
        let reader = try StreamReader(registry, url)
        let first = try reader.read(100)
        // More than the reader holds in memory is left.
        let end = UInt64(400 * 384 + place)
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: end)
        try handle.truncate(atOffset: end + UInt64(zeros))
        try handle.close()
        let (rest, error) = reader.readUntilError()
        let samples = first + rest
        #expect(samples.count > 2 * 1_152 * 397 && samples.elementsEqual(whole.prefix(samples.count)))
        #expect(error?.code == "decodeError")
        #expect(error?.message.contains(url.path) == true && error?.message.contains("truncated") == true)
        try reader.seek(0)
        #expect(try reader.read(100) == first)
    }

    /// Pages that are lost are silent, and what follows keeps its time.
    @Test(arguments: ["ogg", "opus"]) func lostPageIsSilent(kind: String) throws {
        let codec = kind == "ogg" ? "libvorbis" : "libopus"
        let url = try ffmpeg("pages.\(kind)", rate: 48_000, frames: 200_000, "-c:a", codec, "-page_duration", "100000")
        var data = try Data(contentsOf: url)
        data[data.count / 2] ^= 0xFF
        let file = try shelf.directory.write(data, to: "damaged.\(kind)")
        let whole = try StreamReader(registry, url).readAll()
        let samples = try StreamReader(registry, file).readUntilError().0
        #expect(samples.count == whole.count)
        // The decoder of Opus converges slowly.
        let end = Array(samples.suffix(100_000)), expected = Array(whole.suffix(100_000))
        #expect(LevelAnalysis.maximumDifference(end, expected) <= 1e-3)
        #expect(LevelAnalysis.maximumDifference(samples, whole) > 0.01)
    }

    /// The position of a page may be any number of 64 bits. Behind a lost page, sound with an impossible one goes on where it broke off.
    @Test(arguments: ["ogg", "opus"]) func impossiblePositionBehindALostPageIsIgnored(kind: String) throws {
        let codec = kind == "ogg" ? "libvorbis" : "libopus"
        let url = try ffmpeg("pages.\(kind)", rate: 48_000, frames: 200_000, "-c:a", codec, "-page_duration", "100000")
        var bytes = [UInt8](try Data(contentsOf: url))
        let pages = bytes.indices.filter { bytes[$0...].starts(with: Array("OggS".utf8)) }
        let next = pages.count / 2
        bytes[pages[next] - 1] ^= 0xFF
        bytes.replaceSubrange(pages[next] + 6..<pages[next] + 14, with: [UInt8](repeating: 0xFF, count: 7) + [0x7F])
        setChecksum(ofOggPage: pages[next]..<pages[next + 1], in: &bytes)
        let file = try shelf.directory.write(Data(bytes), to: "positions.\(kind)")
        let samples = try StreamReader(registry, file).readUntilError().0
        #expect(samples.count > 320_000)
        #expect(samples[300_000..<320_000].contains { abs($0) > 0.1 })
    }

    /// CRC-32 of RFC 3533, over the page with zeros in its place.
    private func setChecksum(ofOggPage page: Range<Int>, in bytes: inout [UInt8]) {
        let place = page.lowerBound + 22..<page.lowerBound + 26
        bytes.replaceSubrange(place, with: [0, 0, 0, 0])
        let checksum = bytes[page].reduce(0 as UInt32) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte) << 24) { sum, _ in sum << 1 ^ (sum >> 31 == 1 ? 0x04C1_1DB7 : 0) }
        }
        bytes.replaceSubrange(place, with: (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) })
    }

    @Test func damagedPacketsOfMP4AreNamed() throws {
        let url = try ffmpeg("whole.m4a", "-c:a", "alac", "-movflags", "faststart")
        var data = try Data(contentsOf: url)
        for index in data.count / 2..<data.count / 2 + 30_000 { data[index] = 0xFF }
        let whole = try StreamReader(registry, url).readAll()
        let file = try shelf.directory.write(data, to: "damaged.m4a")
        let (samples, error) = try StreamReader(registry, file).readUntilError()
        #expect(samples.count == whole.count)
        #expect(samples.suffix(10_000).elementsEqual(whole.suffix(10_000)))
        #expect(error?.code == "decodeError")
        for words in [file.path, "damaged", "frames are missing and silent", "(frame "] {
            #expect(error?.message.contains(words) == true, "\(String(describing: error))")
        }
    }

    /// A seek into a chunk adds the sizes of its packets to its offset, which may be any number of 64 bits.
    @Test func impossibleOffsetOfAChunkEndsTheSound() throws {
        // Chunks have up to a mebibyte.
        let url = try ffmpeg("chunks.m4a", frames: 900_000, "-c:a", "alac")
        let whole = try StreamReader(registry, url).readAll()
        for offset in [Int64.max, .min, -1, 1 << 40] {
            let movie = try withLongOffsets(Data(contentsOf: url)) { chunk, present in chunk == 0 ? present : offset }
            let reader = try StreamReader(registry, shelf.directory.write(movie, to: "offsets.m4a"))
            let (samples, error) = reader.readUntilError()
            #expect(!samples.isEmpty && samples.count < whole.count)
            #expect(samples.elementsEqual(whole.prefix(samples.count)))
            #expect(error?.code == "decodeError", "\(offset): \(String(describing: error))")
            let end = Double(samples.count / 2) / 44_100
            for place in stride(from: end + 0.5, to: reader.info.duration, by: 1.3) {
                try reader.seek(place)
                #expect(throws: CoreError.self, "\(offset), \(place) s") { _ = try reader.read(100) }
            }
            try reader.seek(0)
            #expect(try reader.read(100).elementsEqual(whole.prefix(200)))
        }
        // The same table with possible numbers.
        let movie = try withLongOffsets(Data(contentsOf: url)) { $1 }
        let same = try StreamReader(registry, shelf.directory.write(movie, to: "same.m4a"))
        #expect(try same.readAll() == whole)
    }

    /// 2^32 packets that last 2^32 units each.
    @Test func impossibleDurationOfAnMP4IsRefused() throws {
        let url = try ffmpeg("whole.m4a", "-c:a", "aac")
        var movie = try Data(contentsOf: url)
        let sizes = try contentOffset(of: "stsz", in: movie), times = try contentOffset(of: "stts", in: movie)
        // Every packet has one byte.
        movie.replaceSubrange(sizes + 4..<sizes + 12, with: bigEndian(1, 4) + bigEndian(0xFFFF_FFFF, 4))
        movie.replaceSubrange(times + 8..<times + 16, with: Data(repeating: 0xFF, count: 8))
        let file = try shelf.directory.write(movie, to: "long.m4a")
        // A file of holes, large enough for that number of packets.
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: 1 << 32)
        try handle.close()
        let decoder = try registry.makeDecoder("libav")
        #expect(throws: CoreError.self) { _ = try StreamReader(decoder, file) }
    }

    // MARK: Tables

    /// Replaces the offsets of the chunks of an MP4 file, whose "moov" stands last, by a table of 64-bit ones.
    ///
    /// - Parameters:
    ///   - movie: The file, as ffmpeg writes it.
    ///   - offset: Returns the offset of a chunk; receives its index and its present offset.
    private func withLongOffsets(_ movie: Data, _ offset: (_ chunk: Int, _ present: Int64) -> Int64) throws -> Data {
        let start = try contentOffset(of: "stco", in: movie)
        let chunks = number(at: start + 4, in: movie)
        try #require(chunks > 1, "the file has several chunks")
        var table = Data("co64".utf8) + movie[start..<start + 8]
        for chunk in 0..<chunks {
            table += bigEndian(offset(chunk, Int64(number(at: start + 8 + 4 * chunk, in: movie))), 8)
        }
        var result = movie
        // From behind, so that the places in front stay.
        result.replaceSubrange(start - 8..<start + 8 + 4 * chunks, with: bigEndian(Int64(table.count + 4), 4) + table)
        for kind in ["stbl", "minf", "mdia", "trak", "moov"] {
            let place = try contentOffset(of: kind, in: result) - 8
            result.replaceSubrange(
                place..<place + 4, with: bigEndian(Int64(number(at: place, in: result) + 4 * chunks), 4))
        }
        return result
    }

    /// Where the content of the last atom of a kind begins.
    private func contentOffset(of kind: String, in movie: Data) throws -> Int {
        try #require(movie.range(of: Data(kind.utf8), options: .backwards), "no \(kind)").upperBound
    }

    /// An unsigned number of 4 bytes.
    private func number(at offset: Int, in movie: Data) -> Int {
        movie[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The last bytes of a number, the most significant one first.
    private func bigEndian(_ value: Int64, _ size: Int) -> Data {
        Data((0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * Int64(size - 1 - $0))) })
    }
}
