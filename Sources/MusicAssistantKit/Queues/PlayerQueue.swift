public import Foundation

/// The queue of a player: a list of items and the current position.
public struct PlayerQueue: JSONModel, Identifiable {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object with queue_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "queue_id")
        self.json = json
    }

    /// The same as ``queueId``.
    public var id: String { queueId }

    /// The queue's identifier in commands; normally the id of its player.
    public var queueId: String { text("queue_id") ?? "" }

    /// The name to show.
    public var displayName: String { text("display_name") ?? queueId }

    /// Whether its player plays from it rather than from another source.
    public var isActive: Bool { bool("active") ?? false }

    /// Whether its player is available.
    public var isAvailable: Bool { bool("available") ?? false }

    /// The number of items; 0 for a negative number.
    public var itemCount: Int { max(0, int("items") ?? 0) }

    /// The playback state.
    public var state: MusicAssistantPlaybackState { MusicAssistantPlaybackState(rawValue: text("state") ?? "unknown") }

    /// Whether its items are in random order.
    public var isShuffled: Bool { bool("shuffle_enabled") ?? false }

    /// The repeat mode.
    public var repeatMode: MusicAssistantRepeatMode { MusicAssistantRepeatMode(rawValue: text("repeat_mode") ?? "off") }

    /// Whether it adds similar music at its end.
    public var goesOnWithSimilar: Bool {
        bool("autoplay_enabled") ?? bool("dont_stop_the_music_enabled") ?? false
    }

    /// The index of the present item, from 0; after the end of the queue, that of the last item. Nil for a negative
    /// number.
    public var currentIndex: Int? { int("current_index").flatMap { $0 >= 0 ? $0 : nil } }

    /// The present item.
    public var currentItem: QueueItem? {
        var item: QueueItem? = model("current_item")
        item?.index = currentIndex
        return item
    }

    /// The item after it.
    public var nextItem: QueueItem? { model("next_item") }

    /// The position in seconds at the time ``elapsedTimeUpdated``.
    public var elapsedTime: Double { double("elapsed_time") ?? 0 }

    /// When the server measured ``elapsedTime``, on its clock.
    public var elapsedTimeUpdated: Date? { double("elapsed_time_last_updated").map(Date.init(timeIntervalSince1970:)) }

    /// The playback speed; 1 is normal.
    public var playbackSpeed: Double { double("playback_speed") ?? 1 }

    /// The position in the present item at a time, in seconds.
    ///
    /// While the queue plays, this is the last measured position plus the time since then, multiplied by the speed, because
    /// the server sends no events while time passes. The result is clamped to 0…duration of the item.
    ///
    /// - Parameter date: The time on the server's clock, see ``MusicAssistantClient/serverDate``; the present time when both
    ///   clocks agree.
    public func position(at date: Date = Date()) -> Double {
        var position = elapsedTime
        if state == .playing, let measured = elapsedTimeUpdated {
            position += max(0, date.timeIntervalSince(measured)) * playbackSpeed
        }
        if let duration = currentItem?.duration, duration > 0 { position = min(position, duration) }
        return position.isFinite ? min(max(0, position), longestTime) : 0
    }

    /// A copy of the queue at another position.
    func moved(to seconds: Double, measured: Date) -> PlayerQueue {
        changed([
            "elapsed_time": .double(seconds), "elapsed_time_last_updated": .double(measured.timeIntervalSince1970),
        ])
    }

    /// A copy of the queue with another availability.
    func available(_ isAvailable: Bool) -> PlayerQueue { changed(["available": .bool(isAvailable)]) }

    private func changed(_ fields: [String: JSONValue]) -> PlayerQueue {
        guard case .object(let members) = json else { return self }
        return (try? PlayerQueue(json: .object(members.merging(fields) { $1 }))) ?? self
    }

    /// The index of the item that the server has buffered last.
    public var indexInBuffer: Int? { int("index_in_buffer") }

    /// The position at which a stopped queue resumes, in seconds.
    public var resumePosition: Int? { int("resume_pos") }

    /// Whether its items are sent as one continuous stream.
    public var isFlowing: Bool { bool("flow_mode") ?? false }

    /// Whether items are added while it plays.
    public var isDynamic: Bool { bool("is_dynamic") ?? false }

    /// Whether it played to its end; nil when the server does not report it.
    public var hasEnded: Bool { bool("ended") ?? false }

    /// The items on which the added similar music is based.
    public var radioSources: [MediaItem] { json["sources"].map(MediaItem.list) ?? models("radio_source") }

    /// Additional data of the server.
    public var extraAttributes: [String: JSONValue] { json["extra_attributes"]?.objectValue ?? [:] }
}
