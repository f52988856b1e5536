internal import PlayerApp

/// The parts of the screen that the mouse acts on.
@MainActor
final class MouseTargets {
    enum Target {
        case intent(PlayerIntent)
        case seekBar
        case volume
        case list
    }

    private var targets: [(rows: Range<Int>, columns: Range<Int>, target: Target)] = []
    /// The rows of the list that was drawn last, at least 1.
    private(set) var page = 1

    func removeAll() { targets = [] }

    /// Adds a part; it lies over those that were added before.
    func add(_ rows: Range<Int>, _ columns: Range<Int>, _ target: Target) {
        if case .list = target { page = max(1, rows.count) }
        targets.append((rows, columns, target))
    }

    func intent(for mouse: Mouse) -> PlayerIntent? {
        let hits = targets.filter { $0.rows.contains(mouse.row) && $0.columns.contains(mouse.column) }
        guard mouse.action == .press else {
            let isUp = mouse.action == .wheelUp
            for hit in hits {
                switch hit.target {
                case .list: return .moveSelection(isUp ? -3 : 3)
                case .volume: return .changeVolume(isUp ? 0.05 : -0.05)
                case .seekBar: return .seek(isUp ? 5 : -5)
                case .intent: continue
                }
            }
            return nil
        }
        switch hits.last {
        case (_, let columns, .seekBar)?:
            return .seekToShare(Double(mouse.column - columns.lowerBound) / Double(max(1, columns.count - 1)))
        case (_, _, .intent(let intent))?: return intent
        default: return nil
        }
    }
}
