/// Carries out the commands of a window, which does not wait for them.
///
/// Changes of the playlist follow each other in their order. Of a value that is dragged, such as the volume, only the newest waits while
/// an older one is carried out. All other commands begin at once, so that a pause does not wait for a slow file.
@MainActor
final class IntentQueue {
    /// Commands that must not overtake each other.
    enum Lane: Hashable {
        case playlist, seek, volume, rate, crossfade, overlayVolume, equalizer

        /// The lane of a command; `nil` for one that begins at once.
        init?(_ intent: PlayerIntent) {
            switch intent {
            case .insert, .remove, .move, .undo, .removeSelection, .moveEntry, .enterLibrary, .addFromLibrary:
                self = .playlist
            case .seekTo: self = .seek
            case .setVolume: self = .volume
            case .setRate: self = .rate
            case .setCrossfade, .setCrossfadeCurve: self = .crossfade
            case .setOverlayVolume: self = .overlayVolume
            case .setEqualizer: self = .equalizer
            default: return nil
            }
        }

        /// Whether the newest command stands for those before.
        var keepsNewest: Bool { self != .playlist && self != .crossfade }
    }

    private let perform: @MainActor (PlayerIntent) async -> Void
    /// What waits in the lanes that are busy.
    private var waiting: [Lane: [PlayerIntent]] = [:]

    /// Creates a queue.
    ///
    /// - Parameter perform: Carries out a command.
    init(perform: @escaping @MainActor (PlayerIntent) async -> Void) { self.perform = perform }

    /// Whether a command of a lane is carried out or waits.
    func isBusy(_ lane: Lane) -> Bool { waiting[lane] != nil }

    /// Begins to carry out a command, or lets it wait.
    ///
    /// - Parameters:
    ///   - intent: The command.
    ///   - done: Called after the last command of the lane.
    func send(_ intent: PlayerIntent, done: @escaping @MainActor () -> Void = {}) {
        guard let lane = Lane(intent) else {
            Task {
                await perform(intent)
                done()
            }
            return
        }
        if let others = waiting[lane] {
            waiting[lane] = lane.keepsNewest ? [intent] : others + [intent]
            return
        }
        waiting[lane] = [intent]
        Task {
            while let next = waiting[lane]?.first {
                waiting[lane]?.removeFirst()
                await perform(next)
            }
            waiting[lane] = nil
            done()
        }
    }
}
