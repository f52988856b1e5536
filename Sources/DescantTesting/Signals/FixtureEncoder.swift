public import Foundation
internal import DescantCore

/// Makes encoded audio files with the reference encoders of the system.
///
/// The tools are looked up on `PATH` at every call. Calls block until the tool is done.
public struct FixtureEncoder: Sendable {
    /// Creates an encoder.
    public init() {}

    /// Encodes samples into a file.
    ///
    /// - Parameters:
    ///   - content: The sound.
    ///   - format: The file's format.
    ///   - comments: Comments of the file, by name: Vorbis comments, or TXXX frames of ID3 for MP3. WAVE and MP4 files take
    ///     none.
    ///   - url: Where to write; an existing file is replaced.
    /// - Returns: `url`.
    /// - Throws: `CoreError.unsupported` naming a missing tool and the package to install, `CoreError.ioError` with
    ///   the tool's messages when it failed.
    @discardableResult
    public func encode(
        _ content: SampleBuffer, as format: FixtureFormat, comments: [String: String] = [:], to url: URL
    ) throws -> URL {
        if case .wav(let encoding) = format {
            guard comments.isEmpty else { throw CoreError.unsupported("comments in a WAVE file") }
            try WAVFile(content, encoding: encoding).write(to: url)
            return url
        }
        switch format {
        case .aac, .alac:
            guard comments.isEmpty else { throw CoreError.unsupported("comments in an MP4 file") }
        default: break
        }
        let directory = try TemporaryDirectory(label: "descant-encode")
        let input = directory.file("input.wav")
        var encoding = WAVFile.Encoding.int24
        if case .flac(let bits) = format { encoding = bits == 16 ? .int16 : .int24 }
        switch format {
        case .mp3, .infoMP3, .alac: encoding = .int16
        default: break
        }
        try WAVFile(content, encoding: encoding).write(to: input)
        let texts = comments.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        try run(format, comments: texts, input: input.path, output: url.path, directory: directory)
        return url
    }

    /// Encodes a test signal into a file of a directory.
    ///
    /// - Parameters:
    ///   - signal: The sound.
    ///   - format: The file's format.
    ///   - name: The file's name without extension.
    ///   - directory: Where to write.
    /// - Returns: The file.
    /// - Throws: As ``encode(_:as:comments:to:)``.
    public func make(
        _ signal: TestSignal, as format: FixtureFormat, named name: String, in directory: TemporaryDirectory
    ) throws -> URL {
        try encode(signal.samples(), as: format, to: directory.file("\(name).\(format.fileExtension)"))
    }

    private func run(
        _ format: FixtureFormat, comments: [String], input: String, output: String, directory: TemporaryDirectory
    ) throws {
        switch format {
        case .wav: break
        case .flac:
            try EncoderProgram(name: "flac", package: "flac")
                .run(
                    ["--totally-silent", "--force", "--output-name=\(output)"]
                        + comments.map { "--tag=\($0)" } + [input], log: directory)
        case .mp3(let rate):
            try EncoderProgram(name: "lame", package: "lame")
                .run(
                    ["--quiet", "--cbr", "-b", "\(rate)"] + comments.flatMap { ["--tv", "TXXX=\($0)"] }
                        + [input, output],
                    log: directory)
        case .infoMP3(let rate):
            let texts = comments.flatMap { ["-metadata", $0] }
            try ffmpeg(["-c:a", "libmp3lame", "-b:a", "\(rate)k"] + texts, input: input, output: output, directory)
        case .aac(let rate):
            try ffmpeg(["-c:a", "aac", "-b:a", "\(rate)k"], input: input, output: output, directory)
        case .alac: try ffmpeg(["-c:a", "alac"], input: input, output: output, directory)
        case .vorbis(let quality):
            try EncoderProgram(name: "oggenc", package: "vorbis-tools")
                .run(
                    ["--quiet", "-q", "\(quality)"] + comments.flatMap { ["-c", $0] } + ["-o", output, input],
                    log: directory)
        case .opus(let rate):
            try EncoderProgram(name: "opusenc", package: "opus-tools")
                .run(
                    ["--quiet", "--bitrate", "\(rate)"] + comments.flatMap { ["--comment", $0] } + [input, output],
                    log: directory)
        }
    }

    private func ffmpeg(_ codec: [String], input: String, output: String, _ directory: TemporaryDirectory) throws {
        try EncoderProgram(name: "ffmpeg", package: "ffmpeg")
            .run(["-v", "error", "-nostdin", "-y", "-i", input] + codec + [output], log: directory)
    }
}
