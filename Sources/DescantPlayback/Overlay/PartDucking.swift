internal import DescantCore

/// For what a part of the sound makes way, and how.
struct PartDucking: Sendable {
    var ducking: Ducking
    var keys: Set<PlayerPart>
}
