internal import DescantCore
internal import Synchronization

/// Tells readers what every overlay is doing.
final class OverlayStates: Sendable {
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
