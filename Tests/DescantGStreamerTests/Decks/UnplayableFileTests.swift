import DescantCore
import DescantMixing
import DescantTesting
import Foundation
import Testing

@testable import DescantGStreamer

/// The errors of files that cannot be played name the file and the reason.
struct UnplayableFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func error(_ url: URL) async throws -> CoreError {
        let error = await #expect(throws: CoreError.self, "\(url.lastPathComponent)") {
            let opened = try await GStreamerDecks().open(
                .url(url), mix: PCMFormat(sampleRate: 48_000, channels: 2)
            ) { _ in }
            opened.deck.close()
        }
        let found = try #require(error)
        #expect(found.message.hasPrefix(url.path))
        return found
    }

    private func error(_ data: Data, named name: String) async throws -> CoreError {
        try await error(directory.write(data, to: name))
    }

    @Test func missingFile() async throws {
        let found = try await error(directory.file("gone.flac"))
        #expect(found.code == "notFound")
        #expect(found.message.hasSuffix("does not exist"))
        #expect(
            try await error(directory.write(Data([1]), to: "file").appendingPathComponent("x.mp3")).code == "notFound")
    }

    @Test func directoryInsteadOfFile() async throws {
        let found = try await error(directory.url)
        #expect(found.code == "ioError")
        #expect(found.message.contains("is a directory"))
    }

    @Test func fileThatCannotBeOpened() async throws {
        // A link to itself: permissions would not stop a test that runs as root.
        let link = directory.file("loop.flac")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: link.path)
        let found = try await error(link)
        #expect(found.code == "ioError")
        #expect(found.message.contains("cannot be read: "))
    }

    /// gmedec reads the description of a track that a damaged file does not have. The first file is two hundred zeros behind the mark of NSF.
    @Test(arguments: [Data(), Data("ID3".utf8) + Data([4, 0, 0, 0, 0, 0, 0])])
    func soundOfGameConsolesIsRefused(tag: Data) async throws {
        let found = try await error(tag + Data("NESM\u{1a}".utf8) + Data(count: 200), named: "damaged.nsf")
        #expect(found.code == "unsupported")
        #expect(found.message.contains("gmedec, would end the program on a damaged file"), "\(found.message)")
    }

    @Test func emptyFile() async throws {
        let found = try await error(Data(), named: "empty.mp3")
        #expect(found.code == "decodeError")
        #expect(found.message.contains("is empty (0 bytes)"))
    }

    @Test func textNamedLikeMusic() async throws {
        let text = String(repeating: "These are words, not sound.\n", count: 500)
        let found = try await error(Data(text.utf8), named: "text.mp3")
        #expect(found.code == "unsupported")
        #expect(found.message.contains("text"))
    }

    @Test func randomBytes() async throws {
        // The bytes are the same in each run, because some random bytes look like the beginning of a file.
        var generator = SeededGenerator(seed: 1)
        let bytes = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let found = try await error(Data(bytes), named: "random.mp3")
        #expect(["unsupported", "decodeError"].contains(found.code))
    }

    @Test func playlist() async throws {
        let found = try await error(Data("#EXTM3U\n#EXTINF:3,One\none.mp3\n".utf8), named: "list.m3u")
        #expect(found.code == "unsupported")
    }

    @Test func picture() async throws {
        // The smallest PNG: one pixel.
        let png = try #require(
            Data(
                base64Encoded:
                    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="))
        // GStreamer reports it in one of two ways, depending on its threads.
        for index in 0..<30 {
            let found = try await error(png, named: "picture\(index).mp3")
            #expect(found.code == "unsupported")
            #expect(found.message.hasSuffix("contains no sound"))
        }
    }

    @Test func headerWithoutSound() async throws {
        let signal = TestSignal.noise(seconds: 1)
        for (format, bytes) in [(FixtureFormat.flac(bits: 16), 60), (.wav(.int16), 44)] {
            let url = try FixtureEncoder().make(signal, as: format, named: "whole", in: directory)
            let header = try Data(contentsOf: url).prefix(bytes)
            #expect(try await error(header, named: "header.\(format.fileExtension)").code == "decodeError")
        }
    }

    @Test func missingDecoderNamesCodecAndPackage() async throws {
        // MIDI notes, for which no installed package has a synthesizer.
        var notes = Data("MThd".utf8) + Data([0, 0, 0, 6, 0, 0, 0, 1, 0, 96])
        notes.append(Data("MTrk".utf8) + Data([0, 0, 0, 12, 0, 0x90, 60, 100, 96, 0x80, 60, 0, 0, 0xFF, 0x2F, 0]))
        let url = try directory.write(notes, to: "notes.mid")
        do {
            let opened = try await GStreamerDecks().open(
                .url(url), mix: PCMFormat(sampleRate: 48_000, channels: 2)
            ) { _ in }
            // Where a synthesizer is installed, the notes sound.
            opened.deck.close()
        } catch let error as CoreError {
            #expect(error.code == "unsupported")
            #expect(error.message.contains("audio/midi"))
            #expect(error.message.hasSuffix("apt-get install gstreamer1.0-plugins-bad"))
        }
    }

    @Test func formatWithoutAPackageNamesAnotherRemedy() async throws {
        // A Core Audio file: marker and version, then a chunk that describes 16-bit sound.
        var file = Data("caff".utf8) + Data([0, 1, 0, 0]) + Data("desc".utf8) + Data([0, 0, 0, 0, 0, 0, 0, 32])
        file += Data([0x40, 0xe5, 0x88, 0x80, 0, 0, 0, 0]) + Data("lpcm".utf8) + Data([0, 0, 0, 0])
        file += Data([0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 16])
        file += Data("data".utf8) + Data([0, 0, 0, 0, 0, 1, 0, 4]) + Data(count: 65_540)
        let found = try await error(file, named: "sound.caf")
        #expect(found.code == "unsupported")
        #expect(found.message.contains("audio/x-caf"), "\(found)")
        #expect(found.message.contains("ffmpeg"), "\(found)")
        #expect(!found.message.contains("apt-get"), "\(found)")
    }

    @Test func mp4WithoutIndexIsAlwaysRefused() async throws {
        // "ftyp" and a "mdat" that is cut off: GStreamer loses the error of its demuxer in some starts.
        var file = Data([0, 0, 0, 20])
        file.append(Data("ftypM4A ".utf8) + Data([0, 0, 2, 0]) + Data("isom".utf8))
        file.append(Data([0, 1, 0, 0]) + Data("mdat".utf8) + Data(repeating: 7, count: 20_000))
        for index in 0..<24 {
            let found = try await error(file, named: "cut\(index).m4a")
            #expect(found.code == "decodeError")
        }
    }

    /// Errors name files of the person, not those of GStreamer's sources.
    @Test func theReasonOfAnElementIsWhatAPersonUnderstands() {
        let debug = """
            gstbasesrc.c(3132): gst_base_src_loop (): /GstPlayBin:playbin0/GstURIDecodeBin:uri/GstGioSrc:source:
            streaming stopped, reason not-negotiated (-4).
            """
        #expect(StreamFailure.reason(in: debug) == "streaming stopped, reason not-negotiated (-4)")
        #expect(StreamFailure.reason(in: "gstx.c(16): gst_x_chain (): /GstBin:bin/GstX:x").isEmpty)
    }
}
