internal import DescantCore
internal import Foundation

/// Files to read, found folder by folder: no more names are held than those of the folders on the way.
struct AudioFileList: Sendable {
    /// What is found.
    enum Found: Sendable {
        case file(URL)
        case failure(URL, CoreError)
    }

    private struct Entry: Sendable {
        var name: String
        var isFolder: Bool
    }

    private struct Folder: Sendable {
        var path: String
        /// What was not looked at yet, the next one last.
        var entries: [Entry]
    }

    private var extensions: Set<String> = []
    private var files: ArraySlice<URL> = []
    private var folders: [Folder] = []
    /// A folder that was named, and not opened yet.
    private var start: String?
    /// Audio files by name, in the folders that were opened.
    private(set) var foundCount = 0

    /// Whether nothing is left that may hold further files.
    var isComplete: Bool { start == nil && folders.allSatisfy(\.entries.isEmpty) }

    init(files: [URL]) {
        self.files = files[...]
        foundCount = files.count
    }

    /// Finds the files in a folder with one of some extensions, in lower case.
    init(folder: URL, extensions: Set<String>) {
        start = folder.path
        self.extensions = extensions
    }

    /// The next file.
    mutating func next() -> Found? {
        if let file = files.popFirst() { return .file(file) }
        if let path = start {
            start = nil
            if let failure = open(path) { return failure }
        }
        while let last = folders.indices.last {
            guard let entry = folders[last].entries.popLast() else {
                folders.removeLast()
                continue
            }
            let path = "\(folders[last].path)/\(entry.name)"
            if !entry.isFolder { return .file(URL(filePath: path, directoryHint: .notDirectory)) }
            if let failure = open(path) { return failure }
        }
        return nil
    }

    private func isAudio(_ name: String) -> Bool {
        guard let dot = name.utf8.lastIndex(of: 0x2E) else { return false }
        return extensions.contains(name[name.utf8.index(after: dot)...].lowercased())
    }

    /// Looks into a folder; links to folders are not followed, as they may lead in circles. Hidden files are those that macOS writes beside
    /// others, hidden folders those of a trash.
    private mutating func open(_ path: String) -> Found? {
        do {
            // A folder may be named like a file of sound.
            let entries = try FileManager.default.contentsOfDirectory(atPath: path)
                .filter { !$0.hasPrefix(".") }
                .map { Entry(name: $0, isFolder: Self.isFolder("\(path)/\($0)")) }
                .filter { $0.isFolder || isAudio($0.name) }
            foundCount += entries.count { !$0.isFolder }
            folders.append(Folder(path: path, entries: entries.sorted { $0.name > $1.name }))
            return nil
        } catch {
            foundCount += 1
            let url = URL(filePath: path, directoryHint: .isDirectory)
            let isMissing = !FileManager.default.fileExists(atPath: path)
            return .failure(url, isMissing ? .notFound(path) : .ioError("\(path): \(error.localizedDescription)"))
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
