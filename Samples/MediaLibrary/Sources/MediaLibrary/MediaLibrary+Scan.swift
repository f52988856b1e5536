public import Descant
public import Foundation
internal import GRDB
internal import Glibc

/// How far a scan has come.
public struct LibraryScanProgress: Sendable, Hashable, Codable {
    /// A part of a scan.
    public enum Phase: String, Sendable, Hashable, Codable {
        /// Files are looked for in the folders.
        case searching
        /// The tags of new and changed files are read.
        case reading
        /// The scan has ended, also when it has failed.
        case finished
    }

    /// The phase of the scan.
    public internal(set) var phase = Phase.searching
    /// The folder of the library that is being read.
    public internal(set) var folder = ""
    /// Files that were looked at, read or not, and are stored.
    public internal(set) var done = 0
    /// Files that were found.
    public internal(set) var total = 0
    /// The file that was looked at last.
    public internal(set) var path = ""
}

/// What a scan has changed.
public struct LibraryScanReport: Sendable, Hashable, Codable {
    /// Files that the library did not have.
    public internal(set) var added = 0
    /// Files that were read again, because they have changed.
    public internal(set) var updated = 0
    /// Files that have moved and were not read again.
    public internal(set) var moved = 0
    /// Files that are gone.
    public internal(set) var removed = 0
    /// Files that have not changed.
    public internal(set) var unchanged = 0
    /// Files whose tags cannot be read, among those that were added or updated.
    public internal(set) var failed = 0
    /// Folders that cannot be read. What the library knows of them stays.
    public internal(set) var problems: [LibraryProblem] = []

    /// Whether the library has changed.
    public var hasChanges: Bool { added + updated + moved + removed > 0 }
}

/// A folder that cannot be read.
public struct LibraryProblem: Sendable, Hashable, Codable {
    /// The folder.
    public let path: String
    /// Why it cannot be read.
    public let reason: String
}

extension MediaLibrary {
    /// The maximum number of files that a transaction stores. What an interrupted scan has stored is not read again by the next one.
    private static let batch = 200
    /// After this time files are stored although they are fewer, so that those of a slow disk are shown, too.
    private static let longestBatch = Duration.seconds(1)

    /// Brings the library up to date with its folders: reads new and changed files and forgets those that are gone.
    ///
    /// A file with the size and the time of modification that the library knows is not read again, also when it has moved. A scan of all
    /// folders reads again what could not be read for another reason than its content, such as a permission that is there now; what still
    /// cannot be read counts as unchanged. A folder that cannot be read keeps its tracks, and so does a folder of the library that is
    /// empty now, as the mount point of a disk that is not there.
    ///
    /// - Parameters:
    ///   - places: Folders of the library or below, files too; `nil` for all folders of the library.
    ///   - reader: Reads the tags.
    ///   - progress: Called during the scan, on any thread; the last time when it has ended.
    /// - Returns: What has changed.
    /// - Throws: ``LibraryError``, or `CancellationError` when the task is cancelled.
    @discardableResult
    public func scan(
        _ places: [URL]? = nil, with reader: any TagReaderService & Sendable,
        progress: @escaping @Sendable (LibraryScanProgress) -> Void = { _ in }
    ) async throws -> LibraryScanReport {
        let folders = try await read { db in
            try Row.fetchAll(db, sql: "SELECT id, path FROM folder ORDER BY path")
                .map { ScannedPlace(path: $0[1], folder: $0[0], folderPath: $0[1]) }
        }
        let chosen = try places?.map { place in
            let path = (try? Self.realPath(place)) ?? place.standardizedFileURL.path
            guard let outer = folders.first(where: { $0.path == path || Self.lies(path, within: $0.path) }) else {
                throw LibraryError.misplaced(path, reason: "it is in no folder of the library; add it first")
            }
            return ScannedPlace(path: path, folder: outer.folder, folderPath: outer.path)
        }
        var report = LibraryScanReport()
        defer { progress(LibraryScanProgress(phase: .finished)) }
        let plan = try await plan(
            Self.outermost(chosen ?? folders), extensions: reader.fileExtensions, retries: places == nil,
            problems: &report.problems, progress)
        report.unchanged = plan.unchangedCount
        try await store(plan, into: &report)
        let paths = Dictionary(folders.map { ($0.folder, $0.path) }) { $1 }
        try await readTags(of: plan, in: paths, reader, into: &report, progress)
        try Task.checkCancellation()
        return report
    }

    /// Compares the disk with the library.
    private func plan(
        _ places: [ScannedPlace], extensions: Set<String>, retries: Bool, problems: inout [LibraryProblem],
        _ progress: @Sendable (LibraryScanProgress) -> Void
    ) async throws -> ScanPlan {
        var found: [FoundFile] = []
        var known: [PathKey: KnownFile] = [:]
        var unreadable: [String] = []
        var unknown: Set<PathKey> = []
        for place in places {
            let before = try await knownFiles(below: place.path)
            known.merge(before) { $1 }
            if let reason = Self.absence(of: place.folderPath, hasTracks: !before.isEmpty) {
                unreadable.append(place.folderPath)
                problems.append(LibraryProblem(path: place.folderPath, reason: reason))
                continue
            }
            var walk = FolderWalk(extensions: extensions)
            walk.read(place.path, in: place.folder) { [before = found.count] _, count in
                progress(LibraryScanProgress(folder: place.folderPath, total: before + count))
                return !Task.isCancelled
            }
            try Task.checkCancellation()
            // Its disk may have gone meanwhile, and what was not found with it.
            if let reason = Self.absence(of: place.folderPath, hasTracks: !before.isEmpty) {
                unreadable.append(place.folderPath)
                problems.append(LibraryProblem(path: place.folderPath, reason: reason))
                continue
            }
            found += walk.files
            unknown.formUnion(walk.unknown.map { PathKey($0) })
            problems += walk.doubts.map { LibraryProblem(path: $0.path, reason: $0.reason) }
            // What lies below a folder of the library may be gone.
            for failure in walk.failures where failure.path == place.folderPath || !FolderWalk.isGone(failure.path) {
                unreadable.append(failure.path)
                problems.append(LibraryProblem(path: failure.path, reason: failure.reason))
            }
        }
        return ScanPlan(found: found, known: known, retries: retries) { path in
            !unreadable.contains { $0 == path || Self.lies(path, within: $0) }
                && !Self.lies(PathKey(path), amid: unknown)
        }
    }

    /// The places without those that lie within another one or repeat one. A file that was found twice would not be
    /// recognised as one that has moved.
    static func outermost(_ places: [ScannedPlace]) -> [ScannedPlace] {
        let paths = Set(places.map { PathKey($0.path) })
        var seen: Set<PathKey> = []
        return places.filter { place in
            let key = PathKey(place.path)
            return seen.insert(key).inserted && !lies(key, belowOneOf: paths)
        }
    }

    /// Whether a path is one of some, or lies below one.
    private static func lies(_ path: PathKey, amid paths: Set<PathKey>) -> Bool {
        !paths.isEmpty && (paths.contains(path) || lies(path, belowOneOf: paths))
    }

    /// Whether a path lies below one of some. Its folders are looked up, as thousands of paths are not compared with each other in time.
    private static func lies(_ path: PathKey, belowOneOf folders: Set<PathKey>) -> Bool {
        var part = path.path[...]
        while part.utf8.count > 1, let slash = part.utf8.lastIndex(of: UInt8(ascii: "/")) {
            part = part[..<slash]
            if folders.contains(PathKey(part.isEmpty ? "/" : String(part))) { return true }
        }
        return false
    }

    /// Why a folder of the library seems to be on a disk that is not there; `nil` when it can be read.
    private static func absence(of folder: String, hasTracks: Bool) -> String? {
        // It is asked for each place within it, and may hold thousands of folders: one name is enough.
        let (names, failure) = FolderWalk.names(in: folder, limit: 1)
        guard failure == nil, names.isEmpty, hasTracks else { return failure }
        return "it is empty; is its disk mounted? descant library remove forgets it"
    }

    private func readTags(
        of plan: ScanPlan, in folders: [Int64: String], _ reader: any TagReaderService & Sendable,
        into report: inout LibraryScanReport, _ progress: @Sendable (LibraryScanProgress) -> Void
    ) async throws {
        let files = Dictionary(
            plan.changed.map { (URL(filePath: $0.path, directoryHint: .notDirectory), $0) }
        ) { first, _ in first }
        let total = plan.unchangedCount + plan.moves.count + plan.changed.count
        var done = total - plan.changed.count
        func tell(_ file: FoundFile) {
            let folder = folders[file.folder] ?? ""
            progress(LibraryScanProgress(phase: .reading, folder: folder, done: done, total: total, path: file.path))
        }
        plan.changed.first.map(tell)
        var results: [TrackRow] = []
        var last = ContinuousClock.now
        func storeResults() async throws {
            guard let file = results.last?.file else { return }
            // A file that still cannot be read for the same reason is stored already.
            let rows = results.filter { row in plan.retried[PathKey(row.file.path)].map { $0 != row.failure } ?? true }
            if !rows.isEmpty { try await store(rows) }
            last = .now
            done += results.count
            report.unchanged += results.count - rows.count
            for row in rows {
                if plan.replaced.contains(PathKey(row.file.path)) { report.updated += 1 } else { report.added += 1 }
                if row.failure != nil { report.failed += 1 }
            }
            tell(file)
            results = []
        }
        let urls = plan.changed.map { URL(filePath: $0.path, directoryHint: .notDirectory) }
        for await result in reader.readMetadata(of: urls) {
            guard let file = files[result.url] else { continue }
            results.append(TrackRow(file, result.outcome))
            if results.count == Self.batch || ContinuousClock.now - last > Self.longestBatch {
                try await storeResults()
            }
        }
        try await storeResults()
    }

    /// The files that the library has at a path and below it, by path.
    private func knownFiles(below path: String) async throws -> [PathKey: KnownFile] {
        // "0" follows "/": what begins with "path/" lies between the two.
        let bounds = path == "/" ? ("/", "0") : (path + "/", path + "0")
        return try await read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: "SELECT path, id, modified, size, failure FROM track WHERE path = ? OR (path >= ? AND path < ?)",
                arguments: [path, bounds.0, bounds.1])
            var known: [PathKey: KnownFile] = [:]
            while let row = try rows.next() {
                known[PathKey(row[0])] = KnownFile(id: row[1], modified: row[2], size: row[3], failure: row[4])
            }
            return known
        }
    }

    /// Stores where files have moved to, and forgets those that are gone.
    private func store(_ plan: ScanPlan, into report: inout LibraryScanReport) async throws {
        guard !plan.moves.isEmpty || !plan.removed.isEmpty else { return }
        try await write { db in
            let move = try db.cachedStatement(sql: "UPDATE track SET path = ?, folderID = ? WHERE id = ?")
            for (id, file) in plan.moves { try move.execute(arguments: [file.path, file.folder, id]) }
            let remove = try db.cachedStatement(sql: "DELETE FROM track WHERE id = ?")
            for id in plan.removed { try remove.execute(arguments: [id]) }
        }
        report.moved += plan.moves.count
        report.removed += plan.removed.count
    }

    private func store(_ rows: [TrackRow]) async throws {
        // The order on the disk keeps the tracks of an album together.
        let sorted = rows.sorted { $0.file.path < $1.file.path }
        try await write { db in for row in sorted { try row.store(db) } }
    }
}

/// A folder or file to scan, and the folder of the library that it belongs to.
struct ScannedPlace: Sendable {
    let path: String
    let folder: Int64
    let folderPath: String
}

/// A path as Linux compares it, byte by byte. As strings, an é of one character and one of two are equal.
struct PathKey: Hashable, Sendable {
    let path: String

    init(_ path: String) { self.path = path }

    static func == (one: PathKey, other: PathKey) -> Bool { one.path.utf8.elementsEqual(other.path.utf8) }

    func hash(into hasher: inout Hasher) {
        var path = path
        path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// What the library knows of a file.
struct KnownFile: Sendable {
    let id: Int64
    let modified: Int64
    let size: Int64
    /// Why its tags could not be read; `nil` when they could.
    let failure: String?

    /// Whether its tags could not be read for a reason that may be gone although the file has not changed. Damaged data stay damaged.
    var mayBecomeReadable: Bool {
        guard let failure else { return false }
        return !failure.hasPrefix(CoreError.decodeError("").description)
    }
}

/// What a scan does with the files that it has found.
struct ScanPlan: Sendable {
    /// New and changed files and those that are read again, in the order in which they were found.
    private(set) var changed: [FoundFile] = []
    /// The paths of those that the library knows.
    private(set) var replaced: Set<PathKey> = []
    /// Why those could not be read that have not changed and are read again, by path.
    private(set) var retried: [PathKey: String] = [:]
    /// The tracks whose file lies elsewhere now.
    private(set) var moves: [(id: Int64, file: FoundFile)] = []
    /// The tracks whose file is gone.
    private(set) var removed: [Int64] = []
    private(set) var unchangedCount = 0

    /// Compares files with the library.
    ///
    /// - Parameters:
    ///   - found: The files on the disk.
    ///   - known: What the library knows, by path.
    ///   - retries: Whether files are read again that could not be read and may have become readable.
    ///   - isGone: Whether a path that was not found is gone, rather than in a folder that cannot be read.
    init(found: [FoundFile], known: [PathKey: KnownFile], retries: Bool, isGone: (String) -> Bool) {
        struct Stamp: Hashable {
            let modified: Int64
            let size: Int64
        }
        let present = Set(found.map { PathKey($0.path) })
        let missing = known.filter { !present.contains($0.key) && isGone($0.key.path) }
        // Two files that look alike could be mistaken for each other, so they count as new.
        let byStamp = Dictionary(grouping: missing.values) { Stamp(modified: $0.modified, size: $0.size) }
        let newByStamp = Dictionary(grouping: found.filter { known[PathKey($0.path)] == nil }) {
            Stamp(modified: $0.modified, size: $0.size)
        }
        var kept: Set<Int64> = []
        for file in found {
            let stamp = Stamp(modified: file.modified, size: file.size)
            if let old = known[PathKey(file.path)] {
                let isChanged = old.modified != file.modified || old.size != file.size
                guard isChanged || retries && old.mayBecomeReadable else {
                    unchangedCount += 1
                    continue
                }
                changed.append(file)
                replaced.insert(PathKey(file.path))
                if !isChanged { retried[PathKey(file.path)] = old.failure }
            } else if let before = byStamp[stamp], before.count == 1, newByStamp[stamp]?.count == 1 {
                moves.append((before[0].id, file))
                kept.insert(before[0].id)
            } else {
                changed.append(file)
            }
        }
        removed = missing.values.map(\.id).filter { !kept.contains($0) }.sorted()
    }
}
