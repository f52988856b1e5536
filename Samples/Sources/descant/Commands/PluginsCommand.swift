internal import ArgumentParser
internal import Descant
internal import Foundation
internal import PlayerIntegration
internal import TerminalUI

/// `descant plugins`.
struct PluginsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins",
        abstract: "Lists the plugins that can be used, and those that cannot with the reason.",
        discussion: """
            Bundles are looked for in the folders of DESCANT_PLUGIN_PATH, beside the program, in ../lib/descant/plugins \
            from there and in descant/plugins of the data folders; the first one with an identifier wins.

            DESCANT_FORBIDDEN_LICENSES names licences that no bundle may be under, such as GPL*,AGPL*: they are refused \
            before any of their code runs.
            """)

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(inversion: .prefixedNo, help: "Check every bundle's files now instead of when it is first needed.")
    var verify = true

    func run() async throws {
        let registry = AudioEnvironment.shared.plugins
        if verify { registry.verify() }
        let report = PluginReport(registry)
        if json { try Console.json(report) } else { show(report) }
    }

    private func show(_ report: PluginReport) {
        if report.available.isEmpty { print("no plugins can be used") }
        for plugin in report.available {
            print("\(plugin.identifier) \(plugin.version)  \(plugin.name)")
            print("    provides \(plugin.provides.joined(separator: ", "))")
            print("    licence \(DisplayWidth.printable(plugin.license))")
            print("    \(plugin.path)")
        }
        if !report.forbiddenLicenses.isEmpty {
            print("\nforbidden licences: \(DisplayWidth.printable(report.forbiddenLicenses.joined(separator: ", ")))")
        }
        guard !report.unavailable.isEmpty else { return }
        print("\ncannot be used:")
        for plugin in report.unavailable {
            print("\(plugin.identifier ?? plugin.path)")
            print("    \(plugin.reason)")
        }
    }
}

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
