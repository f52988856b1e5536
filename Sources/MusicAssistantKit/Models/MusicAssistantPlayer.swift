public import Foundation

/// A loudspeaker, or a group of them, that the server can play on.
public struct MusicAssistantPlayer: JSONModel, Identifiable {
    /// Everything that the server sent.
    public let json: JSONValue

    /// Takes what the server sent.
    ///
    /// - Parameter json: The value as it came.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is no object with player_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "player_id")
        self.json = json
    }

    /// The same as ``playerId``.
    public var id: String { playerId }

    /// What commands call the player.
    public var playerId: String { text("player_id") ?? "" }

    /// The name people gave it.
    public var name: String { text("display_name") ?? text("name") ?? playerId }

    /// The provider that brought the player.
    public var provider: String { text("provider") ?? "" }

    /// `player`, `group`, `stereo_pair` or a newer kind.
    public var type: String? { text("type") }

    /// Whether it answers; a player that is switched off stays in the list without being available.
    public var isAvailable: Bool { bool("available") ?? false }

    /// Whether it is switched on; nil when it has no such thing.
    public var isPowered: Bool? { bool("powered") }

    /// What it does.
    public var state: MusicAssistantPlaybackState {
        MusicAssistantPlaybackState(rawValue: text("playback_state") ?? text("state") ?? "unknown")
    }

    /// Its volume, 0…100; nil when it has none.
    public var volume: Int? { int("volume_level") }

    /// Whether it is muted; nil when it cannot be.
    public var isMuted: Bool? { bool("volume_muted") }

    /// The volume of its group, 0…100.
    public var groupVolume: Int? { int("group_volume") }

    /// The ids of the players that play along, itself included when it leads.
    public var groupMembers: [String] {
        json["group_members"].map { _ in texts("group_members") } ?? texts("group_childs")
    }

    /// The ids of the players that it can play together with.
    public var canGroupWith: [String] { texts("can_group_with") }

    /// The id of the player that leads it; nil when it plays by itself.
    public var syncedTo: String? { text("synced_to") }

    /// The id of the group that it plays in.
    public var activeGroup: String? { text("active_group") }

    /// The id of the queue or input that it plays.
    public var activeSource: String? { text("active_source") }

    /// What it can do.
    public var supportedFeatures: Set<PlayerFeature> {
        Set(texts("supported_features").map(PlayerFeature.init(rawValue:)))
    }

    /// Its own idea of the position in seconds; prefer ``PlayerQueue/position(at:)``.
    public var elapsedTime: Double? { double("elapsed_time") }

    /// What it plays.
    public var currentMedia: PlayerMedia? { model("current_media") }

    /// The inputs to choose from.
    public var sources: [PlayerSource] { models("source_list") }

    /// Whether it is in use.
    public var isEnabled: Bool { bool("enabled") ?? true }

    /// The name of a symbol for it.
    public var icon: String? { text("icon") }

    /// The device that it is.
    public var device: PlayerDevice? { model("device_info") }

    /// When the server measured ``elapsedTime``, on its clock.
    public var elapsedTimeUpdated: Date? { double("elapsed_time_last_updated").map(Date.init(timeIntervalSince1970:)) }

    /// Whether its group is muted.
    public var isGroupMuted: Bool? { bool("group_volume_muted") }

    /// The ids of the players that cannot leave its group.
    public var fixedMembers: [String] { texts("static_group_members") }

    /// The id of its present sound mode.
    public var activeSoundMode: String? { text("active_sound_mode") }

    /// The sound modes to choose from.
    public var soundModes: [PlayerSoundMode] { models("sound_mode_list") }

    /// Its settings.
    public var options: [PlayerOption] { models("options") }

    /// The ways to send sound to it.
    public var outputs: [PlayerOutput] { models("output_protocols") }

    /// The id of the way that is used.
    public var activeOutput: String? { text("active_output_protocol") }

    /// Whether people asked not to see it.
    public var isHidden: Bool { bool("hide_in_ui") ?? false }

    /// Whether Home Assistant sees it.
    public var isExposedToHomeAssistant: Bool { bool("expose_to_ha") ?? true }

    /// What switches it: `native`, `none`, or the id of another control.
    public var powerControl: String? { text("power_control") }

    /// What sets its volume.
    public var volumeControl: String? { text("volume_control") }

    /// What mutes it.
    public var muteControl: String? { text("mute_control") }

    /// Whether somebody has to set it up first.
    public var needsSetup: Bool { bool("needs_setup") ?? false }

    /// What its provider adds.
    public var extraAttributes: [String: JSONValue] { json["extra_attributes"]?.objectValue ?? [:] }
}
