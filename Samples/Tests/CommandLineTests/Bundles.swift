import Foundation

/// The first-party bundles of this run.
enum Bundles {
    /// The folder with the bundles: the one in the variable that `make test` sets, else a new one.
    static func folder() throws -> URL {
        if let folder = ProcessInfo.processInfo.environment["DESCANT_TEST_BUNDLES"] {
            return URL(fileURLWithPath: folder)
        }
        return try written.get()
    }

    /// The paths of sherpa-onnx and its models: those of the variables that `make test` sets, else the default ones.
    static func sherpa() -> [String: String] {
        let speech = root.appendingPathComponent(".build/speech")
        let places = [
            "DESCANT_SHERPA_LIBRARY": speech.appendingPathComponent("sherpa_onnx/lib/libsherpa-onnx-c-api.so").path,
            "DESCANT_SPEECH_MODELS": speech.appendingPathComponent("models").path,
        ]
        return places.merging(ProcessInfo.processInfo.environment.filter { places.keys.contains($0.key) }) { $1 }
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static let written = Result {
        let output = root.appendingPathComponent(".build/bundles/debug")
        let script = Process()
        script.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        script.arguments = ["bash", root.appendingPathComponent("Scripts/plugins.sh").path, "debug", output.path]
        try script.run()
        script.waitUntilExit()
        guard script.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
        return output
    }
}

extension Workshop {
    /// A folder with only some of the bundles.
    ///
    /// - Returns: The environment variables with which `descant` finds them.
    func bundles(_ names: String...) throws -> [String: String] {
        let shelf = folder.appendingPathComponent("bundles-\(names.joined(separator: "-"))")
        try FileManager.default.createDirectory(at: shelf, withIntermediateDirectories: true)
        for name in names {
            let bundle = name + ".descantplugin"
            try FileManager.default.createSymbolicLink(
                at: shelf.appendingPathComponent(bundle),
                withDestinationURL: Bundles.folder().appendingPathComponent(bundle))
        }
        return ["DESCANT_PLUGIN_PATH": shelf.path]
    }
}
