internal import Glibc

/// A sound file on the disk.
struct FoundFile: Sendable, Hashable {
    let path: String
    /// Nanoseconds since 1970.
    let modified: Int64
    /// Bytes.
    let size: Int64
    /// The folder of the library that it lies in.
    let folder: Int64
}

/// The sound files of a folder and the folders below it, in the order of their names. Hidden names are left out, and links to folders are
/// not followed, as they may lead in circles.
struct FolderWalk {
    /// The extensions of sound files, in lower case.
    let extensions: Set<String>
    /// The files that were found.
    private(set) var files: [FoundFile] = []
    /// Every folder that was read.
    private(set) var folders: [String] = []
    /// The folders that cannot be read, and why.
    private(set) var failures: [(path: String, reason: String)] = []

    init(extensions: Set<String>) { self.extensions = extensions }

    /// Reads a folder with all below it.
    ///
    /// - Parameters:
    ///   - folder: Its path.
    ///   - number: The folder of the library that it belongs to.
    ///   - continues: Called at each folder with the number of files that were found; `false` ends the walk.
    mutating func read(_ folder: String, in number: Int64 = 0, continues: (Int) -> Bool = { _ in true }) {
        var waiting = [folder]
        while let path = waiting.popLast(), continues(files.count) {
            let (names, failure) = Self.names(in: path)
            if let failure {
                failures.append((path, failure))
                continue
            }
            folders.append(path)
            var inner: [String] = []
            for name in names.sorted() {
                let below = path == "/" ? "/\(name)" : "\(path)/\(name)"
                var status = stat()
                guard lstat(below, &status) == 0 else { continue }
                let isLink = status.st_mode & S_IFMT == S_IFLNK
                if isLink, stat(below, &status) != 0 { continue }
                switch status.st_mode & S_IFMT {
                case S_IFDIR where !isLink: inner.append(below)
                case S_IFREG where isSound(name):
                    let modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
                    files.append(
                        FoundFile(path: below, modified: modified, size: Int64(status.st_size), folder: number))
                default: break
                }
            }
            waiting += inner.reversed()
        }
    }

    private func isSound(_ name: String) -> Bool {
        name.lastIndex(of: ".").map { extensions.contains(name[name.index(after: $0)...].lowercased()) } ?? false
    }

    /// The names in a folder that are not hidden and are text; others have no URL.
    static func names(in folder: String) -> ([String], failure: String?) {
        guard let stream = opendir(folder) else { return ([], String(cString: strerror(errno))) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
            }
            if let name, !name.hasPrefix(".") { names.append(name) }
        }
        return (names, nil)
    }
}
