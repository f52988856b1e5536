internal import ArgumentParser
internal import Foundation
internal import MediaLibrary

/// The media library of the sample players.
struct LibraryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "descant library",
        abstract: "Keeps a library of music: folders, tags and play counts.",
        discussion: """
            Begin with:
              descant library add ~/Music           read a folder; again with scan
              descant library search miles blue     find tracks by the beginnings of words
              descant library list albums           see what there is
              descant play ~/Music                  b shows the library in the player

            The library is $XDG_DATA_HOME/descant/library.sqlite (~/.local/share/descant/library.sqlite), unless --library names \
            another file. Sound files are never changed.

            Exit status: 0 when it worked, 2 for wrong usage, 66 when a folder cannot be read or nothing is found, 74 when \
            standard output cannot be written, 1 for anything else.
            """,
        version: programVersion,
        subcommands: [
            AddCommand.self, RemoveCommand.self, ScanCommand.self, SearchCommand.self, ListCommand.self,
            StatsCommand.self, ServeCommand.self,
        ])
}

/// The options of every command.
struct LibraryOptions: ParsableArguments {
    @Option(
        name: .customLong("library"), help: ArgumentHelp("The library's file.", valueName: "file"), completion: .file())
    var file: String?

    /// Opens the library and reports a damaged one that was set aside.
    ///
    /// - Parameter isNew: Whether the file that was named need not exist yet.
    func open(isNew: Bool = false) throws -> MediaLibrary {
        if let file {
            let url = URL(filePath: file)
            guard isNew || FileManager.default.fileExists(atPath: url.path) else {
                throw CommandFailure(
                    status: CommandFailure.noInput, "there is no library \(file); descant library add begins one")
            }
            guard !MediaLibrary.isForeign(url) else {
                throw CommandFailure(
                    status: CommandFailure.noInput,
                    "\(file) is no library of Descant and stays as it is; name another file")
            }
        }
        let environment = ProcessInfo.processInfo.environment
        let library = try MediaLibrary(
            at: file.map { URL(filePath: $0) } ?? MediaLibrary.standardFile(environment: environment))
        if let notice = library.openingNotice { Console.write(DisplayWidth.printable("descant library: \(notice)")) }
        return library
    }
}

/// Ends a command with a message and an exit status.
struct CommandFailure: Error {
    let status: Int32
    let message: String

    /// EX_NOINPUT of sysexits.h.
    static let noInput: Int32 = 66

    init(status: Int32 = 1, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Creates the message for an error.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as LibraryError:
            switch error {
            case .folder, .misplaced: self.init(status: Self.noInput, error.description)
            default: self.init(error.description)
            }
        case is CancellationError: self.init("interrupted; the next scan goes on where this one was")
        default: self.init("\(error)")
        }
    }
}
