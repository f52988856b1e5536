import DescantCore
import DescantTestSupport
import DescantTesting
import Synchronization

@testable import DescantDesktop

/// A player on the bus that never answers, like a hanging one.
final class SilentPlayer: BusObject {
    private let presence: BusPresence
    /// The requests are kept, because a released request would be answered.
    private let requests = Mutex<[BusRequest]>([])
    private let counts = EventHub<Int>(initial: 0)

    init(on bus: PrivateBus, name: String) async {
        presence = BusPresence(
            address: bus.address, name: MPRISName.bus(name), path: MPRISName.path, logger: NoopLogger())
        presence.show(self)
        for await name in presence.nameUpdates where name != nil { break }
    }

    var introspection: String { MPRISIntrospection.xml(RemoteStage.identity) }

    /// The number of received requests.
    var requestCount: Int { requests.withLock { $0.count } }

    /// Waits for the first request.
    func waitUntilAsked() async { for await count in counts.stream(buffer: .newest) where count > 0 { return } }

    func handle(_ request: BusRequest) {
        let count = requests.withLock { requests in
            requests.append(request)
            return requests.count
        }
        counts.post(count)
    }

    /// Leaves the bus.
    func close() async {
        await presence.close()
        requests.withLock { $0 = [] }
    }
}
