internal import DescantCore
internal import Foundation

/// Files to read, found folder by folder: no more names are held than those of the folders on the way.
struct AudioFileList: Sendable {
    /// What is found.
    enum Found: Sendable {
        case file(URL)
        case failure(URL, CoreError)
    }

    private struct Folder: Sendable {
        var path: String
        /// Names that were not looked at yet, the next one last.
        var names: [String]
    }

    private var extensions: Set<String> = []
    private var files: ArraySlice<URL> = []
    private var folders: [Folder] = []
    /// A folder that was named, and not opened yet.
    private var start: String?
    /// Audio files by name, in the folders that were opened.
    private(set) var foundCount = 0

    /// Whether nothing is left that may hold further files.
    var isComplete: Bool { start == nil && folders.allSatisfy(\.names.isEmpty) }

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
            guard let name = folders[last].names.popLast() else {
                folders.removeLast()
                continue
            }
            let path = "\(folders[last].path)/\(name)"
            if isAudio(name) { return .file(URL(filePath: path, directoryHint: .notDirectory)) }
            if let failure = open(path) { return failure }
        }
        return nil
    }

    private func isAudio(_ name: String) -> Bool {
        guard let dot = name.utf8.lastIndex(of: 0x2E) else { return false }
        return extensions.contains(name[name.utf8.index(after: dot)...].lowercased())
    }

    /// Looks into a folder; links to folders are not followed, as they may lead in circles.
    private mutating func open(_ path: String) -> Found? {
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: path)
                .filter { isAudio($0) || Self.isFolder("\(path)/\($0)") }
            foundCount += names.count(where: isAudio)
            folders.append(Folder(path: path, names: names.sorted(by: >)))
            return nil
        } catch {
            foundCount += 1
            let url = URL(filePath: path, directoryHint: .isDirectory)
            let isMissing = !FileManager.default.fileExists(atPath: path)
            return .failure(url, isMissing ? .notFound(path) : .ioError("\(path): \(error.localizedDescription)"))
        }
    }

    private static func isFolder(_ path: String) -> Bool {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return false }
        return attributes[.type] as? FileAttributeType == .typeDirectory
    }
}
