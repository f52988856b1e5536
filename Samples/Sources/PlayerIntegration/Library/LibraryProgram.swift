internal import Dispatch
public import Foundation
internal import Glibc
public import PlayerApp
internal import Synchronization

/// The media library through the program `descant-library`, which answers questions in JSON, one a line.
///
/// The program is started by the first question and ends with its standard input, so also when this process is killed. When it ends by
/// itself, the questions that wait fail with the reason, and the next one starts it again. A question that is not answered in time, as on
/// a disk that hangs, fails as well.
public final class LibraryProgram: LibraryBrowsing {
    /// News of the library, for one reader.
    public let news: AsyncStream<LibraryNews>
    private let feed: AsyncStream<LibraryNews>.Continuation
    private let program: URL
    /// How long an answer may take, in seconds.
    private let patience: Double
    private let state = Mutex(State())
    /// Starts the program and asks it, which may wait for a disk.
    private let asking = DispatchQueue(label: "descant.library.asking")
    /// Ends what takes too long.
    private let limits = DispatchQueue(label: "descant.library.limits")

    private struct State {
        var connection: Connection?
        var lastID = 0
        /// The phase of the scan that is running; `nil` for none.
        var scanPhase: LibraryAnswer.Scan.Phase?
        /// How many files the running scan had stored when the lists were last said to have changed, and when that was.
        var stored: (count: Int, time: ContinuousClock.Instant)?
        var waiting: [Int: Waiting] = [:]
    }

    /// A question without an answer.
    private struct Waiting {
        let continuation: CheckedContinuation<LibraryAnswer, any Error>
        /// The program that was asked; `nil` before that.
        var program: Int32?
    }

    /// A running program.
    private struct Connection {
        let number: Int32
        /// The end of the socket that is the program's standard input.
        let socket: Int32
    }

    /// The minimum time between two events of changed lists during a scan.
    private static let listInterval = Duration.seconds(2)
    /// The maximum length of an answer, in bytes. A library of a million tracks answers with less.
    private static let answerLimit = 512 << 20

    /// Names the program; nothing is started yet.
    ///
    /// - Parameters:
    ///   - program: The file of `descant-library`.
    ///   - patience: How long an answer may take, in seconds.
    public init(_ program: URL, patience: Double = 10) {
        self.program = program
        self.patience = patience
        // Nobody reads it before the library is shown, and a problem is not to be lost behind a scan's progress. That comes at most four times a
        // second, and ends with the scan.
        (news, feed) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    deinit { close() }

    /// Lets the program end.
    public func close() {
        // Under the lock, as the thread that reads closes the socket after it has taken the lock.
        state.withLock { state in
            if let connection = state.connection { shutdown(connection.socket, Int32(SHUT_RDWR)) }
            state.connection = nil
        }
        feed.finish()
    }

    // MARK: Questions

    /// The artists, by name.
    ///
    /// - Parameter genre: A genre of which they have tracks; `nil` for all artists.
    public func artists(in genre: String?) async throws -> [LibraryItem] {
        try await ask(LibraryQuestion(ask: "artists", genre: genre)).artists?.map { artist in
            LibraryItem(
                .artist(artist.name), title: artist.name.isEmpty ? "(no artist)" : artist.name,
                detail: Self.count(artist.albumCount, "album"))
        } ?? []
    }

    /// The genres, by name.
    public func genres() async throws -> [LibraryItem] {
        try await ask(LibraryQuestion(ask: "genres")).genres?.map {
            LibraryItem(.genre($0.name), title: $0.name, detail: Self.count($0.trackCount, "track"))
        } ?? []
    }

    /// The albums of an artist.
    ///
    /// - Parameters:
    ///   - artist: The name.
    ///   - genre: A genre of which they have tracks, which alone are counted; `nil` for all.
    public func albums(by artist: String, in genre: String?) async throws -> [LibraryItem] {
        try await ask(LibraryQuestion(ask: "albums", artist: artist, genre: genre)).albums?.map { album in
            let title = album.title.isEmpty ? "(no album)" : album.title
            return LibraryItem(
                .album(album.title, by: album.artist), title: album.year.map { "\(title) (\($0))" } ?? title,
                detail: Self.count(album.trackCount, "track"))
        } ?? []
    }

    /// Tracks in the order of their albums.
    ///
    /// - Parameters:
    ///   - artist: Whose tracks.
    ///   - album: Which album; `nil` for all.
    ///   - genre: Which genre; `nil` for all.
    public func tracks(by artist: String, on album: String?, in genre: String?) async throws -> [LibraryItem] {
        let question = LibraryQuestion(ask: "tracks", artist: artist, album: album, genre: genre)
        return try await ask(question).tracks?.map { $0.item() } ?? []
    }

    /// The tracks of a genre, by artist and album.
    ///
    /// - Parameter genre: The genre.
    public func tracks(in genre: String) async throws -> [LibraryItem] {
        try await ask(LibraryQuestion(ask: "tracks", genre: genre)).tracks?.map { $0.item(withArtist: true) } ?? []
    }

    /// The first 200 tracks in another order.
    ///
    /// - Parameter order: The order.
    public func tracks(ordered order: LibraryOrder) async throws -> [LibraryItem] {
        let question = LibraryQuestion(ask: "tracks", limit: 200, order: order.rawValue)
        return try await ask(question).tracks?.map { track in
            var item = track.item(withArtist: true)
            if order == .mostPlayed { item.detail = Self.count(track.playCount ?? 0, "play") }
            return item
        } ?? []
    }

    /// Tracks that contain the beginnings of words, one more than a search shows at most.
    ///
    /// - Parameter text: The words.
    public func tracks(containing text: String) async throws -> [LibraryItem] {
        let question = LibraryQuestion(ask: "search", text: text, limit: LibraryState.foundLimit + 1)
        return try await ask(question).tracks?.map { $0.item(withArtist: true) } ?? []
    }

    /// Counts that a file was played.
    ///
    /// - Parameter url: The file.
    public func notePlayed(_ url: URL) async {
        do {
            _ = try await ask(LibraryQuestion(ask: "played", path: url.path))
        } catch {
            feed.yield(.problem("the play is not counted: \(error)"))
        }
    }

    /// Adds a folder; the program begins to read it then.
    ///
    /// - Parameter path: A path as a person types it; it may begin with `~`.
    /// - Returns: The folder as it is shown.
    public func addFolder(_ path: String) async throws -> String {
        // Without a question to its disk, which may be gone: this thread is shared.
        let folder = URL(filePath: HomePath.expand(path), directoryHint: .isDirectory).standardizedFileURL.path
        _ = try await ask(LibraryQuestion(ask: "add", path: folder))
        return HomePath.abbreviate(folder)
    }

    /// The folders, by path, with the number of their tracks and what is wrong with them.
    public func folders() async throws -> [LibraryItem] {
        try await ask(LibraryQuestion(ask: "folders")).folders?.map { folder in
            let problem =
                switch folder.state {
                case "empty": ", empty now"
                case "unreadable": ", not readable"
                case "silent": ", no answer"
                default: ""
                }
            return LibraryItem(
                .folder(folder.path), title: HomePath.abbreviate(folder.path),
                detail: Self.count(folder.trackCount, "track") + problem)
        } ?? []
    }

    /// Takes a folder out of the library; its files stay.
    ///
    /// - Parameter path: The folder.
    /// - Returns: The folder as it is shown.
    public func removeFolder(_ path: String) async throws -> String {
        _ = try await ask(LibraryQuestion(ask: "remove", path: path))
        return HomePath.abbreviate(path)
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    // MARK: The program

    private func ask(_ question: LibraryQuestion) async throws -> LibraryAnswer {
        let answer = try await withCheckedThrowingContinuation { continuation in
            let id = state.withLock { state in
                state.lastID += 1
                state.waiting[state.lastID] = Waiting(continuation: continuation)
                return state.lastID
            }
            asking.async { [self] in
                do { try send(question, id) } catch { end(id, with: .failure(error)) }
            }
            limits.asyncAfter(deadline: .now() + patience) { [weak self, patience] in
                let reason = "the library has not answered for \(Int(patience.rounded())) s; is its disk there?"
                self?.end(id, with: .failure(InputError(description: reason)))
            }
        }
        if let reason = answer.error { throw InputError(description: reason) }
        return answer
    }

    /// Ends a question, unless it has ended.
    private func end(_ id: Int, with result: Result<LibraryAnswer, any Error>) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.continuation.resume(with: result)
    }

    /// Asks the program. Called on the queue for that.
    private func send(_ question: LibraryQuestion, _ id: Int) throws {
        var question = question
        question.id = id
        let line = Array(try JSONEncoder().encode(question)) + [0x0A]
        if state.withLock({ $0.connection == nil }) { try start() }
        let isSent = state.withLock { state in
            guard let connection = state.connection else { return false }
            state.waiting[id]?.program = connection.number
            // A question is a few hundred bytes and the buffer of a socket 200 KiB: this waits for nothing, or fails.
            let sent = line.withUnsafeBytes {
                Glibc.send(
                    connection.socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            return sent == line.count
        }
        guard isSent else { throw InputError(description: "the library does not answer") }
    }

    /// Starts the program. Its answers are read on a thread of their own, which ends with it.
    private func start() throws {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw InputError(description: "the library cannot be asked: \(String(cString: strerror(errno)))")
        }
        let process = Process()
        process.executableURL = program
        process.arguments = ["serve"]
        let theirs = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        process.standardInput = theirs
        process.standardOutput = theirs
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
            try theirs.close()
        } catch {
            Glibc.close(ends[0])
            throw InputError(description: "\(program.path) cannot be run: \(error.localizedDescription)")
        }
        let connection = Connection(number: process.processIdentifier, socket: ends[0])
        state.withLock { $0.connection = connection }
        Thread.detachNewThread { [weak self] in
            Self.readLines(from: connection.socket) { self?.receive($0) }
            // Here nobody writes to the socket any more, so its number may be given to another one.
            self?.forget(connection)
            Glibc.close(connection.socket)
            process.waitUntilExit()
        }
    }

    private static func readLines(from socket: Int32, _ receive: (Data) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var line = Data()
        while true {
            let count = read(socket, &buffer, buffer.count)
            guard count > 0, line.count < answerLimit else { break }
            var rest = buffer[..<count]
            while let end = rest.firstIndex(of: 0x0A) {
                receive(line + rest[..<end])
                line = Data()
                rest = rest[(end + 1)...]
            }
            line += rest
        }
    }

    private func receive(_ line: Data) {
        guard let answer = try? JSONDecoder().decode(LibraryAnswer.self, from: line) else { return }
        if let problem = answer.problem { feed.yield(.problem(problem)) }
        if let scan = answer.scan { tell(scan) }
        if answer.changed != nil { feed.yield(.changed) }
        if let id = answer.id { end(id, with: .success(answer)) }
    }

    /// Tells how far a scan has come, and now and then that the lists are longer.
    private func tell(_ scan: LibraryAnswer.Scan) {
        let isLonger = state.withLock { state in
            state.scanPhase = scan.phase == .finished ? nil : scan.phase
            guard scan.phase == .reading else {
                state.stored = nil
                return false
            }
            let now = ContinuousClock.now
            guard let stored = state.stored else {
                state.stored = (scan.done, now - Self.listInterval)
                return false
            }
            guard scan.done > stored.count, now - stored.time >= Self.listInterval else { return false }
            state.stored = (scan.done, now)
            return true
        }
        switch scan.phase {
        case .searching: feed.yield(.scan(LibraryScan(folder: HomePath.abbreviate(scan.folder), files: scan.total)))
        case .reading:
            feed.yield(
                .scan(LibraryScan(folder: HomePath.abbreviate(scan.folder), files: scan.done, total: scan.total)))
        case .finished: feed.yield(.scan(nil))
        }
        if isLonger { feed.yield(.changed) }
    }

    private func forget(_ connection: Connection) {
        let reason = "descant-library has ended; see: descant library stats"
        let (lost, wasScanning) = state.withLock { state in
            let isCurrent = state.connection?.number == connection.number
            defer { if isCurrent { (state.connection, state.scanPhase, state.stored) = (nil, nil, nil) } }
            return (
                state.waiting.filter { $0.value.program == connection.number }.keys,
                isCurrent && state.scanPhase != nil
            )
        }
        if wasScanning {
            feed.yield(.scan(nil))
            feed.yield(.problem(reason))
        }
        for id in lost { end(id, with: .failure(InputError(description: reason))) }
    }
}

/// A question to the program.
private struct LibraryQuestion: Encodable {
    var id = 0
    var ask: String
    var artist: String?
    var album: String?
    var genre: String?
    var text: String?
    var path: String?
    var limit: Int?
    var order: String?
}

/// An answer of the program, or news when it has no number.
private struct LibraryAnswer: Decodable {
    struct Artist: Decodable {
        var name: String
        var albumCount: Int
    }

    struct Album: Decodable {
        var title: String
        var artist: String
        var year: Int?
        var trackCount: Int
    }

    struct Genre: Decodable {
        var name: String
        var trackCount: Int
    }

    struct Track: Decodable {
        var url: URL
        var title: String
        var artist: String?
        var album: String?
        var trackNumber: Int?
        var duration: Double?
        var playCount: Int?

        func item(withArtist: Bool = false) -> LibraryItem {
            var entry = PlaylistEntry(url: url, title: title, artist: artist, duration: duration)
            entry.album = album
            let number = trackNumber.map { $0 < 10 ? " \($0)  " : "\($0)  " } ?? ""
            let name = withArtist ? [artist, title].compactMap { $0 }.joined(separator: " – ") : number + title
            return LibraryItem(.track(entry), title: name, detail: length)
        }

        private var length: String {
            guard let duration, duration.isFinite, duration >= 0 else { return "" }
            let whole = Int(min(duration, 1e9))
            return "\(whole / 60):\(whole % 60 < 10 ? "0" : "")\(whole % 60)"
        }
    }

    struct Folder: Decodable {
        var path: String
        var trackCount: Int
        var state: String
    }

    struct Changed: Decodable {}

    struct Scan: Decodable {
        enum Phase: String, Decodable {
            case searching, reading, finished
        }

        var phase: Phase
        var folder: String
        var done: Int
        var total: Int
    }

    var id: Int?
    var artists: [Artist]?
    var albums: [Album]?
    var genres: [Genre]?
    var tracks: [Track]?
    var folders: [Folder]?
    var scan: Scan?
    var changed: Changed?
    var problem: String?
    var error: String?
}
