internal import CSherpa
internal import Descant

/// The loaded library.
///
/// `@unchecked`: the pointer is to a table of functions that never changes and is never freed.
final class SherpaLibrary: @unchecked Sendable {
    let path: String
    let table: OpaquePointer

    /// Loads the first one that there is.
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
