internal import ArgumentParser
internal import Descant
internal import Foundation
internal import PlayerApp
internal import PlayerIntegration
internal import TerminalUI

/// `descant render`.
struct RenderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render",
        abstract: "Plays into a file, as fast as the machine can.",
        discussion: """
            The inputs follow each other without a gap, or with crossfades. The render ends with the last of them, or \
            where it is paused for good; an overlay that still sounds fades out with it. Commands are given at the very \
            frame; one that the player refuses is reported. Without --sample-rate the output has the first track's rate, or \
            a multiple of one below 8000 Hz; it is mono when every input is mono.

            Inputs that cannot be opened are reported and left out. Exit status: 0 when something was rendered, 2 for \
            wrong usage, 66 when no input can be opened, 74 when standard output cannot be written, 1 otherwise.
            """)

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The file to write: .wav, or .flac for 16 or 24 bits.", valueName: "file"),
        completion: .file())
    var output: String

    @OptionGroup var playing: PlayingOptions

    @Option(help: ArgumentHelp("The output's sample rate. (default: the first track's)", valueName: "hz"))
    var sampleRate: Int?

    @Option(help: ArgumentHelp("The output's channels. (default: 1 if every input is mono, else 2)", valueName: "n"))
    var channels: Int?

    @Option(help: ArgumentHelp("How samples are written. (default: f32, for FLAC s24)", valueName: "format"))
    var format: SampleEncoding?

    @Flag(
        inversion: .prefixedNo,
        help: "Add noise of one step where samples are rounded to 16 or 24 bits; those that need no rounding stay.")
    var dither = true

    @Option(
        name: .customLong("seek"), parsing: .singleValue,
        help: ArgumentHelp(
            "At a time of the output, move the present track to a position; repeatable.", valueName: "at=to"))
    var seeks: [TimePair] = []

    @Option(
        name: .customLong("pause"), parsing: .singleValue,
        help: ArgumentHelp("At a time of the output, pause for a while; repeatable.", valueName: "at=seconds"))
    var pauses: [TimePair] = []

    @Flag(help: "Print one JSON object about the result.")
    var json = false

    @Argument(
        help: ArgumentHelp("Files, folders and playlists (M3U, PLS, XSPF, CUE).", valueName: "input"),
        completion: .file())
    var inputs: [String]

    func validate() throws {
        guard sampleRate.map({ (8000...768_000).contains($0) }) ?? true else {
            throw ValidationError("--sample-rate: use 8000 to 768000")
        }
        guard channels.map({ (1...8).contains($0) }) ?? true else { throw ValidationError("--channels: use 1 to 8") }
        guard case .file? = OutputChoice(argument: output) else {
            throw ValidationError("--output \(output): use a name that ends in .wav or .flac")
        }
        try refuseEmpty(inputs)
        guard !isFLAC || format != .f32 else {
            throw ValidationError("--format f32: FLAC holds 16 or 24 bits; use s16 or s24, or a name that ends in .wav")
        }
        if isFLAC, sampleRate.map({ $0 > 655_350 }) ?? false {
            throw ValidationError("--sample-rate: FLAC holds up to 655350 Hz")
        }
    }

    func run() async throws {
        do {
            var leftOut: [InputError] = []
            let request = try await makeRequest {
                leftOut.append($0)
                Console.error($0.description)
            }
            do {
                try show(try await request.renderShowingProgress(in: .shared), leftOut)
            } catch RenderFailure.noInput(let report) {
                try show(report, leftOut)
                throw ExitCode(ExitStatus.noInput.rawValue)
            }
        } catch let status as ExitCode {
            throw status
        } catch {
            throw CommandFailure(error)
        }
    }

    private var isFLAC: Bool { output.lowercased().hasSuffix(".flac") }

    private func makeRequest(leaveOut: @escaping (InputError) -> Void) async throws -> RenderRequest {
        let entries = try await InputExpander.entries(for: inputs, in: .shared, leaveOut: leaveOut)
        var options = playing.options(overlay: .init(volume: 1, passes: 1, fade: 0))
        options.inserts = try playing.effects(from: AudioEnvironment.shared.plugins)
        options.steps += seeks.map { TimelineStep(at: $0.at, .seek($0.value)) }
        options.steps += pauses.flatMap {
            [TimelineStep(at: $0.at, .pause), TimelineStep(at: $0.at + $0.value, .resume)]
        }
        var request = RenderRequest(
            inputs: entries.map(\.url), output: InputExpander.url(for: output), options: options)
        request.encoding = format ?? .f32
        request.isDithered = dither
        request.writesFLAC = isFLAC
        request.sampleRate = sampleRate
        request.channels = channels
        return request
    }

    /// - Parameter leftOut: The inputs without tracks, which were named on standard error.
    private func show(_ report: RenderReport, _ leftOut: [InputError]) throws {
        for failure in report.errors { Console.error(failure.message) }
        if json {
            var report = report
            report.errors.insert(contentsOf: leftOut.map(RenderReport.Failure.init(leftOut:)), at: 0)
            return try Console.json(report)
        }
        guard report.frames > 0 else { return }
        try Console.line(
            "\(report.output): \(Timecode.text(report.seconds)), \(report.sampleRate) Hz, \(report.channels) channels")
        for track in report.tracks {
            let name = URL(string: track.url).map(\.lastPathComponent) ?? track.url
            try Console.line(
                "  \(Timecode.text(Double(track.startFrame) / Double(report.sampleRate)))  \(DisplayWidth.printable(name))"
            )
        }
        let peak = report.peak.map { String(format: "peak %.1f dBFS, ", 20 * log10($0)) } ?? ""
        let loudness = report.loudnessLUFS.map { String(format: "loudness %.1f LUFS, ", $0) } ?? ""
        try Console.line(
            "  \(peak)\(loudness)" + String(format: "%.0f × real time", report.seconds / max(0.001, report.wallSeconds))
        )
    }
}
