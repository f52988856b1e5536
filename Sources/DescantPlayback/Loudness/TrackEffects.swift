internal import DescantCore
internal import Foundation

/// The effects of single tracks, and the decks that were opened for tracks.
struct TrackEffects {
    /// Changes of them, one at a time. They have a queue of their own: an effect may take seconds to prepare, and no other command waits for it.
    let queue = AsyncSerialQueue()
    private var effects: [URL: [EffectInsert]] = [:]
    private var decks: [(id: DeckID, url: URL)] = []

    /// How many decks are remembered. No more than a few are open at a time.
    private static let mostDecks = 64

    /// Whether any track has effects.
    var isEmpty: Bool { effects.isEmpty }

    subscript(url: URL) -> [EffectInsert] {
        get { effects[url] ?? [] }
        set { effects[url] = newValue.isEmpty ? nil : newValue }
    }

    /// Notes a deck that was opened for a track.
    mutating func opened(_ deck: DeckID, of url: URL) {
        decks.append((deck, url))
        if decks.count > Self.mostDecks { decks.removeFirst() }
    }

    /// The decks that were opened for a track; some may be closed.
    func decks(of url: URL) -> [DeckID] { decks.filter { $0.url == url }.map(\.id) }

    /// Forgets a deck.
    mutating func closed(_ deck: DeckID) { decks.removeAll { $0.id == deck } }

    /// Forgets all effects and decks.
    mutating func removeAll() {
        effects.removeAll()
        decks.removeAll()
    }
}
