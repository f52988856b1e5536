internal import DescantCore
internal import Foundation
internal import Synchronization

/// The layer of an active overlay and the clip that plays on it.
struct OverlayLayer: Sendable {
    /// The engine's layer; removed when the overlay has ended.
    let layer: LayerID
    /// The present deck.
    var deck: DeckID?
    /// The source of the present clip.
    var url: URL?
    var configuration: OverlayConfiguration
    var state = OverlayState.idle

    /// Whether a new clip replaces one that plays or is paused.
    var isReplaceable: Bool { !state.isIdle && state != .stopping }

    /// Whether the overlay plays and is not fading out.
    var isSounding: Bool { state == .playing || state == .crossfading }
}

/// The active overlays of a player and those whose next clip is being opened.
struct OverlaySet {
    private var active: [OverlayID: OverlayLayer] = [:]
    private var opening: Set<OverlayID> = []
    /// The overlays among ``opening`` that begin paused, because everything else was paused meanwhile.
    private var beginningPaused: Set<OverlayID> = []

    subscript(id: OverlayID) -> OverlayLayer? {
        get { active[id] }
        set { active[id] = newValue }
    }

    var isEmpty: Bool { active.isEmpty }
    var ids: [OverlayID] { Array(active.keys) }
    var all: [OverlayLayer] { Array(active.values) }

    /// The overlays that are not idle, by name.
    var activeIDs: [OverlayID] { active.filter { !$0.value.state.isIdle }.keys.sorted { $0.name < $1.name } }

    /// Whether an overlay plays, or will as soon as its clip is open.
    var isSounding: Bool {
        active.values.contains(where: \.isSounding) || opening.contains { active[$0]?.state != .paused }
    }

    /// The overlay that a layer belongs to.
    func id(of layer: LayerID) -> OverlayID? { active.first { $0.value.layer == layer }?.key }

    /// Removes an overlay.
    mutating func remove(_ id: OverlayID) -> OverlayLayer? { active.removeValue(forKey: id) }

    // MARK: Openings

    /// Notes that a clip is being opened.
    mutating func beganOpening(_ id: OverlayID) { opening.insert(id) }

    /// Notes that a clip plays or could not be opened.
    mutating func endedOpening(_ id: OverlayID) {
        opening.remove(id)
        beginningPaused.remove(id)
    }

    /// Whether a clip that is being opened begins paused.
    func beginsPaused(_ id: OverlayID) -> Bool { beginningPaused.contains(id) }

    /// Lets every clip that is being opened begin paused.
    mutating func pauseOpenings() { beginningPaused = opening }

    /// Lets every clip that is being opened begin playing.
    mutating func resumeOpenings() { beginningPaused = [] }
}

/// The event hubs of all overlays.
final class OverlayHubs: Sendable {
    private let hubs = Mutex<[OverlayID: EventHub<OverlayState>]>([:])

    /// The states of an overlay; begins with the present one.
    func stream(of id: OverlayID) -> EventStream<OverlayState> { hub(of: id).stream(buffer: .newest) }

    func post(_ state: OverlayState, of id: OverlayID) { hub(of: id).post(state) }

    private func hub(of id: OverlayID) -> EventHub<OverlayState> {
        hubs.withLock { hubs in
            if let hub = hubs[id] { return hub }
            let hub = EventHub<OverlayState>(initial: .idle)
            hubs[id] = hub
            return hub
        }
    }
}
