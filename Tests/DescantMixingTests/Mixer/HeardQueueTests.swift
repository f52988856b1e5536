import DescantCore
import DescantTestSupport
import Testing

@testable import DescantMixing

struct HeardQueueTests {
    /// A player plays for weeks: what an event costs must not depend on how many there were.
    @Test func eventsAreToldAtTheSameDepthOfTheStack() {
        let queue = HeardQueue(hub: EventHub<MixEvent>(), sampleRate: 48_000, heardFrame: { .max })
        let depths = StackDepths()
        queue.setReceiver { _ in depths.note() }
        for frame in 0..<1_000 { queue.submit([MixEvent(frame: Int64(frame), layer: nil, kind: .idle)]) }
        #expect(depths.count == 1_000)
        #expect(depths.growth < 1_000)
    }
}
