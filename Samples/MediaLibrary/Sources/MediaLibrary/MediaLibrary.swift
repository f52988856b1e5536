public import Foundation
internal import GRDB
internal import Glibc
internal import Synchronization

/// The music of a person: folders, the files in them with their tags, and how often each was played.
///
/// A library is one SQLite file, which several programs may use at the same time. Calls may come from any thread; none of them blocks
/// the caller's. A damaged file is set aside under the name `….damaged`, and an empty library takes its place, with the same
/// folders as far as they can be read; see ``openingNotice`` and ``LibraryError/damaged(_:reason:)``.
public final class MediaLibrary: Sendable {
    /// The file.
    public let file: URL
    /// What happened to a damaged file when the library was opened; `nil` when it was sound.
    public let openingNotice: String?
    private let connection: Mutex<Connection>

    /// Opens a library, or creates it with the folder that it lies in.
    ///
    /// - Parameter file: The file. ``standardFile(environment:)`` is the one that the sample players share.
    /// - Throws: ``LibraryError`` when it cannot be opened, or when a newer version of the program has written it.
    public init(at file: URL) throws(LibraryError) {
        self.file = file
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw .file(file.path, reason: "the library's folder cannot be made: \(error.localizedDescription)")
        }
        do {
            connection = Mutex(try Connection.opened(file.path))
            openingNotice = nil
        } catch {
            guard Self.isDamageAtOpening(error) else { throw Self.failure(error, file.path) }
            let (fresh, notice) = try Connection.afterDamage(file.path)
            connection = Mutex(fresh)
            openingNotice = "\(file.path): \(notice)"
        }
    }

    /// Whether a file belongs to another program. ``init(at:)`` would add its tables to it, or take it for a damaged library and set it aside.
    ///
    /// - Parameter file: The file; one that is missing or empty belongs to nobody.
    public static func isForeign(_ file: URL) -> Bool {
        guard let head = try? FileHandle(forReadingFrom: file).read(upToCount: 16), !head.isEmpty else { return false }
        guard head == Data("SQLite format 3\u{0}".utf8) else { return true }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        let known = Set(LibrarySchema.migrator.migrations)
        do {
            return try DatabaseQueue(path: file.path, configuration: configuration).read { db in
                guard try db.tableExists("grdb_migrations") else {
                    return try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") != 0
                }
                let applied = try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations")
                return !applied.isEmpty && known.isDisjoint(with: applied)
            }
        } catch {
            // Damage and permissions are told by the opening. A file that another program is writing, or has not written to its end, is not ours.
            let code = (error as? DatabaseError)?.resultCode
            return code == .SQLITE_BUSY || code == .SQLITE_READONLY
        }
    }

    /// The library of the sample players: `$XDG_DATA_HOME/descant/library.sqlite`, or below `~/.local/share`.
    ///
    /// - Parameter environment: The variables of the process.
    public static func standardFile(environment: [String: String]) -> URL {
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/"
        // The XDG base directory specification says that relative paths are ignored.
        let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/share"
        return URL(filePath: data, directoryHint: .isDirectory).appending(path: "descant/library.sqlite")
    }

    // MARK: Folders

    /// The folders, by path.
    ///
    /// - Throws: ``LibraryError``.
    public func folders() async throws -> [URL] {
        try await read { try Self.folderPaths($0).map { URL(filePath: $0, directoryHint: .isDirectory) } }
    }

    /// The folders, by path, with the number of their tracks and whether their disks are there.
    ///
    /// - Parameter patience: How long a disk may take to answer, in seconds.
    /// - Throws: ``LibraryError``.
    public func folderStates(patience: Double = 2) async throws -> [LibraryFolder] {
        let sql = "SELECT path, (SELECT count(*) FROM track WHERE folderID = folder.id) FROM folder"
        let counts: [(path: String, tracks: Int)] = try await read { db in
            try Row.fetchAll(db, sql: sql).map { ($0[0], $0[1]) }
        }
        return await withTaskGroup(of: LibraryFolder.self) { group in
            for (path, tracks) in counts {
                group.addTask {
                    let state = await Self.state(of: path, hasTracks: tracks > 0, patience: patience)
                    return LibraryFolder(path: path, trackCount: tracks, state: state)
                }
            }
            return await group.reduce(into: [LibraryFolder]()) { $0.append($1) }.sorted { $0.path < $1.path }
        }
    }

    /// Asks the disk of a folder on a thread of its own, because it may not answer.
    private static func state(of folder: String, hasTracks: Bool, patience: Double) async -> LibraryFolder.State {
        let (answers, feed) = AsyncStream.makeStream(of: LibraryFolder.State.self)
        DispatchQueue(label: "descant.library.folder-state").async {
            let (names, failure) = FolderWalk.names(in: folder)
            feed.yield(failure != nil ? .unreadable : names.isEmpty && hasTracks ? .empty : .readable)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) { feed.finish() }
        for await state in answers { return state }
        return .silent
    }

    /// Adds a folder; ``scan(_:with:progress:)`` reads it. Folders of the library that lie within it become a part of it, and keep
    /// their tracks.
    ///
    /// - Parameter folder: A folder.
    /// - Returns: Whether the library did not have it.
    /// - Throws: ``LibraryError``, also when it cannot be read or lies within a folder of the library.
    @discardableResult
    public func add(_ folder: URL) async throws -> Bool {
        let path = try await Self.readablePath(folder)
        return try await write { db in
            let known = try Self.folderPaths(db)
            if known.contains(path) { return false }
            if let outer = known.first(where: { Self.lies(path, within: $0) }) {
                throw LibraryError.misplaced(path, reason: "it lies within \(outer), which is in the library already")
            }
            try db.execute(sql: "INSERT INTO folder (path) VALUES (?)", arguments: [path])
            let id = db.lastInsertedRowID
            for inner in known where Self.lies(inner, within: path) {
                try db.execute(
                    sql: "UPDATE track SET folderID = ? WHERE folderID = (SELECT id FROM folder WHERE path = ?)",
                    arguments: [id, inner])
                try db.execute(sql: "DELETE FROM folder WHERE path = ?", arguments: [inner])
            }
            return true
        }
    }

    /// The path of a folder that can be read; asked on a thread of its own, because its disk may not answer.
    private static func readablePath(_ folder: URL) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "descant.library.folder").async {
                continuation.resume(
                    with: Result {
                        let path = try realPath(folder)
                        guard let names = opendir(path) else {
                            throw LibraryError.folder(path, reason: String(cString: strerror(errno)))
                        }
                        closedir(names)
                        return path
                    })
            }
        }
    }

    /// Removes a folder and its tracks from the library. The files stay.
    ///
    /// - Parameter folder: A folder of the library; it need not exist any more.
    /// - Throws: ``LibraryError``, also when it is none.
    public func remove(_ folder: URL) async throws {
        let named = folder.standardizedFileURL.path
        // A disk that does not answer is not asked for a folder that is known by its path.
        let isKnown = try await read { try Self.folderPaths($0).contains { $0.utf8.elementsEqual(named.utf8) } }
        let path = isKnown ? named : (try? Self.realPath(folder)) ?? named
        try await write { db in
            try db.execute(sql: "DELETE FROM folder WHERE path = ?", arguments: [path])
            guard db.changesCount > 0 else {
                let known = try Self.folderPaths(db)
                let list =
                    known.isEmpty ? "the library has no folders" : "its folders are \(known.joined(separator: ", "))"
                throw LibraryError.misplaced(path, reason: "this is not a folder of the library; \(list)")
            }
        }
    }

    /// The folders of the library, by path.
    static func folderPaths(_ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT path FROM folder ORDER BY path")
    }

    /// Whether a path lies below a folder.
    static func lies(_ path: String, within folder: String) -> Bool {
        path.utf8.starts(with: (folder == "/" ? folder : folder + "/").utf8)
    }

    /// The path without links.
    static func realPath(_ url: URL) throws(LibraryError) -> String {
        guard let path = realpath(url.path, nil) else {
            throw .folder(url.path, reason: String(cString: strerror(errno)))
        }
        defer { free(path) }
        return String(cString: path)
    }

    // MARK: Access

    func read<Value: Sendable>(_ work: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await use { try await $0.read(work) }
    }

    func write<Value: Sendable>(_ work: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        try await use { try await $0.write(work) }
    }

    /// Works on the library's file. Damage that is found sets the file aside.
    private func use<Value: Sendable>(_ work: (DatabasePool) async throws -> Value) async throws -> Value {
        let used = connection.withLock { $0 }
        do {
            return try await work(used.pool)
        } catch {
            guard Self.isDamage(error) else { throw Self.passed(error, file.path) }
            let notice: String? = try connection.withLock { connection in
                // Another call, or another program, has set the file aside meanwhile.
                guard connection.pool === used.pool else { return nil }
                try? used.pool.close()
                guard connection.isCurrent(file.path) else {
                    connection = try Connection.opened(file.path)
                    return nil
                }
                let (fresh, notice) = try Connection.afterDamage(file.path)
                connection = fresh
                return notice
            }
            throw LibraryError.damaged(
                file.path, reason: notice ?? "the library was damaged and is a new one now; scan its folders again")
        }
    }

    private static func isDamage(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return switch error.resultCode {
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: true
        // The statements are right: it is the file that lacks a table or a column.
        case .SQLITE_ERROR: error.message?.hasPrefix("no such ") == true
        default: false
        }
    }

    /// When a file is opened, SQLite reports a damaged header or schema as errors of the statements, too.
    private static func isDamageAtOpening(_ error: any Error) -> Bool {
        guard let code = (error as? DatabaseError)?.resultCode else { return false }
        return isDamage(error) || [.SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH].contains(code)
    }

    private static func passed(_ error: any Error, _ path: String) -> any Error {
        error is DatabaseError ? failure(error, path) : error
    }

    private static func failure(_ error: any Error, _ path: String) -> LibraryError {
        if let error = error as? LibraryError { return error }
        guard let error = error as? DatabaseError else { return .file(path, reason: "\(error)") }
        let reason =
            switch error.resultCode {
            case .SQLITE_BUSY: "another program is writing to the library; try again later"
            case .SQLITE_FULL: "the disk is full"
            case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM:
                "the library cannot be opened for writing; see the permissions of the file and its folder"
            default: error.message ?? "\(error.resultCode)"
            }
        return .file(path, reason: reason)
    }

    /// An open file, and which one it is.
    private struct Connection: Sendable {
        let pool: DatabasePool
        private let identity: [UInt64]

        init(_ path: String) throws {
            var configuration = Configuration()
            configuration.busyMode = .timeout(10)
            configuration.label = "descant.library"
            configuration.prepareDatabase { $0.add(function: LibrarySchema.nameKey) }
            pool = try DatabasePool(path: path, configuration: configuration)
            let migrator = LibrarySchema.migrator
            if try pool.read(migrator.hasBeenSuperseded) {
                // A newer version has run the migrations of this one, too.
                guard try pool.read(migrator.hasCompletedMigrations) else {
                    throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "its list of migrations is damaged")
                }
                throw LibraryError.newer(path)
            }
            try migrator.migrate(pool)
            identity = Self.identity(path)
        }

        /// Opens a file, a second time where the first attempt looks like damage: when another program creates the
        /// tables after the migrator has looked for them, its statements fail although the file is sound.
        static func opened(_ path: String) throws -> Connection {
            do {
                return try Connection(path)
            } catch let error where MediaLibrary.isDamageAtOpening(error) {
                return try Connection(path)
            }
        }

        /// Whether the file still has its name.
        func isCurrent(_ path: String) -> Bool { Self.identity(path) == identity }

        private static func identity(_ path: String) -> [UInt64] {
            var status = stat()
            return stat(path, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : []
        }

        /// Sets a damaged file aside and begins an empty library with the folders that the damaged one still names.
        static func afterDamage(_ path: String) throws(LibraryError) -> (Connection, notice: String) {
            let folders = readableFolders(path)
            var aside = path + ".damaged"
            var number = 1
            while access(aside, F_OK) == 0, number < 1_000 {
                number += 1
                aside = path + ".damaged-\(number)"
            }
            // The journal belongs to the damaged file: SQLite would apply it to a new one of the same name.
            guard rename(path, aside) == 0 else {
                throw .file(
                    path, reason: "the library is damaged and cannot be set aside: \(String(cString: strerror(errno)))")
            }
            _ = rename(path + "-wal", aside + "-wal")
            unlink(path + "-shm")
            do {
                let fresh = try Connection.opened(path)
                try fresh.pool.write { db in
                    for folder in folders {
                        try db.execute(sql: "INSERT OR IGNORE INTO folder (path) VALUES (?)", arguments: [folder])
                    }
                }
                let rest = folders.isEmpty ? "add its folders again" : "scan its folders again"
                let name = URL(filePath: aside).lastPathComponent
                return (fresh, "the library was damaged and was set aside as \(name); \(rest)")
            } catch {
                throw MediaLibrary.failure(error, path)
            }
        }

        private static func readableFolders(_ path: String) -> [String] {
            var configuration = Configuration()
            configuration.readonly = true
            let paths = try? DatabaseQueue(path: path, configuration: configuration).read(MediaLibrary.folderPaths)
            return (paths ?? []).filter { $0.hasPrefix("/") }
        }
    }
}
