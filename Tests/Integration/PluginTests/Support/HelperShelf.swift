import Descant
import Foundation

/// A shelf with a copy of EspeakSpeech, whose helpers no other test has, and a helper program that can be taken away.
final class HelperShelf: Sendable {
    let shelf: BundleShelf
    /// The bundle.
    let bundle: URL
    private let program: URL

    init() throws {
        shelf = try BundleShelf()
        bundle = try SpeechBundle.copyEspeak(to: shelf)
        program = shelf.folder.appendingPathComponent("descant-plugin-host")
        let real = try BuiltLibrary.folder.appendingPathComponent("descant-plugin-host").path
        try Data("#!/bin/sh\nexec '\(real)' \"$@\"\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    }

    /// A registry that starts this program.
    func registry() -> PluginRegistry {
        let registry = PluginRegistry(
            isolation: PluginIsolation(.asManifest, helper: program), searchPath: [shelf.folder],
            logger: shelf.logger)
        registry.scan()
        return registry
    }

    var helpers: [pid_t] { Processes.serving(bundle) }

    /// Waits until one helper speaks and the next one has been started, so that none is being started.
    func waitForHelpers() async throws {
        while helpers.count < 2 {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    func killHelpers() { Processes.killHelpers(of: bundle) }

    /// Takes the program away and ends the helpers: none can be started again.
    func takeAway() throws {
        try FileManager.default.moveItem(at: program, to: shelf.folder.appendingPathComponent("away"))
        killHelpers()
    }

    func bringBack() throws {
        try FileManager.default.moveItem(at: shelf.folder.appendingPathComponent("away"), to: program)
    }
}
