internal import ArgumentParser
internal import Foundation
internal import MusicAssistantKit

/// Lists and lines for people.
enum Listing {
    /// Checks the value of `--limit`.
    static func check(limit: Int?) throws {
        if let limit, !(1...100_000).contains(limit) {
            throw ValidationError("--limit \(limit): use 1 to 100000")
        }
    }

    /// How many items are listed at most: all for programs, unless a limit is given.
    static func limit(_ given: Int?, json: Bool, usual: Int = 50) -> Int { given ?? (json ? .max : usual) }

    /// What is told when there are more items than the limit.
    static let more = "… and more: --limit COUNT"

    /// Writes items as lines, or as JSON. That there are none, or more, is not a result: it is told on standard error.
    static func show(
        _ items: [MediaItem], limit: Int = .max, json: Bool, none: String, isNumbered: Bool = false,
        more: @autoclosure () -> String = Listing.more
    ) {
        if json { return Console.show(.array(items.prefix(limit).map(\.json))) }
        if items.isEmpty { Console.write(none) }
        for (index, item) in items.prefix(limit).enumerated() {
            Console.show(isNumbered ? "\(index + 1)  \(line(item))" : line(item))
        }
        if items.count > limit { Console.write(more()) }
    }

    /// Writes items of several kinds as lines, or as JSON.
    ///
    /// - Parameters:
    ///   - items: The items.
    ///   - limit: The maximum number of items of each kind.
    ///   - json: Whether JSON is written.
    ///   - none: What is told when there are none.
    static func show(_ items: [MediaItem], limitOfEachKind limit: Int, json: Bool, none: String) {
        var counts: [MediaType: Int] = [:]
        let shown = items.filter { item in
            let count = counts[item.mediaType, default: 0] + 1
            counts[item.mediaType] = count
            return count <= limit
        }
        show(shown, json: json, none: none)
        if !json, shown.count < items.count { Console.write(more) }
    }

    /// Writes the result of a change of an item as a line, or as JSON with the item under a key.
    static func show(done: String, _ item: MediaItem, as key: String, json: Bool) {
        if json { return Console.show(.object(["done": .string(done), key: item.json])) }
        Console.show("\(item.name): \(done)")
    }

    /// `3:25`, `1:02:03`.
    static func time(_ seconds: Double) -> String {
        let whole = Int(min(max(0, seconds), 1e9))
        let rest = whole % 60
        let minutes = whole / 60 % 60
        let short = "\(minutes):\(rest < 10 ? "0" : "")\(rest)"
        return whole < 3600 ? short : "\(whole / 3600):\(minutes < 10 ? "0" : "")\(short)"
    }

    /// A player's name, and its identifier where another player has the same name.
    static func label(_ player: MusicAssistantPlayer, among players: [MusicAssistantPlayer]) -> String {
        let isAlone = players.count { $0.name.lowercased() == player.name.lowercased() } <= 1
        return isAlone ? player.name : "\(player.name)  (\(player.playerId))"
    }

    /// A player in one line.
    static func line(_ player: MusicAssistantPlayer, among players: [MusicAssistantPlayer]) -> String {
        var parts = [player.isAvailable ? player.state.rawValue : "cannot be reached"]
        if let volume = volume(player) { parts.append(volume) }
        if player.isPowered == false { parts.append("off") }
        if let id = player.syncedTo {
            let leader = players.first { $0.playerId == id }
            parts.append("plays along with \(leader.map { label($0, among: players) } ?? id)")
        }
        if let media = player.currentMedia, let title = media.title {
            parts.append([media.artist, title].compactMap { $0 }.joined(separator: " – "))
        }
        return "\(label(player, among: players))  \(parts.joined(separator: ", "))"
    }

    /// `volume 30, muted`; nil for a player without a volume.
    static func volume(_ player: MusicAssistantPlayer) -> String? {
        player.volume.map { "volume \($0)\(player.isMuted == true ? ", muted" : "")" }
    }

    /// An item of the library in one line.
    static func line(_ item: MediaItem) -> String {
        let artists = item.artists.map(\.name).joined(separator: ", ")
        let name = artists.isEmpty ? name(item) : "\(artists) – \(name(item))"
        let length = item.duration.map { "  \(time($0))" } ?? ""
        return "\(item.mediaType.rawValue)  \(name)\(length)  \(item.path ?? item.uri)"
    }

    /// An item's name. Standard folders have no name; their translation key or path is used instead.
    private static func name(_ item: MediaItem) -> String {
        if !item.name.isEmpty { return item.name }
        let key = item.json["translation_key"]?.stringValue ?? item.json["label"]?.stringValue
        let path = (item.path ?? item.uri).split(separator: "/").last.map(String.init)
        let word = (key ?? path ?? item.itemId).replacing("_", with: " ")
        return word.prefix(1).uppercased() + word.dropFirst()
    }

    /// Returns the state of a queue in one line.
    static func line(_ queue: PlayerQueue, position: Double) -> String {
        let head = "\(queue.displayName): \(queue.state.rawValue)"
        guard let item = queue.currentItem else {
            let items = queue.itemCount == 1 ? "1 item" : "\(queue.itemCount) items"
            return "\(head), \(queue.itemCount == 0 ? "nothing" : items) in the queue"
        }
        let length = item.duration.map { " / \(time($0))" } ?? ""
        return "\(head)  \(item.name)  \(time(position))\(length)"
    }

    /// `shuffled, repeats all`; nil when neither.
    static func order(_ queue: PlayerQueue) -> String? {
        var parts = queue.isShuffled ? ["shuffled"] : []
        if queue.repeatMode != .off { parts.append("repeats \(queue.repeatMode.rawValue)") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
