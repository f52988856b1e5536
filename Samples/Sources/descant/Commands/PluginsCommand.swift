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

    @OptionGroup var listing: PluginListing

    func run() async throws { try listing.run() }
}

/// The list of bundles, for `descant plugins` and `descant plugin list`.
struct PluginListing: ParsableArguments {
    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(inversion: .prefixedNo, help: "Check every bundle's files now instead of when it is first needed.")
    var verify = true

    func run() throws {
        let registry = AudioEnvironment.shared.plugins
        if verify { registry.verify() }
        let report = PluginReport(registry)
        if json { try Console.json(report) } else { try show(report) }
    }

    private func show(_ report: PluginReport) throws {
        if report.available.isEmpty { try Console.line("no plugins can be used") }
        for plugin in report.available {
            try Console.line(DisplayWidth.printable("\(plugin.identifier) \(plugin.version)  \(plugin.name)"))
            let provides = plugin.provisions.map { provision in
                let name = "\(provision.kind.rawValue) \(provision.identifier)"
                return provision.kind.stage == .draft ? "\(name) (draft)" : name
            }
            try Console.line("    provides \(DisplayWidth.printable(provides.joined(separator: ", ")))")
            try Console.line("    licence \(DisplayWidth.printable(plugin.license))")
            try Console.line("    \(DisplayWidth.printable(plugin.path))")
        }
        if !report.forbiddenLicenses.isEmpty {
            let licenses = report.forbiddenLicenses.joined(separator: ", ")
            try Console.line("\nforbidden licences: \(DisplayWidth.printable(licenses))")
        }
        guard !report.unavailable.isEmpty else { return }
        try Console.line("\ncannot be used:")
        for plugin in report.unavailable {
            try Console.line(DisplayWidth.printable(plugin.identifier ?? plugin.path))
            try Console.line("    \(DisplayWidth.printable(plugin.reason))")
        }
    }
}
