internal import DescantCore

/// A deck that waits on a layer.
struct QueuedDeck {
    let id: DeckID
    let deck: any Deck
    /// A second, rewound deck on the same source, for loops of decks that cannot rewind at once.
    var standby: (any Deck)?
    var gain: Double
    var effects = EffectPlan([])
    /// Whether a seek to the beginning at another speed may still be running.
    var isSeeking = false
    /// Made in advance, because making one takes longer than a block.
    var conversion: RateConversion?
    /// Logs what is read, for outputs that are rewound; made by the layer.
    var log: ReadLog?

    /// Sets the speed; the deck seeks to its beginning.
    mutating func setRate(_ rate: Double) {
        // Frames that were rendered ahead were read at the old speed.
        for case .handOver(_, let next, _) in log?.truncate(at: 0) ?? [] { next.isStale = true }
        log?.isStale = false
        conversion?.converter.reset()
        deck.setRate(rate, fromFrame: 0)
        standby?.setRate(rate, fromFrame: 0)
        isSeeking = true
    }
}
