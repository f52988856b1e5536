internal import ArgumentParser
internal import Descant
internal import Foundation
internal import MediaLibrary

/// `descant library add`.
struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Adds folders and reads them.",
        discussion: "A folder that cannot be added is named, and the others are read.")

    @OptionGroup var options: LibraryOptions

    @Flag(help: "Print a report as JSON.")
    var json = false

    @Argument(help: ArgumentHelp("Folders.", valueName: "folder"), completion: .directory)
    var folders: [String]

    func validate() throws { try refuseEmpty(folders) }

    func run() async throws {
        let library = try options.open(isNew: true)
        let added = try await forEach(folders) { try await library.add($0) }
        if !added.isEmpty { try await ScanRun(library, json: json).run(added) }
        if added.count < folders.count { throw ExitCode(CommandFailure.noInput) }
    }
}

/// `descant library remove`.
struct RemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Takes folders out of the library; the files stay.",
        discussion: "A folder that is not one of the library is named, and the others are taken out.")

    @OptionGroup var options: LibraryOptions

    @Argument(help: ArgumentHelp("Folders of the library.", valueName: "folder"), completion: .directory)
    var folders: [String]

    func validate() throws { try refuseEmpty(folders) }

    func run() async throws {
        let library = try options.open()
        let removed = try await forEach(folders) { try await library.remove($0) }
        if removed.count < folders.count { throw ExitCode(CommandFailure.noInput) }
    }
}

/// Does something to each folder. A folder that it cannot be done to is named, and the others follow.
///
/// - Returns: The folders that it was done to.
private func forEach(_ folders: [String], _ work: (URL) async throws -> Void) async throws -> [URL] {
    var done: [URL] = []
    for url in folders.map({ URL(filePath: $0) }) {
        do {
            try await work(url)
            done.append(url)
        } catch let error as LibraryError where CommandFailure(error).status == CommandFailure.noInput {
            Console.write(DisplayWidth.printable("descant library: \(error)"))
        }
    }
    return done
}

/// `descant library scan`.
struct ScanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Reads new and changed files and forgets those that are gone.",
        discussion:
            """
            Ctrl-C interrupts a scan; the next one goes on there, because files that it has read are not read again. The program dies of \
            the signal then, so that a shell's loop ends, too.

            A folder that is gone or empty, such as the mount point of a disk that is not there, keeps its tracks.
            """)

    @OptionGroup var options: LibraryOptions

    @Flag(help: "Go on with whatever changes in the folders, also in those that are added meanwhile, until Ctrl-C.")
    var watch = false

    @Flag(help: "Print reports as JSON, one a line.")
    var json = false

    @Argument(
        help: ArgumentHelp("Folders of the library, or folders and files below. (default: all)", valueName: "folder"),
        completion: .directory)
    var folders: [String] = []

    func validate() throws {
        try refuseEmpty(folders)
        guard !watch || folders.isEmpty else { throw ValidationError("--watch follows all folders; name none") }
    }

    func run() async throws {
        let run = ScanRun(try options.open(), json: json)
        if watch {
            try await run.watch()
        } else {
            try await run.run(folders.isEmpty ? nil : folders.map { URL(filePath: $0) })
        }
    }
}

/// A scan with its progress and its report.
struct ScanRun {
    private let library: MediaLibrary
    private let json: Bool
    private let reader = AudioEnvironment.shared.makeTagReaderService()

    init(_ library: MediaLibrary, json: Bool) {
        self.library = library
        self.json = json
    }

    /// Scans once; Ctrl-C interrupts.
    ///
    /// - Parameter places: The folders; `nil` for all.
    func run(_ places: [URL]?) async throws {
        if places == nil { try await requireFolders() }
        let report = try await interruptible {
            let progress = ScanProgressLine()
            defer { progress.finish() }
            return try await library.scan(places, with: reader) { progress.show($0) }
        }
        try show(report)
        if !report.problems.isEmpty { throw ExitCode(CommandFailure.noInput) }
    }

    /// Scans whatever changes; Ctrl-C ends.
    func watch() async throws {
        try await requireFolders()
        do {
            try await interruptible {
                for try await report in library.updates(with: reader) { try show(report) }
            }
        } catch is CancellationError {
            // The usual end.
        }
    }

    private func requireFolders() async throws {
        guard try await library.folders().isEmpty else { return }
        throw CommandFailure(
            status: CommandFailure.noInput, "the library has no folders; add one: descant library add FOLDER")
    }

    /// Ends work with the first Ctrl-C, the program with the second.
    private func interruptible<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await work() }
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler {
                Interruption.note(number)
                task.cancel()
                signal(number, SIG_DFL)
            }
            source.activate()
            return source
        }
        defer { for source in sources { source.cancel() } }
        let value = try await task.value
        if task.isCancelled { throw CancellationError() }
        return value
    }

    private func show(_ report: LibraryScanReport) throws {
        for problem in report.problems {
            Console.write(DisplayWidth.printable("descant library: \(problem.path): \(problem.reason)"))
        }
        if json { return try Console.json(report) }
        let parts = [
            ("new", report.added), ("changed", report.updated), ("moved", report.moved), ("gone", report.removed),
            ("unchanged", report.unchanged), ("without readable tags", report.failed),
        ].filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        Console.show(parts.isEmpty ? "no sound files" : parts.joined(separator: ", "))
    }
}

/// Shows on standard error how far a scan has come, when that is a terminal.
private final class ScanProgressLine: Sendable {
    private let isShown = isatty(STDERR_FILENO) == 1

    func show(_ progress: LibraryScanProgress) {
        guard isShown, progress.phase != .finished else { return }
        guard progress.phase == .reading else { return Console.note("\r\(progress.total) files…\u{1b}[K") }
        let share = progress.total > 0 ? progress.done * 100 / progress.total : 100
        Console.note("\r\(progress.done) of \(progress.total) files (\(share) %)\u{1b}[K")
    }

    func finish() { if isShown { Console.note("\r\u{1b}[K") } }
}

/// Refuses empty words, which a shell makes of a variable that is not set, and which would mean the current folder.
func refuseEmpty(_ words: [String]) throws {
    guard !words.contains("") else { throw ValidationError("a name is empty; write . for the current folder") }
}
