import DescantCore
import DescantGStreamer
import DescantTesting
import Foundation
import Testing

/// Every format that the installed GStreamer decodes: length, channel order, samples and seeks against ffmpeg.
struct DecoderFormatTests {
    static let lossy = CodedFile.Fidelity.within(0.01)

    static let formats: [CodedFile] = [
        CodedFile(name: "WAV 8 bit", fileExtension: "wav", arguments: ["-c:a", "pcm_u8"]),
        CodedFile(name: "WAV 16 bit", fileExtension: "wav", arguments: ["-c:a", "pcm_s16le"]),
        CodedFile(name: "WAV 32 bit", fileExtension: "wav", arguments: ["-c:a", "pcm_s32le"]),
        CodedFile(name: "WAV float", fileExtension: "wav", arguments: ["-c:a", "pcm_f32le"]),
        CodedFile(name: "WAV A-law", fileExtension: "wav", arguments: ["-c:a", "pcm_alaw"]),
        CodedFile(name: "AIFF 16 bit", fileExtension: "aiff", arguments: ["-c:a", "pcm_s16be"]),
        CodedFile(name: "AIFF 24 bit", fileExtension: "aiff", arguments: ["-c:a", "pcm_s24be"]),
        CodedFile(name: "AU", fileExtension: "au", arguments: ["-c:a", "pcm_s16be"]),
        CodedFile(name: "FLAC", fileExtension: "flac", arguments: ["-c:a", "flac"]),
        CodedFile(name: "Ogg FLAC", fileExtension: "oga", arguments: ["-c:a", "flac"]),
        CodedFile(name: "WavPack", fileExtension: "wv", arguments: ["-c:a", "wavpack"]),
        CodedFile(name: "TTA", fileExtension: "tta", arguments: ["-c:a", "tta"]),
        CodedFile(name: "ALAC", fileExtension: "m4a", arguments: ["-c:a", "alac"]),
        CodedFile(name: "QuickTime PCM", fileExtension: "mov", arguments: ["-c:a", "pcm_s24le"]),
        CodedFile(name: "Matroska FLAC", fileExtension: "mka", arguments: ["-c:a", "flac"]),
        CodedFile(
            name: "MP3", fileExtension: "mp3", arguments: ["-c:a", "libmp3lame", "-b:a", "128k"], fidelity: lossy),
        CodedFile(
            name: "MP3 without a tag", fileExtension: "mp3",
            arguments: ["-c:a", "libmp3lame", "-b:a", "128k", "-write_xing", "0", "-id3v2_version", "0"],
            fidelity: lossy),
        CodedFile(
            name: "MP3 VBR without a tag", fileExtension: "mp3",
            arguments: ["-c:a", "libmp3lame", "-q:a", "4", "-write_xing", "0"], fidelity: lossy),
        CodedFile(name: "MP2", fileExtension: "mp2", arguments: ["-c:a", "mp2"], fidelity: lossy),
        CodedFile(name: "ADTS", fileExtension: "aac", arguments: ["-c:a", "aac", "-aac_pns", "0"], fidelity: lossy),
        CodedFile(
            name: "AAC", fileExtension: "m4a", arguments: ["-c:a", "aac", "-aac_pns", "0"], fidelity: lossy,
            // ffmpeg leaves the padding of the last block in.
            referenceLength: .source),
        CodedFile(name: "Vorbis", fileExtension: "ogg", arguments: ["-c:a", "libvorbis"], fidelity: lossy),
        CodedFile(
            name: "Opus", fileExtension: "opus", arguments: ["-c:a", "libopus"], fidelity: .within(0.05),
            sampleRate: 48_000,
            referenceDecoder: "libopus"),
        CodedFile(
            name: "WebM Opus", fileExtension: "webm", arguments: ["-c:a", "libopus"], fidelity: .within(0.05),
            sampleRate: 48_000, announces: false, referenceDecoder: "libopus"),
        CodedFile(
            name: "Matroska Vorbis", fileExtension: "mka", arguments: ["-c:a", "libvorbis"], fidelity: lossy,
            announces: false),
        CodedFile(
            name: "MP4 Opus", fileExtension: "mp4", arguments: ["-c:a", "libopus"], fidelity: .within(0.05),
            sampleRate: 48_000, referenceLength: .source, referenceDecoder: "libopus"),
        CodedFile(
            name: "MP4 Opus of 2.5 ms", fileExtension: "mp4",
            arguments: ["-c:a", "libopus", "-application", "lowdelay", "-frame_duration", "2.5"],
            fidelity: .within(0.1),
            sampleRate: 48_000, referenceLength: .source, referenceDecoder: "libopus"),
        CodedFile(name: "AC-3", fileExtension: "ac3", arguments: ["-c:a", "ac3"], fidelity: lossy),
        CodedFile(name: "E-AC-3", fileExtension: "eac3", arguments: ["-c:a", "eac3"], fidelity: lossy),
        CodedFile(
            name: "Speex", fileExtension: "spx", arguments: ["-c:a", "libspeex"], fidelity: .within(0.12),
            sampleRate: 16_000,
            // ffmpeg 7's own decoder returns every frame twice.
            channels: 1, announces: false, referenceDecoder: "libspeex"),
    ]

    @Test(arguments: formats)
    func lengthSamplesAndSeeksMatchFFmpeg(_ format: CodedFile) throws {
        try DecoderFormatCheck(format, seconds: 2.3).run()
    }

    // MARK: Shapes

    /// Channel layouts by ffmpeg's names, mono to 7.1.
    static let layouts = [
        (1, "mono"), (2, "stereo"), (3, "3.0"), (4, "quad"), (5, "5.0"), (6, "5.1"), (7, "6.1"), (8, "7.1"),
    ]
    /// Sample rates in Hz, 8 to 384 kHz.
    static let rates = [
        8_000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 88_200, 96_000, 176_400, 192_000, 352_800, 384_000,
    ]

    private static func lossless(_ depth: String, _ rate: Int, _ channels: Int) -> CodedFile {
        CodedFile(
            name: "WAV \(depth)", fileExtension: "wav", arguments: ["-c:a", depth], sampleRate: rate, channels: channels
        )
    }

    /// A few shapes by default, all of them with `DESCANT_WIDE_FORMATS`.
    static let shapes: [CodedFile] = {
        let isWide = ProcessInfo.processInfo.environment["DESCANT_WIDE_FORMATS"] != nil
        let depths = ["pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le"]
        var files: [CodedFile] = []
        if isWide {
            for depth in depths {
                for rate in rates {
                    for (channels, _) in layouts { files.append(lossless(depth, rate, channels)) }
                }
            }
        } else {
            files = [lossless("pcm_u8", 8_000, 1), lossless("pcm_s32le", 384_000, 2), lossless("pcm_s24le", 96_000, 8)]
        }
        for (channels, name) in isWide ? layouts : [(6, "5.1"), (7, "6.1"), (8, "7.1")] {
            files.append(
                CodedFile(
                    name: "FLAC", fileExtension: "flac", arguments: ["-c:a", "flac"], sampleRate: 48_000,
                    channels: channels, layout: name))
            files.append(
                CodedFile(
                    name: "Vorbis", fileExtension: "ogg", arguments: ["-c:a", "libvorbis"], fidelity: lossy,
                    sampleRate: 48_000, channels: channels, referenceLength: .source, layout: name))
        }
        return files
    }()

    @Test(arguments: shapes)
    func everyChannelLayoutAndRateIsDecoded(_ format: CodedFile) throws {
        try DecoderFormatCheck(format, seconds: 0.4).run()
    }
}
