internal import CTagLibShim
internal import DescantContainers
internal import DescantCore
internal import Foundation

/// Puts a new file in the place of an old one, in one step.
///
/// The new file grows without a name in the same folder, is read back, gets the old one's mode, owner and attributes, is brought to
/// the disk, and then takes the name. Until that last step the old file is untouched, and what was written vanishes with the process.
struct FileReplacement {
    let source: SourceFile
    /// Called before every change of the disk. When it answers no, the work ends there and the disk stays as it is, as after a
    /// kill at this point.
    let goesOn: @Sendable () -> Bool
    /// How many bytes are copied between two such calls.
    let step: Int

    /// The work was ended as by a kill.
    struct Ended: Error {}

    private var folder: String { (source.path as NSString).deletingLastPathComponent }

    /// - Throws: `SystemError`, `CoreError`, `Ended`.
    func write(_ pieces: [Piece]) throws {
        try checkWritable()
        var target = try ReplacementTarget(in: folder)
        defer { target.close() }
        do {
            try fill(target.descriptor, with: pieces)
            try readBack(target.descriptor)
            try dress(target.descriptor)
            try pause()
            try check(fsync(target.descriptor))
            try checkUnchanged()
            try pause()
            try target.giveName()
            try pause()
            try check(rename(target.path, source.path))
        } catch {
            if !(error is Ended) { target.removeName() }
            throw error
        }
        try pause()
        try syncFolder()
    }

    private func pause() throws { if !goesOn() { throw Ended() } }

    private func check(_ answer: Int32) throws { if answer != 0 { throw SystemError() } }

    private func checkWritable() throws {
        // A file that nobody may write is not written by root either.
        if source.status.st_mode & 0o222 == 0 { throw SystemError(EACCES) }
        try check(access(source.path, W_OK))
    }

    private func fill(_ target: Int32, with pieces: [Piece]) throws {
        for piece in pieces {
            switch piece {
            case .old(let range): try copy(range, to: target)
            case .new(let bytes): try write(bytes, to: target)
            }
        }
    }

    private func copy(_ range: Range<Int>, to target: Int32) throws {
        var position = range.lowerBound
        while position < range.upperBound {
            try pause()
            let count = min(step, range.upperBound - position)
            let copied = dtl_copy_range(source.descriptor, Int64(position), target, count)
            if copied < 0, errno == EINTR { continue }
            if copied < 0 { throw SystemError() }
            guard copied > 0 else { throw ContainerError.damaged("the file was cut off meanwhile") }
            position += Int(copied)
        }
    }

    private func write(_ bytes: [UInt8], to target: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            try pause()
            let written = rest.prefix(step).withUnsafeBytes { Foundation.write(target, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            if written < 0 { throw SystemError() }
            rest = rest.dropFirst(written)
        }
    }

    /// What the reader does not take would be lost to whoever wrote it.
    private func readBack(_ target: Int32) throws {
        do {
            _ = try TagLibReader.read(URL(fileURLWithPath: "/proc/self/fd/\(target)"), called: source.path)
        } catch let error as CoreError where error.code == "unsupported" || error.code == "decodeError" {
            throw ContainerError.damaged("with the new tags the file could not be read back; it stays as it was")
        }
    }

    /// Owner, mode and attributes of the old file, in this order: a new owner clears bits of the mode.
    private func dress(_ target: Int32) throws {
        try pause()
        var status = stat()
        try check(fstat(target, &status))
        if status.st_uid != source.status.st_uid || status.st_gid != source.status.st_gid {
            try check(fchown(target, source.status.st_uid, source.status.st_gid))
        }
        try check(fchmod(target, source.status.st_mode & 0o7777))
        try check(dtl_copy_attributes(source.descriptor, target))
    }

    /// What somebody else wrote meanwhile must not be lost.
    private func checkUnchanged() throws {
        var now = stat()
        try check(stat(source.path, &now))
        let before = source.status
        let isSame =
            now.st_ino == before.st_ino && now.st_dev == before.st_dev && now.st_size == before.st_size
            && now.st_mtim.tv_sec == before.st_mtim.tv_sec && now.st_mtim.tv_nsec == before.st_mtim.tv_nsec
        guard isSame else { throw CoreError.ioError("\(source.path): another program changed it meanwhile; try again") }
    }

    private func syncFolder() throws {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError() }
        defer { close(descriptor) }
        // Not every file system knows this for folders; the file itself is on the disk.
        if fsync(descriptor) != 0, errno != EINVAL, errno != EROFS { throw SystemError() }
    }
}

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

/// A piece of the new file.
enum Piece: Equatable {
    /// Bytes of the old file, copied as they are.
    case old(Range<Int>)
    /// Bytes made anew.
    case new([UInt8])

    /// How many bytes it has.
    var count: Int {
        switch self {
        case .old(let range): range.count
        case .new(let bytes): bytes.count
        }
    }
}
