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
    ///   - url: Where to write; what is there is replaced.
    /// - Returns: `url`.
    /// - Throws: `CoreError.unsupported` naming a missing tool and the package to install, `CoreError.ioError` with
    ///   what the tool said when it failed.
    @discardableResult
    public func encode(_ content: SampleBuffer, as format: FixtureFormat, to url: URL) throws -> URL {
        if case .wav(let encoding) = format {
            try WAVFile(content, encoding: encoding).write(to: url)
            return url
        }
        let directory = try TemporaryDirectory(label: "descant-encode")
        let input = directory.file("input.wav")
        var encoding = WAVFile.Encoding.int24
        if case .flac(let bits) = format { encoding = bits == 16 ? .int16 : .int24 }
        if case .mp3 = format { encoding = .int16 }
        try WAVFile(content, encoding: encoding).write(to: input)
        try run(format, input: input.path, output: url.path, directory: directory)
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
    /// - Throws: As ``encode(_:as:to:)``.
    public func make(
        _ signal: TestSignal, as format: FixtureFormat, named name: String, in directory: TemporaryDirectory
    ) throws -> URL {
        try encode(signal.samples(), as: format, to: directory.file("\(name).\(format.fileExtension)"))
    }

    private func run(_ format: FixtureFormat, input: String, output: String, directory: TemporaryDirectory) throws {
        switch format {
        case .wav: break
        case .flac:
            try ExternalTool(name: "flac", package: "flac")
                .run(["--totally-silent", "--force", "--output-name=\(output)", input], log: directory)
        case .mp3(let rate):
            try ExternalTool(name: "lame", package: "lame")
                .run(["--quiet", "--cbr", "-b", "\(rate)", input, output], log: directory)
        case .vorbis(let quality):
            try ExternalTool(name: "oggenc", package: "vorbis-tools")
                .run(["--quiet", "-q", "\(quality)", "-o", output, input], log: directory)
        case .opus(let rate):
            try ExternalTool(name: "opusenc", package: "opus-tools")
                .run(["--quiet", "--bitrate", "\(rate)", input, output], log: directory)
        }
    }
}
