public import Descant
public import Foundation
public import PlayerApp

/// Stores what was played: the queue, the place in it, and the order of playing when it is shuffled, as files below
/// `$XDG_STATE_HOME/descant/player`.
///
/// A file is replaced as a whole, so that a crash leaves the old state or the new one. A file that cannot be understood is set aside, and one
/// that cannot be read stays. The queue before is kept, too, as ``previous``.
/// Of players that play at the same time, the one that began first stores its state.
public struct PlayerStateStore: Sendable {
    /// The folder; it need not exist.
    public let folder: URL

    /// The length from which on one track alone is a queue, in seconds.
    private static let longTrack = 1_200.0
    /// The maximum size of a file that is read, in bytes.
    private static let sizeLimit = 256 << 20

    /// Keeps the state in a folder of the host's choice.
    ///
    /// - Parameter folder: The folder.
    public init(folder: URL) { self.folder = folder }

    /// Stores the state in the desktop's folder for program state: below `$XDG_STATE_HOME`, or `~/.local/state`.
    ///
    /// - Parameters:
    ///   - environment: The variables of the process.
    ///   - app: The app's folder.
    public init(environment: [String: String], app: String = "player") {
        folder = DesktopFolder.state.url(environment).appendingPathComponent("descant/\(app)")
    }

    /// What was played last.
    ///
    /// - Returns: The state, `nil` when there is none, and a message when a file was damaged and set aside. Of an empty queue the state says
    ///   how the next one is played.
    public func load() -> (state: SavedPlayback?, problem: String?) {
        var status = stat()
        let isOld = lstat(queueFile.path, &status) != 0
        let (entries, queueProblem) = isOld ? read(oldQueueFile, OldQueue.decode) : read(queueFile, QueueText.decode)
        let (place, placeProblem) = read(placeFile) { try? JSONDecoder().decode(SavedPlace.self, from: $0) }
        let (order, orderProblem) = read(orderFile) { try? JSONDecoder().decode([Int].self, from: $0) }
        let problem = queueProblem ?? placeProblem ?? orderProblem
        guard let entries, !entries.isEmpty || place != nil else { return (nil, problem) }
        return (SavedPlayback(entries: entries, place: place, order: order), problem)
    }

    /// What was played before the queue that is stored.
    public var previous: PlayerStateStore { PlayerStateStore(folder: folder.appendingPathComponent("previous")) }

    /// Keeps the stored queue as ``previous`` when another one is about to take its place. One track alone takes the place of no queue there,
    /// unless it is long, as an audio book is: whoever plays a file in between goes on with what was played before.
    func keepPrevious(before queue: [PlaylistEntry]) throws {
        guard let stored = content(of: queueFile, QueueText.decode), !stored.isEmpty,
            stored.map(\.url) != queue.map(\.url),
            stored.count > 1 || stored[0].duration ?? 0 >= Self.longTrack
                || access(previous.queueFile.path, F_OK) != 0
        else { return }
        try previous.save(stored)
        for (file, target) in [(placeFile, previous.placeFile), (orderFile, previous.orderFile)]
        where rename(file.path, target.path) != 0 { unlink(target.path) }
    }

    func save(_ queue: [PlaylistEntry]) throws {
        try write(to: queueFile) { QueueText.encode(queue) }
        // Only now, so that whenever the process ends there is one of the two.
        unlink(oldQueueFile.path)
    }

    func save(_ place: SavedPlace) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try write(to: placeFile) { try encoder.encode(place) }
    }

    /// Stores the order of playing, or removes the stored one.
    ///
    /// - Parameter order: The queue's indices in the order of playing; `nil` while it is not shuffled.
    func save(order: [Int]?) throws {
        guard let order else {
            unlink(orderFile.path)
            return
        }
        try write(to: orderFile) { try JSONEncoder().encode(order) }
    }

    /// Claims the state for one player. A process that ends for whatever reason releases its claim.
    ///
    /// - Returns: `nil` while another player has it.
    /// - Throws: ``InputError`` when the folder cannot be made.
    func claim() throws -> StateClaim? {
        try makeFolder(for: queueFile)
        // The folder itself is locked: the files in it are replaced, and a full disk has no room for another one.
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw InputError(description: "\(folder.path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        // Some network file systems lock no folders; players there write in turn.
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return StateClaim(descriptor) }
        close(descriptor)
        return nil
    }

    private var queueFile: URL { folder.appendingPathComponent("queue.tsv") }
    private var oldQueueFile: URL { folder.appendingPathComponent("queue.json") }
    private var orderFile: URL { folder.appendingPathComponent("order.json") }
    private var placeFile: URL { folder.appendingPathComponent("place.json") }

    private func makeFolder(for file: URL) throws {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw InputError(description: "\(file.path) cannot be written: \(error.localizedDescription)")
        }
    }

    private func write(to file: URL, _ content: () throws -> Data) throws {
        try makeFolder(for: file)
        // What cannot be read now may be whole.
        if let reason = reasonNotToRead(file) {
            throw InputError(description: "\(file.path) cannot be read, and is left as it is: \(reason)")
        }
        do {
            try content().write(to: file, options: .atomic)
        } catch {
            throw InputError(description: "\(file.path) cannot be written: \(error.localizedDescription)")
        }
    }

    /// Why a file that is there cannot be opened; `nil` when it can, or is not there.
    private func reasonNotToRead(_ file: URL) -> String? {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor < 0 else {
            close(descriptor)
            return nil
        }
        return errno == ENOENT ? nil : String(cString: strerror(errno))
    }

    private func content<Value>(of file: URL, _ decode: (Data) -> Value?) -> Value? {
        guard let handle = try? FileHandle(forReadingFrom: file) else { return nil }
        defer { try? handle.close() }
        guard let data = try? handle.read(upToCount: Self.sizeLimit), data.count < Self.sizeLimit else { return nil }
        return decode(data)
    }

    private func read<Value>(_ file: URL, _ decode: (Data) -> Value?) -> (Value?, String?) {
        if let reason = reasonNotToRead(file) { return (nil, "\(file.path) cannot be read: \(reason)") }
        guard access(file.path, F_OK) == 0 else { return (nil, nil) }
        if let value = content(of: file, decode) { return (value, nil) }
        let aside = file.appendingPathExtension("damaged")
        guard rename(file.path, aside.path) == 0 else { return (nil, "\(file.path) is damaged and ignored") }
        return (nil, "\(file.path) is damaged; it was set aside as \(aside.lastPathComponent)")
    }
}

/// A queue as version 0.1.0 stored it.
private struct OldQueue: Decodable {
    struct Entry: Decodable {
        let url: URL
        let title: String
        let artist: String?
        let album: String?
        let duration: Double?
    }

    let entries: [Entry]

    static func decode(_ data: Data) -> [PlaylistEntry]? {
        try? JSONDecoder().decode(OldQueue.self, from: data).entries.map {
            PlaylistEntry(url: $0.url, title: $0.title, artist: $0.artist, album: $0.album, duration: $0.duration)
        }
    }
}

/// The claim of one player to the stored state, as long as it lives.
final class StateClaim: Sendable {
    private let descriptor: Int32

    fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}

/// A folder of the XDG base directory specification.
enum DesktopFolder: String {
    case state = "XDG_STATE_HOME"
    case config = "XDG_CONFIG_HOME"

    /// The folder for a process.
    ///
    /// - Parameter environment: The variables of the process.
    func url(_ environment: [String: String]) -> URL {
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? "/"
        let standard = self == .state ? ".local/state" : ".config"
        // The specification says that relative paths are ignored.
        let path = environment[rawValue].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/\(standard)"
        return URL(fileURLWithPath: path)
    }
}

/// A place in a queue as it is stored.
struct SavedPlace: Codable, Sendable, Equatable {
    /// The track; it says more than the index when the queue was stored at another moment.
    var url: URL?
    var index = 0
    /// Seconds from the beginning of the track.
    var position = 0.0
    /// 0…1.
    var volume: Double
    var repeats = "off"
    var isShuffled = false
    var rate = 1.0
    var crossfade = 0.0
    var loudness = "off"
    /// The equaliser; `nil` when it is off.
    var equalizer: EqualizerSettings?

    // Earlier versions stored none of these.

    /// Whether successive tracks of an album are joined gapless.
    var gaplessAlbums: Bool?
    /// Repetitions after the first time; `nil` for endlessly.
    var repeatCount: Int?
    /// Decibels on top of the loudness tags, -15…15.
    var preamp: Double?
    /// The name of the curve of crossfades. A name of a later version must not make the place unreadable.
    var curve: String?
}

/// What was played when a player ended.
public struct SavedPlayback: Sendable {
    /// The queue.
    public let entries: [PlaylistEntry]
    /// The track that was played.
    public let index: Int
    /// Where it was, in seconds from its beginning.
    public let position: TimeInterval
    /// The volume, 0…1; `nil` when it was not stored.
    public let volume: Double?
    /// How the queue was played.
    public let modes: PlaybackModes
    /// Repetitions after the first time; `nil` for endlessly.
    public let repeatCount: Int?
    /// Decibels on top of the loudness tags, -15…15.
    public let preamp: Double
    /// The curve of crossfades.
    public let fadeCurve: FadeCurve
    /// The order of playing as indices of the queue, each once; `nil` to have one drawn, as after the end of a round.
    public let order: [Int]?

    /// What happens at the natural end, in the library's terms.
    public var repeatMode: RepeatMode { RepeatMode(modes.repeats) }

    /// Which loudness tags are used, in the library's terms.
    public var replayGainMode: ReplayGainMode { ReplayGainMode(modes.loudness) }

    /// Numbers outside of their ranges count as absent.
    init(entries: [PlaylistEntry], place: SavedPlace?, order: [Int]? = nil) {
        self.entries = entries
        let isAtIndex = place.map { entries.indices.contains($0.index) && entries[$0.index].url == $0.url } ?? false
        let found = isAtIndex ? place?.index : entries.firstIndex { $0.url == place?.url }
        index = found ?? 0
        position = place.flatMap { found != nil && $0.position >= 0 && $0.position < 1e9 ? $0.position : nil } ?? 0
        volume = place.flatMap { (0...1).contains($0.volume) ? $0.volume : nil }
        modes = PlaybackModes(
            repeats: place.flatMap { RepeatSetting(rawValue: $0.repeats) } ?? .off,
            isShuffled: place?.isShuffled ?? false,
            rate: place.flatMap { (0.5...3).contains($0.rate) ? $0.rate : nil } ?? 1,
            crossfade: place.flatMap { (1...30).contains($0.crossfade) ? $0.crossfade : nil } ?? 0,
            loudness: place.flatMap { LoudnessSetting(rawValue: $0.loudness) } ?? .off,
            // Made anew, so that gains are in their range and as many as there are bands.
            equalizer: place?.equalizer.map {
                EqualizerSettings(isEnabled: $0.isEnabled, preamp: $0.preamp, bandGains: $0.bandGains)
            } ?? EqualizerSettings(),
            gaplessAlbums: place?.gaplessAlbums ?? false)
        repeatCount = place?.repeatCount.flatMap { $0 >= 0 ? $0 : nil }
        preamp = place?.preamp.flatMap { (-15...15).contains($0) ? $0 : nil } ?? 0
        fadeCurve = place?.curve.flatMap { FadeCurve(rawValue: $0) } ?? .equalPower
        // Without a place in it, all of it would count as coming or as played. It may be of another moment than the queue.
        let isWhole = order.map { $0.count == entries.count && $0.sorted() == Array(entries.indices) } ?? false
        self.order = isWhole && found != nil && modes.isShuffled ? order : nil
    }
}
