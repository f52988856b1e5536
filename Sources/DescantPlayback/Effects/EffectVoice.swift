internal import DescantCore

/// A layer for sound effects, and the effect that sounds on it.
struct EffectVoice: Sendable {
    let layer: LayerID
    /// The effect that sounds or is about to; `nil` while the layer is free.
    var effect: SoundEffect?
    /// Its deck, once it was started.
    var deck: DeckID?
    var isPaused = false
}
