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
        (news, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(16))
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
    public func artists() async throws -> [LibraryItem] {
        try await ask(LibraryQuestion(ask: "artists")).artists?.map { artist in
            LibraryItem(
                .artist(artist.name), title: artist.name.isEmpty ? "(no artist)" : artist.name,
                detail: Self.count(artist.albumCount, "album"))
        } ?? []
    }

    /// The albums of an artist.
    ///
    /// - Parameter artist: The name.
    public func albums(by artist: String) async throws -> [LibraryItem] {
        try await ask(LibraryQuestion(ask: "albums", artist: artist)).albums?.map { album in
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
    public func tracks(by artist: String, on album: String?) async throws -> [LibraryItem] {
        try await ask(LibraryQuestion(ask: "tracks", artist: artist, album: album)).tracks?.map { $0.item() } ?? []
    }

    /// Tracks that contain the beginnings of words.
    ///
    /// - Parameter text: The words.
    public func tracks(containing text: String) async throws -> [LibraryItem] {
        try await ask(LibraryQuestion(ask: "search", text: text, limit: 500)).tracks?.map { $0.item(withArtist: true) }
            ?? []
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
        if answer.changed != nil { feed.yield(.changed) }
        if let id = answer.id { end(id, with: .success(answer)) }
    }

    private func forget(_ connection: Connection) {
        let lost = state.withLock { state in
            if state.connection?.number == connection.number { state.connection = nil }
            return state.waiting.filter { $0.value.program == connection.number }.keys
        }
        for id in lost {
            end(id, with: .failure(InputError(description: "descant-library has ended; see: descant library stats")))
        }
    }
}

/// A question to the program.
private struct LibraryQuestion: Encodable {
    var id = 0
    var ask: String
    var artist: String?
    var album: String?
    var text: String?
    var path: String?
    var limit: Int?
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

    struct Track: Decodable {
        var url: URL
        var title: String
        var artist: String?
        var album: String?
        var trackNumber: Int?
        var duration: Double?

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

    struct Changed: Decodable {}

    var id: Int?
    var artists: [Artist]?
    var albums: [Album]?
    var tracks: [Track]?
    var changed: Changed?
    var problem: String?
    var error: String?
}
