internal import Glibc

/// A sound file on the disk.
struct FoundFile: Sendable, Hashable {
    let path: String
    /// Nanoseconds since 1970, only compared with others: those of a date beyond the year 2262 wrap around.
    let modified: Int64
    /// Bytes.
    let size: Int64
    /// The folder of the library that it lies in.
    let folder: Int64
}

extension FoundFile {
    fileprivate init(path: String, status: stat, folder: Int64) {
        let modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        self.init(path: path, modified: modified, size: Int64(status.st_size), folder: folder)
    }
}

/// The sound files of a folder and the folders below it, in the order of their names. Hidden names are left out, and links to folders are
/// not followed, as they may lead in circles.
struct FolderWalk {
    /// The extensions of sound files, in lower case.
    let extensions: Set<String>
    /// The files that were found.
    private(set) var files: [FoundFile] = []
    /// The folders that cannot be read, and why.
    private(set) var failures: [(path: String, reason: String)] = []
    /// The entries of readable folders of which the disk says nothing but an error: they may be there.
    private(set) var unknown: Set<String> = []
    /// The folders with such entries, and the first error of each.
    private(set) var doubts: [(path: String, reason: String)] = []

    init(extensions: Set<String>) { self.extensions = extensions }

    /// Reads a folder with all below it, or a file.
    ///
    /// - Parameters:
    ///   - place: Its path.
    ///   - number: The folder of the library that it belongs to.
    ///   - continues: Called with the path of each folder before it is read, and the number of files that were found; `false` ends
    ///     the walk.
    mutating func read(_ place: String, in number: Int64 = 0, continues: (String, Int) -> Bool) {
        var status = stat()
        if stat(place, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
            let name = String(place.split(separator: "/").last ?? "")
            guard isSound(name), !name.hasPrefix(".") else { return }
            files.append(FoundFile(path: place, status: status, folder: number))
            return
        }
        var waiting = [place]
        while let path = waiting.popLast(), continues(path, files.count) {
            let (names, failure) = Self.names(in: path)
            if let failure {
                failures.append((path, failure))
                continue
            }
            var inner: [String] = []
            var doubt: String?
            for name in names.sorted() {
                let below = path == "/" ? "/\(name)" : "\(path)/\(name)"
                var status = stat()
                var isKnown = lstat(below, &status) == 0
                let isLink = isKnown && status.st_mode & S_IFMT == S_IFLNK
                if isLink { isKnown = stat(below, &status) == 0 }
                guard isKnown else {
                    let error = errno
                    // A link to a folder is not followed in any case.
                    guard !Self.meansGone(error), error != ELOOP, !isLink || isSound(name) else { continue }
                    unknown.insert(below)
                    doubt = doubt ?? String(cString: strerror(error))
                    continue
                }
                switch status.st_mode & S_IFMT {
                case S_IFDIR where !isLink: inner.append(below)
                case S_IFREG where isSound(name):
                    files.append(FoundFile(path: below, status: status, folder: number))
                default: break
                }
            }
            if let doubt { doubts.append((path, doubt)) }
            waiting += inner.reversed()
        }
    }

    private func isSound(_ name: String) -> Bool {
        name.lastIndex(of: ".").map { extensions.contains(name[name.index(after: $0)...].lowercased()) } ?? false
    }

    /// Whether an error says that a file is not there. Others, such as those of a disk that does not answer, say nothing about it.
    static func meansGone(_ error: Int32) -> Bool { error == ENOENT || error == ENOTDIR }

    /// Whether nothing has a path.
    static func isGone(_ path: String) -> Bool { access(path, F_OK) != 0 && meansGone(errno) }

    /// The names in a folder that are not hidden and are text; others have no URL.
    ///
    /// - Parameters:
    ///   - folder: Its path.
    ///   - limit: The maximum number of names.
    static func names(in folder: String, limit: Int = .max) -> ([String], failure: String?) {
        guard let stream = opendir(folder) else { return ([], String(cString: strerror(errno))) }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < limit {
            errno = 0
            guard let entry = readdir(stream) else {
                return (names, errno == 0 ? nil : String(cString: strerror(errno)))
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
            }
            if let name, !name.hasPrefix(".") { names.append(name) }
        }
        return (names, nil)
    }
}
