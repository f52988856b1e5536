internal import Foundation
internal import Glibc

/// Files that were opened once, checked and read through their descriptors, and that are still the same when the linker loads them.
///
/// The linker is given a path, not a descriptor: a library that is loaded as `/proc/self/fd/N` does not find what lies beside it
/// (`$ORIGIN` is the folder of the path), and a number that is used again gives the library that had it first.
struct CheckedFiles {
    private struct File {
        var path: String
        var handle: FileHandle
        var status: stat
    }

    private var files: [File] = []

    /// Opens, checks and reads a file of a bundle; it stays open.
    ///
    /// - Parameters:
    ///   - name: The file's path inside the bundle.
    ///   - bundle: The bundle's folder.
    ///   - limit: The maximum length in bytes.
    /// - Throws: ``PluginError``.
    mutating func read(_ name: String, in bundle: String, limit: Int) throws -> Data {
        var folder = bundle
        for part in name.split(separator: "/").dropLast() {
            folder += "/" + part
            try TrustedPath.checkFolder(folder, isContainer: false)
        }
        let file = try Self.open(bundle + "/" + name)
        try TrustedPath.checkFile(file.path, file.status)
        files.append(file)
        return try Self.contents(of: file, limit: limit)
    }

    /// Reads a file whose owner does not matter, such as one that is to be bundled.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: The maximum length in bytes.
    /// - Throws: ``PluginError/badLibrary(path:reason:)``.
    static func read(_ path: String, limit: Int) throws -> Data {
        try contents(of: open(path, flags: 0), limit: limit)
    }

    /// Makes sure that nobody has exchanged or changed a file since it was read.
    ///
    /// - Throws: ``PluginError/badLibrary(path:reason:)``.
    func requireUnchanged() throws {
        for file in files {
            var held = stat()
            var found = stat()
            guard fstat(file.handle.fileDescriptor, &held) == 0, lstat(file.path, &found) == 0,
                held.isSame(as: file.status), found.isSame(as: file.status)
            else {
                throw PluginError.badLibrary(path: file.path, reason: "it was changed while it was checked and loaded")
            }
        }
    }

    /// A link is not followed, and a pipe not waited for.
    private static func open(_ path: String, flags: Int32 = O_NOFOLLOW) throws -> File {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags)
        guard descriptor >= 0 else {
            if errno == ELOOP { throw PluginError.unsafePermissions(path: path, reason: "it is not a regular file") }
            throw PluginError.badLibrary(path: path, reason: String(cString: strerror(errno)))
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw PluginError.badLibrary(path: path, reason: String(cString: strerror(errno)))
        }
        return File(path: path, handle: handle, status: status)
    }

    private static func contents(of file: File, limit: Int) throws -> Data {
        let data: Data
        do {
            data = try file.handle.read(upToCount: limit + 1) ?? Data()
        } catch {
            throw PluginError.badLibrary(path: file.path, reason: "it cannot be read: \(error.localizedDescription)")
        }
        guard data.count <= limit else {
            throw PluginError.badLibrary(path: file.path, reason: "it is longer than \(limit >> 20) MiB")
        }
        return data
    }
}

extension stat {
    /// Whether it is the same file with the same content: a write changes the time of change, which nobody but root can set.
    fileprivate func isSame(as other: stat) -> Bool {
        st_dev == other.st_dev && st_ino == other.st_ino && st_size == other.st_size
            && st_ctim.tv_sec == other.st_ctim.tv_sec && st_ctim.tv_nsec == other.st_ctim.tv_nsec
    }
}
