internal import Foundation

/// Where the library and the models are looked for.
struct SherpaPlaces {
    /// `DESCANT_SHERPA_LIBRARY`, the user's data folder, then wherever the linker looks.
    let libraries: [String]
    /// `DESCANT_SPEECH_MODELS`, else `descant/models` in the user's data folder.
    let models: URL

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let name = "libsherpa-onnx-c-api.so"
        let home = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
        let data = (home ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/share"))
            .appending(path: "descant")
        if let given = environment["DESCANT_SHERPA_LIBRARY"] {
            libraries = [given]
        } else {
            libraries = [data.appending(path: "lib/\(name)").path, name]
        }
        models = environment["DESCANT_SPEECH_MODELS"].map { URL(fileURLWithPath: $0) } ?? data.appending(path: "models")
    }
}
