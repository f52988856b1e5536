import Foundation
import PlayerApp
import Synchronization

/// Two artists, three albums; answers when the test lets it.
final class FakeLibrary: LibraryBrowsing {
    let news: AsyncStream<LibraryNews>
    let feed: AsyncStream<LibraryNews>.Continuation
    /// The artists.
    let names = Mutex(["Ann", "Ben"])
    private let paths = Mutex(["/disk", "/home/ann/Music"])
    private let log = Mutex<[String]>([])
    private let refusal = Mutex<String?>(nil)
    private let gate = Mutex<[CheckedContinuation<Void, Never>]?>(nil)

    init() { (news, feed) = AsyncStream.makeStream() }

    var played: [String] { log.withLock { $0 } }

    func refuse(_ reason: String?) { refusal.withLock { $0 = reason } }

    /// Keeps every question waiting until ``open()``.
    func hold() { gate.withLock { $0 = [] } }

    func open() {
        let waiting = gate.withLock { gate in
            defer { gate = nil }
            return gate ?? []
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until this many questions wait.
    func wait(questions: Int) async {
        while gate.withLock({ $0?.count ?? 0 }) < questions { await Task.yield() }
    }

    /// Lets the question pass that has waited longest.
    func openOnce() { gate.withLock { $0?.removeFirst() }?.resume() }

    private func pass() async throws {
        await withCheckedContinuation { continuation in
            let passes = gate.withLock { gate in
                gate?.append(continuation)
                return gate == nil
            }
            if passes { continuation.resume() }
        }
        if let reason = refusal.withLock({ $0 }) { throw FakePlayer.Refusal(description: reason) }
    }

    static func track(_ name: String) -> LibraryItem {
        let entry = PlaylistEntry(url: URL(fileURLWithPath: "/music/\(name).flac"), title: name)
        return LibraryItem(.track(entry), title: name, detail: "3:00")
    }

    func artists(in genre: String?) async throws -> [LibraryItem] {
        try await pass()
        if genre != nil { return [LibraryItem(.artist("Ben"), title: "Ben", detail: "1 album")] }
        return names.withLock { $0 }.map { LibraryItem(.artist($0), title: $0, detail: "2 albums") }
    }

    func albums(by artist: String, in genre: String?) async throws -> [LibraryItem] {
        try await pass()
        let titles = genre == nil ? ["First", "Second"] : ["First"]
        return titles.map { LibraryItem(.album($0, by: artist), title: $0, detail: "2 tracks") }
    }

    func tracks(by artist: String, on album: String?, in genre: String?) async throws -> [LibraryItem] {
        try await pass()
        if let genre { return [Self.track("\(genre) of \(artist)\(album.map { " \($0)" } ?? "")")] }
        return (album.map { [$0] } ?? ["First", "Second"]).flatMap {
            [Self.track("\(artist) \($0) 1"), Self.track("\(artist) \($0) 2")]
        }
    }

    func genres() async throws -> [LibraryItem] {
        try await pass()
        return ["Jazz", "Pop"].map { LibraryItem(.genre($0), title: $0, detail: "2 tracks") }
    }

    func tracks(in genre: String) async throws -> [LibraryItem] {
        try await pass()
        return [Self.track("\(genre) 1"), Self.track("\(genre) 2")]
    }

    func tracks(ordered order: LibraryOrder) async throws -> [LibraryItem] {
        try await pass()
        return order == .newest ? [Self.track("new")] : []
    }

    func addFolder(_ path: String) async throws -> String {
        try await pass()
        log.withLock { $0.append("add \(path)") }
        return path
    }

    func folders() async throws -> [LibraryItem] {
        try await pass()
        return paths.withLock { $0 }.map { LibraryItem(.folder($0), title: $0, detail: "2 tracks") }
    }

    func removeFolder(_ path: String) async throws -> String {
        try await pass()
        paths.withLock { $0.removeAll { $0 == path } }
        log.withLock { $0.append("remove \(path)") }
        return path
    }

    func tracks(containing text: String) async throws -> [LibraryItem] {
        try await pass()
        if text == "many" { return (0...LibraryState.foundLimit).map { Self.track("with many \($0)") } }
        return text == "none" ? [] : [Self.track("with \(text)")]
    }

    func notePlayed(_ url: URL) async { log.withLock { $0.append(url.lastPathComponent) } }
}
