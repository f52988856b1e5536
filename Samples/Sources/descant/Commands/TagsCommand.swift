internal import ArgumentParser
internal import Descant
internal import Foundation
internal import PlayerIntegration
internal import TerminalUI

/// `descant tags`.
struct TagsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tags",
        abstract: "Shows and writes the tags of files.",
        discussion: """
            Writing changes what --set, --unset and --artwork name and nothing else: other fields and every byte of the sound stay, and \
            a file is the old or the new one whatever happens on the way. A file that cannot be written is named, and the others are \
            written.

              descant tags song.flac --set title="Rain" --set artist=Ann --set artist=Ben --set track=3/12
              descant tags song.mp3 --unset comment --unset disctotal --unset artwork
              descant tags song.mp3 --extract-artwork cover.jpg
              descant tags --recursive ~/Music --json

            Fields: \(TagAssignment.names.joined(separator: ", ")); lyrics:eng=… sets the words of a \
            language and leaves those of others, lyrics=… replaces all. Give lists (artist, genre, …) once for each value. --unset takes these names, artwork (the front cover) and pictures (all).

            Files in a folder are shown in the order of their names. Those of decoder plugins for which there is no tag reader are counted \
            and passed over.

            With --json, one file gives one object, several files and folders one object per line.

            Exit status: 0, 2 for wrong usage, 66 when no file can be read, 74 when standard output cannot be written, 1 when some \
            files cannot be read or written.
            """)

    @Option(help: ArgumentHelp("Write a field.", valueName: "name=value"))
    var set: [String] = []

    @Option(help: ArgumentHelp("Remove a field.", valueName: "name"))
    var unset: [String] = []

    @Option(help: ArgumentHelp("Write a picture as the front cover.", valueName: "file"), completion: .file())
    var artwork: String?

    @Option(help: ArgumentHelp("Write the front cover to a file.", valueName: "file"), completion: .file())
    var extractArtwork: String?

    @Option(
        help: ArgumentHelp("Read every audio file in a folder and the folders inside it.", valueName: "folder"),
        completion: .directory)
    var recursive: String?

    @Flag(help: "Print JSON.")
    var json = false

    @Argument(help: ArgumentHelp("Files.", valueName: "file"), completion: .file())
    var files: [String] = []

    private var isWriting: Bool { !set.isEmpty || !unset.isEmpty || artwork != nil }

    func validate() throws {
        guard recursive != nil || !files.isEmpty else {
            throw ValidationError("name a file, or a folder with --recursive")
        }
        try refuseEmpty(files + [recursive].compactMap { $0 })
        if let artwork, let extractArtwork {
            let paths = [artwork, extractArtwork].map { URL(fileURLWithPath: $0).resolvingSymlinksInPath() }
            guard paths[0] != paths[1] else {
                throw ValidationError("--artwork and --extract-artwork name the same file; name two")
            }
        }
        guard recursive == nil || (!isWriting && extractArtwork == nil) else {
            throw ValidationError("--recursive reads only; name the files to write")
        }
        guard recursive == nil || files.isEmpty else { throw ValidationError("name files or --recursive, not both") }
        guard extractArtwork == nil || files.count == 1 else {
            throw ValidationError("--extract-artwork takes one file")
        }
        if let extractArtwork {
            let picture = InputExpander.url(for: extractArtwork).resolvingSymlinksInPath()
            let isInput = files.contains { InputExpander.url(for: $0).resolvingSymlinksInPath() == picture }
            let sounds = AudioEnvironment.shared.makeTagReaderService().fileExtensions
            guard !isInput, !sounds.contains(picture.pathExtension.lowercased()) else {
                throw ValidationError("--extract-artwork \(extractArtwork): this is a sound file; name a picture")
            }
        }
        do {
            for argument in set { _ = try TagAssignment(argument) }
            for name in unset { _ = try TagAssignment.field(named: name) }
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func run() async throws {
        do {
            let service = AudioEnvironment.shared.makeTagReaderService()
            if let recursive {
                let folder = InputExpander.url(for: recursive)
                try await show(service.readMetadata(in: folder), isSeveral: true)
            } else {
                var urls = files.map(InputExpander.url)
                // The picture that the file has, before another one takes its place.
                if let extractArtwork { try extract(urls[0], to: extractArtwork, service) }
                if isWriting { urls = try write(to: urls) }
                guard extractArtwork == nil || json else { return }
                // The files are written one after the other, in the order of the arguments.
                try await show(urls.map { url in (url, Result { try service.readMetadata(for: url) }) })
                if urls.count < files.count { throw ExitCode(ExitStatus.failure.rawValue) }
            }
        } catch let status as ExitCode {
            throw status
        } catch let error where isUnreadable(error) {
            throw CommandFailure(.noInput, "\(error)")
        } catch {
            throw CommandFailure(error)
        }
    }

    // MARK: Writing

    /// Writes to each file, and names those that cannot be written.
    ///
    /// - Returns: The files that were written; at least one.
    private func write(to urls: [URL]) throws -> [URL] {
        var change = TagChange(remove: Set(try unset.map(TagAssignment.field(named:))))
        let assignments = try set.map { try TagAssignment($0) }
        for assignment in assignments { try assignment.apply(to: &change.set) }
        let keepsLanguages =
            assignments.contains(where: \.isOfOneLanguage) && !assignments.contains(where: \.isOfAllLanguages)
            && !change.remove.contains(.lyrics)
        if let artwork {
            do {
                change.set.artworkData = try Data(contentsOf: InputExpander.url(for: artwork))
            } catch {
                throw CommandFailure(.noInput, "\(artwork): the picture cannot be read: \(error.localizedDescription)")
            }
        }
        let reader = AudioEnvironment.shared.makeTagReaderService()
        let writer = AudioEnvironment.shared.makeTagWriter()
        var failures: [any Error] = []
        var written: [URL] = []
        // A signal lets the present file be finished: some disks would keep an unfinished copy beside it.
        let interruption = SignalCancellation {}
        defer { interruption.end() }
        for (index, url) in urls.enumerated() {
            do {
                var ownChange = change
                if keepsLanguages, let old = try reader.readMetadata(for: url).tags.lyrics {
                    ownChange.set.lyrics = TagAssignment.merge(change.set.lyrics ?? [], into: old)
                }
                try writer.write(url: url, change: ownChange)
                written.append(url)
            } catch {
                _ = report(url, error)
                failures.append(error)
            }
            if let signal = interruption.received {
                let rest = urls.count - index - 1
                if rest > 0 { Console.error("interrupted: \(rest) \(rest == 1 ? "file is" : "files are") as before") }
                throw ExitCode(128 + signal)
            }
        }
        guard written.isEmpty else { return written }
        throw ExitCode((failures.allSatisfy(isUnreadable) ? ExitStatus.noInput : .failure).rawValue)
    }

    /// Whether an error says that a file cannot be read.
    private func isUnreadable(_ error: any Error) -> Bool {
        (error as? CoreError).map { ["notFound", "unsupported", "decodeError"].contains($0.code) } ?? false
    }

    private func extract(_ url: URL, to path: String, _ service: any TagReaderService) throws {
        guard let data = try service.readMetadata(for: url).tags.artworkData else {
            throw CommandFailure(.failure, "\(url.path): there is no picture in this file")
        }
        do {
            let target = URL(fileURLWithPath: path)
            var status = stat()
            if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
                // Such as the standard output.
                try data.write(to: target)
            } else {
                let pending = try PendingFile(target)
                defer { pending.discard() }
                try data.write(to: pending.partial)
                try pending.keep()
            }
        } catch let error as InputError {
            throw CommandFailure(.failure, error.description)
        } catch {
            throw CommandFailure(.failure, "\(path): the picture cannot be written: \(error.localizedDescription)")
        }
        Console.write("wrote \(path), \(data.count) bytes")
    }

    // MARK: Showing

    private func show(_ results: [(URL, Result<Track, any Error>)]) async throws {
        var failures = 0
        for (url, result) in results {
            switch result {
            case .success(let track): try print(track, isSeveral: files.count > 1)
            case .failure(let error): failures += report(url, error)
            }
        }
        try judge(failures, of: results.count)
    }

    private func show(_ reading: TagReading, isSeveral: Bool) async throws {
        let progress = ProgressLine(isAmongResults: true)
        defer { progress.clear() }
        let readable = Self.readableExtensions
        var (failures, count, untagged) = (0, 0, 0)
        for await result in reading {
            count += 1
            switch result.outcome {
            case .success(let track): try print(track, isSeveral: isSeveral)
            case .failure(.unsupported) where !readable.contains(result.url.pathExtension.lowercased()):
                untagged += 1
            case .failure(let error):
                progress.clear()
                failures += report(result.url, error)
            }
            progress.show { _ in Self.text(result.progress) }
        }
        progress.clear()
        if untagged > 0 {
            Console.error("\(untagged) \(untagged == 1 ? "file" : "files") of formats without a tag reader passed over")
        }
        try judge(failures, of: count)
    }

    /// How far reading a folder has come: "read 200 of 1000 files (20 %)".
    private static func text(_ progress: TagReadingProgress) -> String {
        let share = progress.fraction.map { " (\(Int($0 * 100)) %)" } ?? ""
        return "read \(progress.filesRead) of \(progress.filesFound) files\(share)"
    }

    /// The extensions that tag readers declare. Folders are searched for those of decoders, too.
    private static var readableExtensions: Set<String> {
        let readers = AudioEnvironment.shared.plugins.providers(of: .tagReader)
        return Set(readers.flatMap(\.provision.fileTypes).flatMap(\.extensions).map { $0.lowercased() })
    }

    private func print(_ track: Track, isSeveral: Bool) throws {
        let report = TagReport(track)
        if json { return try isSeveral ? Console.jsonLine(report) : Console.json(report) }
        try Console.line(DisplayWidth.printable(track.url.isFileURL ? track.url.path : track.url.absoluteString))
        for (name, value) in report.lines {
            try Console.line("  " + DisplayWidth.fit(name, to: 11) + DisplayWidth.printable(value))
        }
    }

    /// Reports a failure and counts it.
    private func report(_ url: URL, _ error: any Error) -> Int {
        Console.error((error as? CoreError)?.description ?? "\(url.path): \(error)")
        return 1
    }

    private func judge(_ failures: Int, of count: Int) throws {
        guard failures > 0 else { return }
        throw ExitCode(failures == count ? ExitStatus.noInput.rawValue : ExitStatus.failure.rawValue)
    }
}
