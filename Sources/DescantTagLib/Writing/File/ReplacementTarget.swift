internal import CTagLibShim
internal import Foundation

/// The file that will take another one's place: without a name as long as it grows, where the file system allows that.
struct ReplacementTarget {
    private(set) var descriptor: Int32
    /// Its name for a moment, before it takes the other one's.
    let path: String
    private var hasName = false

    /// - Throws: `SystemError`.
    init(in folder: String) throws {
        let folder = folder.isEmpty ? "." : folder
        path = "\(folder)/.descant-\(UUID().uuidString).tmp"
        descriptor = dtl_open_unnamed(folder)
        if descriptor < 0, [EOPNOTSUPP, EISDIR, EINVAL, ENOENT].contains(errno) {
            descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            hasName = descriptor >= 0
        }
        if descriptor < 0 { throw SystemError() }
    }

    mutating func giveName() throws {
        guard !hasName else { return }
        guard dtl_name_unnamed(descriptor, path) == 0 else { throw SystemError() }
        hasName = true
    }

    mutating func removeName() {
        if hasName { unlink(path) }
        hasName = false
    }

    mutating func close() {
        Foundation.close(descriptor)
        descriptor = -1
    }
}
