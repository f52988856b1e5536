internal import DescantCore

/// A layer for sound effects, and the effect that sounds on it.
struct EffectVoice: Sendable {
    let layer: LayerID
    /// The effect that sounds or is about to; `nil` while the layer is free.
    var effect: SoundEffect?
    /// Its deck, from its start on.
    var deck: DeckID?
    /// Whether the engine has the deck: a layer that is silent then has played it to its end.
    var isStarted = false
    var isPaused = false
}
