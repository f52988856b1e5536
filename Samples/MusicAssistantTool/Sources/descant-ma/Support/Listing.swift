internal import MusicAssistantKit

/// Texts for lists.
enum Listing {
    /// `3:25`.
    static func time(_ seconds: Double) -> String {
        let whole = Int(max(0, seconds))
        let rest = whole % 60
        return "\(whole / 60):\(rest < 10 ? "0" : "")\(rest)"
    }

    /// A player in one line.
    static func line(_ player: MusicAssistantPlayer) -> String {
        var parts = [player.isAvailable ? player.state.rawValue : "cannot be reached"]
        if let volume = player.volume { parts.append("volume \(volume)\(player.isMuted == true ? ", muted" : "")") }
        if player.isPowered == false { parts.append("off") }
        if let leader = player.syncedTo { parts.append("plays along with \(leader)") }
        if let media = player.currentMedia, let title = media.title {
            parts.append([media.artist, title].compactMap { $0 }.joined(separator: " – "))
        }
        return "\(player.name)  (\(player.playerId))  \(parts.joined(separator: ", "))"
    }

    /// An item of the library in one line.
    static func line(_ item: MediaItem) -> String {
        let artists = item.artists.map(\.name).joined(separator: ", ")
        let name = artists.isEmpty ? item.name : "\(artists) – \(item.name)"
        let length = item.duration.map { "  \(time($0))" } ?? ""
        return "\(item.mediaType.rawValue)  \(name)\(length)  \(item.path ?? item.uri)"
    }

    /// What a queue plays in one line.
    static func line(_ queue: PlayerQueue, position: Double) -> String {
        guard let item = queue.currentItem else {
            return "\(queue.displayName): \(queue.state.rawValue), nothing in the queue"
        }
        let length = item.duration.map { " / \(time($0))" } ?? ""
        return "\(queue.displayName): \(queue.state.rawValue)  \(item.name)  \(time(position))\(length)"
    }
}
