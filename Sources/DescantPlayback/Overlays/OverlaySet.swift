internal import DescantCore
internal import Foundation
internal import Synchronization

/// The layer of an active overlay and the clip that plays on it.
struct OverlayLayer: Sendable {
    /// The engine's layer; removed when the overlay has ended.
    let layer: LayerID
    /// The present deck.
    var deck: DeckID?
    /// The decks that fade out under the present one and have not ended.
    var outgoing: [DeckID] = []
    /// The source of the present clip.
    var url: URL?
    var configuration: OverlayConfiguration
    var state = OverlayState.idle
    /// The length of the fade that ends it, while it is stopping.
    var stopFrames = Int64.max

    /// All decks that may sound.
    var decks: [DeckID] { outgoing + (deck.map { [$0] } ?? []) }

    /// Whether a new clip replaces one that plays or is paused.
    var isReplaceable: Bool { !state.isIdle && state != .stopping }

    /// Whether the overlay plays and is not fading out.
    var isSounding: Bool { state == .playing || state == .crossfading }
}

/// The active overlays of a player and those whose next clip is being opened.
struct OverlaySet {
    private var active: [OverlayID: OverlayLayer] = [:]
    private var opening: [OverlayID: OpeningOverlay] = [:]

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
        active.values.contains(where: \.isSounding)
            || opening.contains { !$1.beginsPaused && active[$0]?.state != .paused }
    }

    /// The overlay that a layer belongs to.
    func id(of layer: LayerID) -> OverlayID? { active.first { $0.value.layer == layer }?.key }

    /// Removes an overlay.
    mutating func remove(_ id: OverlayID) -> OverlayLayer? { active.removeValue(forKey: id) }

    /// Whether an overlay fades out.
    var isFadingOut: Bool { active.values.contains { $0.state == .stopping } }

    // MARK: Openings

    /// Notes a call that opens a clip, behind earlier ones.
    ///
    /// - Returns: Its number, which is told with everything that is asked of it.
    mutating func beganOpening(_ id: OverlayID) -> Int { opening[id, default: OpeningOverlay()].begin() }

    /// Notes that a clip plays or could not be opened.
    mutating func endedOpening(_ id: OverlayID) { if opening[id]?.end() == true { opening[id] = nil } }

    /// Whether the clip of a call begins paused.
    func beginsPaused(_ id: OverlayID, call: Int) -> Bool { opening[id]?.pause.map { call <= $0.calls } ?? false }

    /// Whether the clip that begins paused does so because everything was paused.
    func beginsPausedWithAll(_ id: OverlayID) -> Bool { opening[id]?.pause?.isOfEverything ?? false }

    /// Lets the clips that are being opened begin paused.
    mutating func pauseOpening(_ id: OverlayID) { opening[id]?.pause(ofEverything: false) }

    /// Lets the clips that are being opened begin playing.
    mutating func resumeOpening(_ id: OverlayID) { opening[id]?.pause = nil }

    /// Lets every clip that is being opened and would play begin paused.
    ///
    /// - Returns: The overlays of these clips.
    mutating func pauseOpenings() -> Set<OverlayID> {
        var paused: Set<OverlayID> = []
        for (id, overlay) in opening where !overlay.beginsPaused {
            opening[id]?.pause(ofEverything: true)
            paused.insert(id)
        }
        return paused
    }

    /// Lets every clip begin playing that ``pauseOpenings()`` has paused.
    ///
    /// - Parameter ids: Of which overlays; `nil` for all.
    mutating func resumeOpenings(_ ids: Set<OverlayID>?) {
        for (id, overlay) in opening where overlay.pause?.isOfEverything == true && ids?.contains(id) ?? true {
            opening[id]?.pause = nil
        }
    }

    /// Notes a change of settings while clips are being opened.
    mutating func changeOpening(_ id: OverlayID, _ change: @escaping @Sendable (inout OverlayConfiguration) -> Void) {
        opening[id]?.add(change)
    }

    /// The configuration of a clip that was opened, with the changes since its call.
    func configuration(_ chosen: OverlayConfiguration, of id: OverlayID, call: Int) -> OverlayConfiguration {
        var configuration = chosen
        for change in opening[id]?.changes ?? [] where call <= change.calls { change.body(&configuration) }
        return configuration
    }
}

/// The calls for an overlay while its clips are being opened one after another.
private struct OpeningOverlay {
    /// The number of calls so far. A command applies to these calls and not to later ones.
    private var calls = 0
    /// The number of calls that have not ended.
    private var waiting = 0
    /// The last pause that was not resumed.
    var pause: (calls: Int, isOfEverything: Bool)?
    private(set) var changes: [(calls: Int, body: @Sendable (inout OverlayConfiguration) -> Void)] = []

    /// Whether the last clip begins paused.
    var beginsPaused: Bool { pause?.calls == calls }

    /// Notes a call.
    ///
    /// - Returns: Its number.
    mutating func begin() -> Int {
        calls += 1
        waiting += 1
        return calls
    }

    /// Notes that a call has ended.
    ///
    /// - Returns: Whether it was the last one.
    mutating func end() -> Bool {
        waiting -= 1
        return waiting == 0
    }

    /// Lets the clips of all calls so far begin paused.
    mutating func pause(ofEverything: Bool) { pause = (calls, ofEverything) }

    mutating func add(_ change: @escaping @Sendable (inout OverlayConfiguration) -> Void) {
        changes.append((calls, change))
    }
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
