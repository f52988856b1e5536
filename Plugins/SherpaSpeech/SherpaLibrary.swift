internal import CSherpa
internal import Descant
internal import Foundation

/// The loaded library.
///
/// `@unchecked`: the pointer is to a table of functions that never changes and is never freed.
final class SherpaLibrary: @unchecked Sendable {
    let path: String
    let table: OpaquePointer

    /// Loads the first library that exists.
    ///
    /// - Throws: `CoreError.unsupported` with the reasons.
    init(candidates: [String]) throws {
        var reasons: [String] = []
        for path in candidates {
            var problem = [CChar](repeating: 0, count: 1_024)
            if let table = descant_sherpa_open(path, &problem, problem.count) {
                self.path = path
                self.table = table
                return
            }
            reasons.append(
                "\(path): \(String(decoding: problem.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))")
        }
        throw CoreError.unsupported(
            "sherpa: \(reasons.joined(separator: "; ")). pip download sherpa-onnx-core has the library; name it in "
                + "DESCANT_SHERPA_LIBRARY")
    }
}

/// The search paths of the library and the models.
struct SherpaSearchPath {
    /// `DESCANT_SHERPA_LIBRARY`, the user's data folder, then the linker's own search path.
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
