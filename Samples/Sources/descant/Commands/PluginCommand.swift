public import ArgumentParser
internal import Descant
internal import Foundation
public import PlayerIntegration
internal import TerminalUI

extension PluginTemplate: ExpressibleByArgument {}

/// `descant plugin`.
struct PluginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugin", abstract: "Tools for plugin authors.",
        discussion: """
            From nothing to a plugin that every host of this user finds:
              descant plugin new Beep --kind decoder
              cd Beep
              swift test
              descant plugin build --install
            """,
        subcommands: [New.self, Build.self, Check.self, List.self, Bundle.self, Keygen.self, Sign.self])

    /// `descant plugin list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the bundles that hosts find, as `descant plugins` does.")

        @OptionGroup var listing: PluginListing

        func run() async throws { try listing.run() }
    }

    /// `descant plugin new`.
    struct New: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "new",
            abstract: "Writes a package that builds, tests and loads as it is.",
            discussion: """
                Package.swift, one source file and one test file, in a new folder NAME. A package for an installed tree is compiled against \
                its modules, in seconds; one for a checkout compiles the library, too.
                """)

        @Option(help: "What the plugin provides: \(PluginTemplate.allCases.map(\.rawValue).joined(separator: ", ")).")
        var kind: PluginTemplate

        @Option(
            help: ArgumentHelp(
                "The prefix of an installed tree, or a checkout of the repository. (default: what this program belongs to)",
                valueName: "folder"), completion: .directory)
        var descant: String?

        @Flag(help: "Print one JSON object.")
        var json = false

        @Argument(
            help: ArgumentHelp("The plugin's name: a capital letter, then letters and digits.", valueName: "name"))
        var name: String

        func validate() throws {
            if let objection = PluginTemplate.objection(to: name) { throw ValidationError(objection) }
        }

        func run() async throws {
            do {
                let tree = try descant.map { try DescantTree(InputExpander.url(for: $0)) } ?? DescantTree.ofProgram()
                let files = try kind.write(name: name, to: InputExpander.url(for: name), against: tree)
                if json { return try Console.json(["files": files.map(\.path)]) }
                for file in files { try Console.line(file.path) }
            } catch {
                throw CommandFailure(error)
            }
        }
    }

    /// `descant plugin build`.
    struct Build: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "build", abstract: "Builds a package and writes its bundles into the package's folder.")

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("Where the bundles go. (default: the package's folder)", valueName: "folder"),
            completion: .directory)
        var output: String?

        @Flag(help: "Write into descant/plugins of the user's data folder, where every host looks.")
        var install = false

        @Flag(help: "Build without optimisation.")
        var debug = false

        @Flag(help: "Print one JSON object.")
        var json = false

        @Argument(help: ArgumentHelp("The package's folder.", valueName: "package"), completion: .directory)
        var package = "."

        func validate() throws {
            if install, output != nil { throw ValidationError("--install and --output exclude each other") }
        }

        func run() async throws {
            do {
                let package = try PluginPackage(folder: InputExpander.url(for: package))
                let folder =
                    install ? PluginPackage.userFolder() : output.map(InputExpander.url(for:)) ?? package.folder
                let bundles = try package.build(into: folder, configuration: debug ? "debug" : "release")
                if json { return try Console.json(["bundles": bundles.map(\.path)]) }
                for bundle in bundles { try Console.line(bundle.path) }
            } catch {
                throw CommandFailure(error)
            }
        }
    }

    /// `descant plugin check`.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Judges a bundle as a host and the contract suites do.",
            discussion: """
                The plugin's code runs in this process. Exit status 1 when a host refuses the bundle or a rule is broken; what was not \
                checked, and what it needs, is listed and no failure.
                """)

        @Option(
            name: .customLong("fixture"), parsing: .singleValue,
            help: ArgumentHelp(
                "A file that a decoder, tag reader or tag writer supports, or content of an engine; repeatable.",
                valueName: "file"), completion: .file())
        var fixtures: [String] = []

        @Option(
            help: ArgumentHelp("The sound of a decoder's first fixture, as a WAVE file.", valueName: "file"),
            completion: .file())
        var sound: String?

        @Option(help: ArgumentHelp("How far a decoded sample may be off, linear.", valueName: "value"))
        var tolerance = 0.0

        @Flag(help: "The format is lossy: the sound is noise whose position is found by correlation.")
        var lossy = false

        @Flag(help: "A file that was cut off is a valid, shorter file.")
        var cutIsValid = false

        @Option(
            help: ArgumentHelp("At least five words that a synthesizer's default voice speaks.", valueName: "words"))
        var words = ""

        @Option(
            help: ArgumentHelp(
                "The time limit of a suite, in seconds; of engines and voices that of each call.", valueName: "seconds")
        )
        var limit = 120.0

        @Option(
            name: .customLong("trust"), parsing: .singleValue,
            help: ArgumentHelp(
                "A public key: refuse the bundle unless its owner has signed it; repeatable.", valueName: "file"),
            completion: .file())
        var keys: [String] = []

        @Flag(help: "Print one JSON object.")
        var json = false

        @Argument(
            help: ArgumentHelp("The bundle, for instance Beep/Beep.descantplugin.", valueName: "bundle"),
            completion: .directory)
        var bundle: String

        func validate() throws {
            guard limit > 0, limit <= 86_400 else {
                throw ValidationError("--limit is \(limit); more than 0 is possible, up to 86400")
            }
            guard tolerance >= 0, tolerance.isFinite else {
                throw ValidationError("--tolerance is \(tolerance); 0 or more is possible")
            }
        }

        func run() async throws {
            var known = PluginCheck.Known()
            known.fixtures = fixtures.map(Self.content)
            known.sound = sound.map(InputExpander.url(for:))
            known.tolerance = lossy ? nil : tolerance
            known.detectsTruncation = !cutIsValid
            known.words = words.split(separator: " ").map(String.init)
            known.limit = limit
            let check: PluginCheck
            do {
                let trust = keys.isEmpty ? .everybody : try PluginKey.trust(keys.map(InputExpander.url(for:)))
                check = try PluginCheck(InputExpander.url(for: bundle), known: known, trust: trust)
            } catch {
                throw CommandFailure(error)
            }
            var failure: (any Error)?
            let report = await check.report { outcome in
                guard !json, failure == nil else { return }
                do { try show(outcome) } catch { failure = error }
            }
            if let failure { throw failure }
            if json {
                try Console.json(report)
            } else if let refusal = report.refusal {
                try Console.line("a host refuses it: \(DisplayWidth.printable(refusal))")
            } else {
                try Console.line(
                    report.isSound
                        ? "a host takes it, and no rule is broken" : "a host takes it, but it breaks the rules above")
            }
            if !report.isSound { throw ExitCode(ExitStatus.failure.rawValue) }
        }

        /// `drone:110` is a URL, although it has no slashes.
        private static func content(_ argument: String) -> URL {
            if FileManager.default.fileExists(atPath: argument) { return InputExpander.url(for: argument) }
            if let url = URL(string: argument), let scheme = url.scheme, scheme.count > 1 { return url }
            return InputExpander.url(for: argument)
        }

        private func show(_ outcome: PluginCheck.Outcome) throws {
            let stage = outcome.stage == .draft ? " (a draft: any release may change the protocol of this kind)" : ""
            let title = "\(outcome.kind) \(outcome.identifier), by \(outcome.suite)\(stage)"
            try Console.line(DisplayWidth.printable(title))
            for finding in outcome.findings { try Console.line("    broken: \(DisplayWidth.printable(finding))") }
            for missing in outcome.missing { try Console.line("    not checked: \(DisplayWidth.printable(missing))") }
        }
    }

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
            help: ArgumentHelp("Where the bundle goes; made if it is not there.", valueName: "folder"),
            completion: .directory)
        var output: String

        @Option(help: ArgumentHelp("The bundle's name. (default: the library's)", valueName: "name"))
        var name: String?

        @Option(
            name: .customLong("file"), parsing: .singleValue,
            help: ArgumentHelp("A further file to copy beside the library; repeatable.", valueName: "file"),
            completion: .file())
        var files: [String] = []

        @Flag(help: "Print one JSON object.")
        var json = false

        @Argument(
            help: ArgumentHelp("The built library, for instance .build/release/libTone.so.", valueName: "library"),
            completion: .file())
        var library: String

        func run() async throws {
            let library = InputExpander.url(for: library)
            guard FileManager.default.fileExists(atPath: library.path) else {
                throw CommandFailure(.noInput, "\(library.path): no such file")
            }
            do {
                let writer = PluginBundleWriter(folder: InputExpander.url(for: output))
                let bundle = try writer.write(library: library, files: files.map(InputExpander.url(for:)), name: name)
                if json { try Console.json(["bundle": bundle.path]) } else { try Console.line(bundle.path) }
            } catch {
                throw CommandFailure(error)
            }
        }
    }

    /// `descant plugin keygen`.
    struct Keygen: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "keygen",
            abstract: "Makes a pair of Ed25519 keys for signing bundles.",
            discussion:
                "NAME.key is secret, and NAME.pub is for the hosts that trust its owner. Existing files are not overwritten."
        )

        @Argument(help: ArgumentHelp("The files' path without the endings.", valueName: "name"))
        var name: String

        func run() async throws {
            do {
                let files = try PluginKey.make(InputExpander.url(for: name))
                try Console.line("\(files.secret.path)\n\(files.public.path)")
            } catch {
                throw CommandFailure(error)
            }
        }
    }

    /// `descant plugin sign`.
    struct Sign: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign",
            abstract: "Signs a bundle.",
            discussion: """
                Writes \(PluginTrust.signatureFile) into the bundle: an Ed25519 signature of the manifest, which holds the digest of \
                every file. Building the bundle again removes it.
                """)

        @Option(help: ArgumentHelp("The secret key.", valueName: "file"), completion: .file())
        var key: String

        @Argument(help: ArgumentHelp("The bundle.", valueName: "bundle"), completion: .directory)
        var bundle: String

        func run() async throws {
            do {
                let file = try PluginKey.sign(InputExpander.url(for: bundle), key: InputExpander.url(for: key))
                try Console.line(file.path)
            } catch {
                throw CommandFailure(error)
            }
        }
    }
}
