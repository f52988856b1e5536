internal import DescantCore
internal import Foundation

/// Everything that a host has set on a player. Changes of the configuration and the rate are posted to remote controls.
struct PlayerSettings {
    var configuration = PlayerConfiguration() { didSet { changes.post(.updated) } }
    /// The speed of the main layer, 0.5…3.
    var rate = 1.0 { didSet { changes.post(.updated) } }
    var replayGain = ReplayGainSettings()
    var trackEffects = TrackEffects()
    var volume = MasterVolume()
    var sleep = SleepSchedule()
    /// The parts of the sound that are ducked.
    var duckings: [PlayerPart: PartDucking] = [:]

    private let changes: EventHub<RemoteChange>

    init(changes: EventHub<RemoteChange>) { self.changes = changes }

    /// The length of crossfades and joins with the present settings.
    var transitionRule: TransitionRule { TransitionRule(configuration: configuration, rate: rate) }
}

/// The volume of a player and the part of it that the audio session allows.
struct MasterVolume {
    /// The volume that was set, linear, 0…1.
    var level = 1.0
    /// The gain that the audio session allows, linear, 0…1.
    var sessionGain = 1.0
    /// How often ``AudioPlayerService/setVolume(_:)`` or ``AudioPlayerService/updateConfiguration(_:)`` has changed the
    /// volume. A volume that comes with a playlist gives way to a later change.
    private(set) var userChanges: UInt64 = 0
    /// How many of these changes were made by ``AudioPlayerService/setVolume(_:)``, which waits for no other command.
    /// The volume of a configuration that waits gives way to a later one of them.
    private(set) var immediateChanges: UInt64 = 0

    /// The gain of the mix.
    var gain: Double { level * sessionGain }

    /// Notes that a call changes the volume.
    ///
    /// - Parameter isImmediate: Whether the call waits for no other command.
    mutating func countUserChange(isImmediate: Bool) {
        userChanges &+= 1
        if isImmediate { immediateChanges &+= 1 }
    }
}

/// A sleep timer and the length of its fade.
struct SleepSchedule {
    /// `nil` while no timer is set.
    private(set) var timer: SleepTimer?
    /// Length of the fade in seconds.
    private(set) var fade: TimeInterval = 0

    var isSet: Bool { timer != nil }

    /// Sets the timer in place of an earlier one.
    mutating func set(_ timer: SleepTimer, fade: TimeInterval) {
        self.timer = timer
        self.fade = fade
    }

    /// Ends the timer. ``fade`` stays: the sounds that end with it use it.
    mutating func end() { timer = nil }

    /// The stop that the engine plans on a layer; `nil` unless the timer counts seconds.
    ///
    /// - Parameters:
    ///   - seconds: Seconds until the fade begins; `nil` when the main layer has no planned stop.
    ///   - curve: The curve of the fade.
    func plannedStop(after seconds: TimeInterval?, curve: FadeCurve) -> PlannedStop? {
        guard case .after = timer, let seconds else { return nil }
        return PlannedStop(after: seconds, fade: fade, curve: curve)
    }
}
