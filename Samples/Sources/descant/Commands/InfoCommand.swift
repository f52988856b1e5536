internal import ArgumentParser
internal import Descant
internal import Foundation
internal import PlayerIntegration
internal import TerminalUI

/// `descant info`.
struct InfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Tells what a file holds, which decoder serves it and why.",
        discussion: """
            Exit status: 0, 2 for wrong usage, 66 when the file cannot be opened, 74 when standard output cannot be written, \
            1 otherwise.
            """)

    @Flag(help: "Print one JSON object.")
    var json = false

    @Argument(help: ArgumentHelp("A file or URL.", valueName: "file"), completion: .file())
    var file: String

    func validate() throws { try refuseEmpty([file]) }

    func run() async throws {
        let url = InputExpander.url(for: file)
        let inspector: StreamInspector
        do {
            inspector = try StreamInspector(environment: .shared)
        } catch {
            throw CommandFailure(error)
        }
        let report: StreamReport
        do {
            let info = try await inspector.inspect(url)
            // The source may have no tags, or may not be a file.
            let file = try? AudioEnvironment.shared.makeTagReaderService().readMetadata(for: url)
            report = StreamReport(info, url: url, file: file)
        } catch let error as CoreError {
            await inspector.close()
            throw CommandFailure(.noInput, error.description)
        }
        await inspector.close()
        if json { try Console.json(report) } else { try show(report) }
    }

    private func show(_ report: StreamReport) throws {
        let depth = report.bitDepth.map { ", \($0) bit" } ?? ""
        let played: [(String, String?)] = [
            ("title", report.title), ("artist", report.artist), ("album", report.album), ("genre", report.genre),
            ("year", report.year.map(String.init)), ("track", report.trackNumber.map(String.init)),
            ("picture", report.artworkBytes.map { "\($0) bytes" }),
        ]
        // The file's own tags are more complete than those of the engine.
        let tagged = (report.tags?.lines ?? []).map { ($0.name, Optional($0.value)) }
        let names = Set(tagged.map(\.0))
        let lines: [(String, String?)] =
            played.filter { !names.contains($0.0) } + tagged + [
                ("codec", report.codec.isEmpty ? "unknown" : report.codec),
                ("format", "\(report.sampleRate) Hz, \(report.channels) channels\(depth)"),
                ("length", length(of: report)), ("decoder", report.decoder), ("because", report.decoderReason),
            ]
        try Console.line(DisplayWidth.printable(file))
        for (name, value) in lines {
            guard let value else { continue }
            try Console.line("  " + DisplayWidth.fit(name, to: 11) + DisplayWidth.printable(value))
        }
    }

    private func length(of report: StreamReport) -> String {
        guard let seconds = report.seconds else { return "unknown" }
        let frames = report.frames.map { ", \($0) frames" } ?? ""
        return "\(Timecode.text(seconds)) (\(String(format: "%.3f", seconds)) s\(frames))"
    }
}
