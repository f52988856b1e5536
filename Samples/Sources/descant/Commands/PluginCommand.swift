internal import ArgumentParser
internal import Descant
internal import Foundation
internal import PlayerIntegration

/// `descant plugin`.
struct PluginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugin", abstract: "Tools for plugin authors.", subcommands: [Bundle.self])

    /// `descant plugin bundle`.
    struct Bundle: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "bundle",
            abstract: "Writes a bundle from a built library.",
            discussion: """
                The library is checked as a host checks it, its manifest is read from inside it, and both are written to \
                NAME.descantplugin with the digest.
                """)

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("Where the bundle goes; made if it is not there.", valueName: "folder"))
        var output: String

        @Option(help: ArgumentHelp("The bundle's name. (default: the library's)", valueName: "name"))
        var name: String?

        @Option(
            name: .customLong("file"), parsing: .singleValue,
            help: ArgumentHelp("A further file to copy beside the library; repeatable.", valueName: "file"))
        var files: [String] = []

        @Flag(help: "Print one JSON object.")
        var json = false

        @Argument(
            help: ArgumentHelp("The built library, for instance .build/release/libTone.so.", valueName: "library"))
        var library: String

        func run() async throws {
            let library = InputExpander.url(for: library)
            guard FileManager.default.fileExists(atPath: library.path) else {
                throw CommandFailure(.noInput, "\(library.path): no such file")
            }
            do {
                let writer = PluginBundleWriter(folder: InputExpander.url(for: output))
                let bundle = try writer.write(library: library, files: files.map(InputExpander.url(for:)), name: name)
                if json { try Console.json(["bundle": bundle.path]) } else { print(bundle.path) }
            } catch {
                throw CommandFailure(error)
            }
        }
    }
}
