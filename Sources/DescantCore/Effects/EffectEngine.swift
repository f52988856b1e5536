public import Foundation

/// A mixing engine with effects on the mix and on its layers.
///
/// A host asks for it by a cast, `engine as? any EffectEngine`. The engine of the library has this protocol. Threads are as for
/// ``MediaEngine``.
public protocol EffectEngine: MixingEngine {
    /// Replaces the effects of a place. The sound fades from the old effects to the new ones over 20 ms.
    ///
    /// An insert that was there with the same ``EffectInsert/id`` keeps its state. Others are prepared here; nothing
    /// is changed when one of them throws.
    ///
    /// - Parameters:
    ///   - effects: The effects in the order in which sound passes them; empty for none.
    ///   - place: Where.
    /// - Throws: ``CoreError/invalidArgument(_:)`` for an unknown layer or parameter, an insert that is in the list twice, or a description
    ///   outside the ranges of ``AudioEffect``; ``CoreError/unsupported(_:)`` for an effect with latency; or what an effect's
    ///   preparation throws, each with the insert's name.
    func setEffects(_ effects: [EffectInsert], at place: EffectPlace) async throws

    /// The effects of a place, as they were set.
    ///
    /// - Parameter place: Where; an unknown layer has none.
    func effects(at place: EffectPlace) async -> [EffectInsert]

    /// The time for which the effects of the mix sound after the last sound, in seconds. A render that is to end with silence goes on
    /// for so long.
    var effectTail: TimeInterval { get async }

    /// Tells of effects that were switched off because of what they did.
    var effectFailures: EventStream<EffectFailure> { get }
}

/// An engine with effects on single decks, such as one track among others.
///
/// A host asks for it by a cast, as for ``EffectEngine``. The engine of the library has this protocol.
///
/// Effects of a deck lie before its gain and its fades: a crossfade fades what rings in them with the deck. Behind its natural end they ring
/// on under what follows. A seek leaves them as they are.
public protocol DeckEffectEngine: EffectEngine {
    /// Replaces the effects of a deck. While it sounds, the sound fades from the old effects to the new ones over 20 ms; otherwise
    /// they sound from its first frame. A duplicate of the deck has none.
    ///
    /// An insert that was there with the same ``EffectInsert/id`` keeps its state. Others are prepared here; nothing
    /// is changed when one of them throws.
    ///
    /// - Parameters:
    ///   - effects: The effects in the order in which sound passes them; empty for none.
    ///   - deck: An open deck.
    /// - Returns: Whether the deck is open; it may have ended meanwhile.
    /// - Throws: As ``EffectEngine/setEffects(_:at:)``.
    @discardableResult
    func setEffects(_ effects: [EffectInsert], of deck: DeckID) async throws -> Bool

    /// The effects of a deck, as they were set.
    ///
    /// - Parameter deck: The deck; one that is not open has none.
    func effects(of deck: DeckID) async -> [EffectInsert]
}
