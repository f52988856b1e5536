import DescantCore
import DescantTestSupport
import DescantTesting
import Synchronization

@testable import DescantDesktop

/// A player on the bus that answers nothing at all, as one does that hangs.
final class SilentPlayer: BusObject {
    private let presence: BusPresence
    /// Kept, as a request that is dropped is answered.
    private let requests = Mutex<[BusRequest]>([])

    init(on bus: PrivateBus, name: String) async {
        presence = BusPresence(
            address: bus.address, name: MPRISName.bus(name), path: MPRISName.path, logger: NoopLogger())
        presence.show(self)
        for await name in presence.nameUpdates where name != nil { break }
    }

    var introspection: String { MPRISIntrospection.xml(RemoteStage.identity) }

    /// How often it was asked for something.
    var requestCount: Int { requests.withLock { $0.count } }

    func handle(_ request: BusRequest) { requests.withLock { $0.append(request) } }

    /// Leaves the bus.
    func close() async {
        await presence.close()
        requests.withLock { $0 = [] }
    }
}
