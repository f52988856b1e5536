internal import DescantCore

/// The open decks of a mixer and the layers they are on.
struct DeckTable {
    struct Record {
        var opened: OpenedDeck
        var standby: (any Deck)?
        var gain: Double
        /// The arguments of the opening, for duplicates.
        var source: AudioSource
        var isClip: Bool
        var openingGain: Double
        var layer: LayerID?
        /// The effects, as the host has set them.
        var effects: [PreparedInsert] = []
        var effectPlan = EffectPlan([])
    }

    private var records: [DeckID: Record] = [:]
    private var lastID: UInt64 = 0

    mutating func nextID() -> DeckID {
        lastID += 1
        return DeckID(rawValue: lastID)
    }

    /// Adds a deck.
    ///
    /// - Parameter id: The number that becomes part of the deck's description.
    /// - Returns: The description.
    mutating func add(_ record: Record, as id: DeckID) -> DeckInfo {
        var record = record
        record.opened.info.id = id
        // A deck in memory knows its length where the decoder that filled it may not.
        record.opened.info.frameCount = record.opened.deck.frameCount
        records[id] = record
        return record.opened.info
    }

    subscript(id: DeckID) -> Record? { records[id] }

    /// Sets a deck's gain; returns the layer it is on.
    mutating func setGain(_ gain: Double, of id: DeckID) -> LayerID? {
        records[id]?.gain = gain
        return records[id]?.layer
    }

    /// The record of an open deck.
    ///
    /// - Throws: `CoreError.invalidArgument` when it is unknown.
    func existing(_ id: DeckID) throws -> Record {
        guard let record = records[id] else { throw CoreError.invalidArgument("\(id) is not open; open it again") }
        return record
    }

    /// Sets a deck's effects; returns its record, or `nil` when it is not open.
    mutating func setEffects(_ effects: [PreparedInsert], _ plan: EffectPlan, of id: DeckID) -> Record? {
        records[id]?.effects = effects
        records[id]?.effectPlan = plan
        return records[id]
    }

    /// Takes a deck for a layer.
    ///
    /// - Throws: `CoreError.invalidArgument` when it is unknown or in use.
    mutating func take(_ id: DeckID, for layer: LayerID) throws -> Record {
        var record = try existing(id)
        guard record.layer == nil else {
            throw CoreError.invalidArgument(
                "\(id) (\(record.opened.info.name)) is already on a layer; open the source once more")
        }
        record.layer = layer
        records[id] = record
        return record
    }

    /// Takes a deck that did not sound off its layer.
    mutating func giveBack(_ id: DeckID) { records[id]?.layer = nil }

    /// Whether a deck is open and on no layer.
    func isFree(_ id: DeckID) -> Bool { records[id].map { $0.layer == nil } ?? false }

    /// Removes a deck that is on no layer.
    mutating func removeFree(_ id: DeckID) -> Record? {
        isFree(id) ? records.removeValue(forKey: id) : nil
    }

    mutating func remove(_ id: DeckID) { records.removeValue(forKey: id) }

    mutating func removeAll() -> [Record] {
        defer { records.removeAll() }
        return Array(records.values)
    }
}
