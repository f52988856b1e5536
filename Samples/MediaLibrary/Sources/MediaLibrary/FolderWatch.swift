internal import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization

/// Tells in which folders files have come, changed or gone.
///
/// Changes are gathered until none came for a while, as a copied album is hundreds of them. A folder that comes is watched with all below
/// it. Everything runs on a queue of its own; the watch ends when it is released.
final class FolderWatch: Sendable {
    /// A change.
    enum Change: Sendable, Hashable {
        /// Something in this folder has changed.
        case folder(String)
        /// The kernel has lost changes, so everything may have changed.
        case everything
        /// Something was written to the library, such as a folder that another program has added.
        case library
    }

    /// Announces that there are changes to ``take()``. Ends when the watch does.
    let announcements: AsyncStream<Void>
    private let announce: AsyncStream<Void>.Continuation
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "descant.library.watch", qos: .utility)
    // Dispatch sources may be used from any thread; the protocols were made before Swift could say so.
    nonisolated(unsafe) private let source: any DispatchSourceRead
    nonisolated(unsafe) private let timer: any DispatchSourceTimer
    private let descriptor: Int32
    private let quiet: Double

    private struct State {
        var changes: Set<Change> = []
        /// Since when changes wait.
        var since: ContinuousClock.Instant?
        var folders: [Int32: String] = [:]
        /// The folders that are watched with all below them.
        var roots: [String] = []
        /// The number of the watch of the library's journal.
        var journal: Int32?
        var problem: String?
    }

    private static let mask = UInt32(
        IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
            | IN_ONLYDIR
            | IN_DONT_FOLLOW)
    /// Changes that go on and on are announced at this interval, in seconds.
    private static let longest = 10.0

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - folders: Paths; the folders below are watched too.
    ///   - quiet: The seconds without a change after which changes are announced.
    ///   - journal: The file that SQLite writes first to when the library changes; `nil` for none.
    /// - Throws: ``LibraryError`` when the system gives no watch.
    init(_ folders: [String], quiet: Double, journal: String? = nil) throws(LibraryError) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else {
            throw .folder(
                folders.first ?? "/", reason: "changes cannot be watched: \(String(cString: strerror(errno)))")
        }
        (announcements, announce) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.quiet = quiet
        state = Mutex(State())
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        timer = DispatchSource.makeTimerSource(queue: queue)
        let descriptor = descriptor
        source.setCancelHandler { close(descriptor) }
        source.setEventHandler { [weak self] in self?.readEvents() }
        timer.setEventHandler { [weak self] in self?.announceChanges() }
        timer.schedule(deadline: .distantFuture)
        source.activate()
        timer.activate()
        if let journal {
            let number = inotify_add_watch(descriptor, journal, UInt32(IN_MODIFY))
            state.withLock { $0.journal = number >= 0 ? number : nil }
        }
        for folder in folders { follow(folder) }
    }

    deinit {
        source.cancel()
        timer.cancel()
        announce.finish()
    }

    /// Why a folder is not watched; `nil` when all are.
    var problem: String? { state.withLock { $0.problem } }

    /// The changes since the last call.
    func take() -> Set<Change> {
        state.withLock { state in
            defer { (state.changes, state.since) = ([], nil) }
            return state.changes
        }
    }

    /// Watches a further folder and those below it.
    func follow(_ folder: String) {
        state.withLock { $0.roots.append(folder) }
        watch(folder)
    }

    /// Watches a folder and those below it.
    private func watch(_ folder: String) {
        var walk = FolderWalk(extensions: [])
        walk.read(folder) { path, _ in
            // Watched before it is read: a folder that comes meanwhile is announced, and one that came before is found.
            add(path)
            return true
        }
    }

    private func add(_ path: String) {
        // Under the lock, so that the first event of the folder finds its path.
        state.withLock { state in
            let number = inotify_add_watch(descriptor, path, Self.mask)
            if number >= 0 {
                state.folders[number] = path
            } else if errno == ENOSPC {
                state.problem =
                    "\(path): the system watches no more folders; raise fs.inotify.max_user_watches with sysctl"
            }
        }
    }

    // MARK: On the queue

    private func readEvents() {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let headerLength = MemoryLayout<inotify_event>.size
        while true {
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { break }
            var offset = 0
            while offset + headerLength <= count {
                let event = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self) }
                let end = min(count, offset + headerLength + Int(event.len))
                let name = String(decoding: bytes[offset + headerLength..<end].prefix { $0 != 0 }, as: UTF8.self)
                note(event, name)
                offset = end
            }
        }
        schedule()
    }

    func note(_ event: inotify_event, _ name: String) {
        let mask = Int32(bitPattern: event.mask)
        guard mask & Int32(IN_Q_OVERFLOW) == 0 else {
            state.withLock { _ = $0.changes.insert(.everything) }
            // Folders may have come without a word.
            for root in state.withLock({ $0.roots }) { watch(root) }
            return
        }
        guard !noteLibrary(event) else { return }
        let folder = state.withLock { state in
            mask & Int32(IN_IGNORED) != 0 ? state.folders.removeValue(forKey: event.wd) : state.folders[event.wd]
        }
        guard let folder, !name.hasPrefix(".") else { return }
        let path = "\(folder == "/" ? "" : folder)/\(name)"
        let isFolder = mask & Int32(IN_ISDIR) != 0
        // A file that was created is announced when it was written.
        if mask & Int32(IN_CREATE) != 0, !isFolder, !Self.isLink(path) { return }
        state.withLock { _ = $0.changes.insert(.folder(folder)) }
        if isFolder, mask & Int32(IN_CREATE | IN_MOVED_TO) != 0 { watch(path) }
    }

    /// Notes a change of the library itself.
    ///
    /// - Returns: Whether the event tells of it.
    private func noteLibrary(_ event: inotify_event) -> Bool {
        state.withLock { state in
            guard event.wd == state.journal else { return false }
            if Int32(bitPattern: event.mask) & Int32(IN_IGNORED) != 0 { state.journal = nil }
            state.changes.insert(.library)
            return true
        }
    }

    /// Whether a file that has just come is whole at once, as another name of a file is.
    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && (status.st_mode & S_IFMT == S_IFLNK || status.st_nlink > 1)
    }

    private func schedule() {
        let wait: Double? = state.withLock { state in
            guard !state.changes.isEmpty else { return nil }
            let now = ContinuousClock.now
            let since = state.since ?? now
            state.since = since
            return max(0, min(quiet, Self.longest - (now - since) / .seconds(1)))
        }
        if let wait { timer.schedule(deadline: .now() + wait) }
    }

    private func announceChanges() { announce.yield() }
}
