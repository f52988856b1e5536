public import Foundation

/// What a player plays from: a list of items and a place in it.
public struct PlayerQueue: JSONModel, Identifiable {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object with queue_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "queue_id")
        self.json = json
    }

    /// The same as ``queueId``.
    public var id: String { queueId }

    /// What commands call the queue; normally the id of its player.
    public var queueId: String { text("queue_id") ?? "" }

    /// Its name.
    public var displayName: String { text("display_name") ?? queueId }

    /// Whether its player plays from it rather than from another source.
    public var isActive: Bool { bool("active") ?? false }

    /// Whether its player answers.
    public var isAvailable: Bool { bool("available") ?? false }

    /// How many items it holds.
    public var itemCount: Int { int("items") ?? 0 }

    /// What it does.
    public var state: MusicAssistantPlaybackState { MusicAssistantPlaybackState(rawValue: text("state") ?? "unknown") }

    /// Whether its items are in random order.
    public var isShuffled: Bool { bool("shuffle_enabled") ?? false }

    /// What it does at the end of an item.
    public var repeatMode: MusicAssistantRepeatMode { MusicAssistantRepeatMode(rawValue: text("repeat_mode") ?? "off") }

    /// Whether it adds similar music at its end.
    public var goesOnWithSimilar: Bool {
        bool("autoplay_enabled") ?? bool("dont_stop_the_music_enabled") ?? false
    }

    /// The place of the present item, from 0; it stays on the last one at the end.
    public var currentIndex: Int? { int("current_index") }

    /// The present item.
    public var currentItem: QueueItem? {
        var item: QueueItem? = model("current_item")
        item?.index = currentIndex
        return item
    }

    /// The item after it.
    public var nextItem: QueueItem? { model("next_item") }

    /// The position in seconds when ``elapsedTimeUpdated`` was.
    public var elapsedTime: Double { double("elapsed_time") ?? 0 }

    /// When the server measured ``elapsedTime``, on its clock.
    public var elapsedTimeUpdated: Date? { double("elapsed_time_last_updated").map(Date.init(timeIntervalSince1970:)) }

    /// How fast it plays; 1 is the normal speed.
    public var playbackSpeed: Double { double("playback_speed") ?? 1 }

    /// The position in the present item at a time, in seconds.
    ///
    /// While it plays, this is the last measured position and what has passed since, times the speed; the server sends no
    /// event for passing time. It never goes beyond the length of the item nor below 0.
    ///
    /// - Parameter date: The time on the server's clock; the present time when both clocks agree.
    public func position(at date: Date = Date()) -> Double {
        var position = elapsedTime
        if state == .playing, let measured = elapsedTimeUpdated {
            position += max(0, date.timeIntervalSince(measured)) * playbackSpeed
        }
        if let duration = currentItem?.duration, duration > 0 { position = min(position, duration) }
        return max(0, position)
    }

    /// The same queue at another position.
    func moved(to seconds: Double, measured: Date) -> PlayerQueue {
        changed([
            "elapsed_time": .double(seconds), "elapsed_time_last_updated": .double(measured.timeIntervalSince1970),
        ])
    }

    /// The same queue of a player that answers, or does not.
    func available(_ isAvailable: Bool) -> PlayerQueue { changed(["available": .bool(isAvailable)]) }

    private func changed(_ fields: [String: JSONValue]) -> PlayerQueue {
        guard case .object(let members) = json else { return self }
        return (try? PlayerQueue(json: .object(members.merging(fields) { $1 }))) ?? self
    }

    /// The place of the item that the server has prepared last.
    public var indexInBuffer: Int? { int("index_in_buffer") }

    /// Where a stopped queue goes on, in seconds.
    public var resumePosition: Int? { int("resume_pos") }

    /// Whether its items are joined into one stream.
    public var isFlowing: Bool { bool("flow_mode") ?? false }

    /// Whether it is filled as it plays.
    public var isDynamic: Bool { bool("is_dynamic") ?? false }

    /// Whether it played to its end, where the server says so.
    public var hasEnded: Bool { bool("ended") ?? false }

    /// What the similar music is like.
    public var radioSources: [MediaItem] { json["sources"].map(MediaItem.list) ?? models("radio_source") }

    /// What the server adds.
    public var extraAttributes: [String: JSONValue] { json["extra_attributes"]?.objectValue ?? [:] }
}
