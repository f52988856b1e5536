internal import DescantCore
internal import Foundation
internal import Glibc

/// The current cover as a file that the desktop can load. Only the user can read the file, and it is removed with the track.
///
/// Used on the bus's thread only.
struct CoverFiles {
    private let parent: URL
    private var folder: URL?
    /// The open folder, locked as long as this program runs.
    private var lock: FileHandle?
    private var current: (data: Data, url: URL)?
    private var count = 0

    private static let prefix = "descant-cover-"

    /// - Parameter parent: The folder for the files; `nil` for the runtime folder of the user.
    init(in parent: URL? = nil) {
        // The XDG base directory specification says that relative paths are ignored.
        let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        self.parent =
            parent ?? runtime.map { URL(fileURLWithPath: $0, isDirectory: true) }
            ?? FileManager.default.temporaryDirectory
    }

    /// Returns the address of the cover of a track, and removes the file of the previous one.
    ///
    /// - Throws: `CoreError.ioError` when the file cannot be written.
    mutating func show(_ track: NowPlayingTrack?) throws -> URL? {
        guard let data = track?.artworkData, let type = Self.type(of: data) else {
            removeCurrent()
            return track?.artworkURL
        }
        if let current, current.data == data { return current.url }
        removeCurrent()
        count += 1
        let url = try makeFolder().appendingPathComponent("\(count).\(type)")
        try Self.write(data, to: url)
        current = (data, url)
        return url
    }

    /// Removes all files.
    mutating func removeAll() {
        removeCurrent()
        if let folder { rmdir(folder.path) }
        (folder, lock) = (nil, nil)
    }

    private mutating func removeCurrent() {
        if let current { unlink(current.url.path) }
        current = nil
    }

    private mutating func makeFolder() throws -> URL {
        if let folder { return folder }
        Self.removeLeftovers(in: parent)
        var path = Array("\(parent.path)/\(Self.prefix)\(getpid())-XXXXXX".utf8CString)
        guard mkdtemp(&path) != nil else { throw Self.failure("a folder for covers in \(parent.path)") }
        let made = URL(
            fileURLWithPath: String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self),
            isDirectory: true)
        guard let lock = Self.lock(made.path) else { throw Self.failure(made.path) }
        (folder, self.lock) = (made, lock)
        return made
    }

    /// Opens and locks a folder of this user; `nil` for another one, and for one that a program has locked.
    private static func lock(_ path: String) -> FileHandle? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o7777 == 0o700,
            flock(descriptor, LOCK_EX | LOCK_NB) == 0
        else { return nil }
        return handle
    }

    /// Removes the files of programs that have crashed: the folders of this user that no program has locked. Process identifiers say
    /// nothing about programs in containers.
    private static func removeLeftovers(in parent: URL) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? [] {
            let folder = parent.appendingPathComponent(name)
            guard name.hasPrefix(prefix), let lock = lock(folder.path) else { continue }
            withExtendedLifetime(lock) { try? FileManager.default.removeItem(at: folder) }
        }
    }

    private static func write(_ data: Data, to url: URL) throws {
        let descriptor = open(url.path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(url.path) }
        defer { Glibc.close(descriptor) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        do {
            try file.write(contentsOf: data)
        } catch {
            unlink(url.path)
            throw CoreError.ioError("\(url.path): \(error)")
        }
    }

    private static func failure(_ what: String) -> CoreError {
        CoreError.ioError("\(what): \(String(cString: strerror(errno)))")
    }

    /// The file type by the first bytes; `nil` for types that desktops do not show.
    private static func type(of data: Data) -> String? {
        let start = Array(data.prefix(12))
        if start.starts(with: [0xFF, 0xD8, 0xFF]) { return "jpg" }
        if start.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "png" }
        if start.starts(with: Array("GIF8".utf8)) { return "gif" }
        if start.starts(with: Array("RIFF".utf8)), start.dropFirst(8).elementsEqual("WEBP".utf8) { return "webp" }
        return nil
    }
}
