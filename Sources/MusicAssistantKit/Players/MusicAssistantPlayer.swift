public import Foundation

/// A loudspeaker, or a group of them, that the server can play on.
public struct MusicAssistantPlayer: JSONModel, Identifiable {
    /// The JSON value as the server sent it, with fields that this client does not know.
    public let json: JSONValue

    /// Creates the value from the server's JSON.
    ///
    /// - Parameter json: The JSON value of the server.
    /// - Throws: ``MusicAssistantError/decodingFailed(_:)`` when it is not an object with player_id.
    public init(json: JSONValue) throws {
        try Self.check(json, has: "player_id")
        self.json = json
    }

    /// The same as ``playerId``.
    public var id: String { playerId }

    /// The player's identifier in commands.
    public var playerId: String { text("player_id") ?? "" }

    /// The name to show.
    public var name: String { text("display_name") ?? text("name") ?? playerId }

    /// The provider of the player.
    public var provider: String { text("provider") ?? "" }

    /// `player`, `group`, `stereo_pair` or a newer kind.
    public var type: String? { text("type") }

    /// Whether it is available; a player that is switched off stays in the list as unavailable.
    public var isAvailable: Bool { bool("available") ?? false }

    /// Whether it is switched on; nil when it has no power control.
    public var isPowered: Bool? { bool("powered") }

    /// The playback state.
    public var state: MusicAssistantPlaybackState {
        MusicAssistantPlaybackState(rawValue: text("playback_state") ?? text("state") ?? "unknown")
    }

    /// The volume, 0…100; nil without a volume control.
    public var volume: Int? { int("volume_level") }

    /// Whether it is muted; nil without a mute control.
    public var isMuted: Bool? { bool("volume_muted") }

    /// The volume of its group, 0…100.
    public var groupVolume: Int? { int("group_volume") }

    /// The ids of the players that play in sync, including itself when it is the leader.
    public var groupMembers: [String] {
        json["group_members"].map { _ in texts("group_members") } ?? texts("group_childs")
    }

    /// The ids of the players that it can play together with.
    public var canGroupWith: [String] { texts("can_group_with") }

    /// The id of the leader of its group; nil when it plays alone.
    public var syncedTo: String? { text("synced_to") }

    /// The id of the group that it plays in.
    public var activeGroup: String? { text("active_group") }

    /// The id of the queue or input that it plays.
    public var activeSource: String? { text("active_source") }

    /// The supported features.
    public var supportedFeatures: Set<PlayerFeature> {
        Set(texts("supported_features").map(PlayerFeature.init(rawValue:)))
    }

    /// The position reported by the player, in seconds; prefer ``PlayerQueue/position(at:)``.
    public var elapsedTime: Double? { double("elapsed_time") }

    /// The present media.
    public var currentMedia: PlayerMedia? { model("current_media") }

    /// The inputs.
    public var sources: [PlayerSource] { models("source_list") }

    /// Whether it is enabled.
    public var isEnabled: Bool { bool("enabled") ?? true }

    /// The name of its icon.
    public var icon: String? { text("icon") }

    /// The description of the device.
    public var device: PlayerDevice? { model("device_info") }

    /// When the server measured ``elapsedTime``, on its clock.
    public var elapsedTimeUpdated: Date? { double("elapsed_time_last_updated").map(Date.init(timeIntervalSince1970:)) }

    /// Whether its group is muted.
    public var isGroupMuted: Bool? { bool("group_volume_muted") }

    /// The ids of the permanent members of its group.
    public var fixedMembers: [String] { texts("static_group_members") }

    /// The id of its present sound mode.
    public var activeSoundMode: String? { text("active_sound_mode") }

    /// The sound modes.
    public var soundModes: [PlayerSoundMode] { models("sound_mode_list") }

    /// Its settings.
    public var options: [PlayerOption] { models("options") }

    /// The protocols with which sound can be sent to it.
    public var outputs: [PlayerOutput] { models("output_protocols") }

    /// The id of the protocol in use.
    public var activeOutput: String? { text("active_output_protocol") }

    /// Whether it is hidden in user interfaces.
    public var isHidden: Bool { bool("hide_in_ui") ?? false }

    /// Whether it is exposed to Home Assistant.
    public var isExposedToHomeAssistant: Bool { bool("expose_to_ha") ?? true }

    /// The power control: `native`, `none`, or the id of another control.
    public var powerControl: String? { text("power_control") }

    /// The volume control.
    public var volumeControl: String? { text("volume_control") }

    /// The mute control.
    public var muteControl: String? { text("mute_control") }

    /// Whether it has to be set up first.
    public var needsSetup: Bool { bool("needs_setup") ?? false }

    /// Additional data of its provider.
    public var extraAttributes: [String: JSONValue] { json["extra_attributes"]?.objectValue ?? [:] }
}
