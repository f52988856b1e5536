import Dispatch
import Testing

@testable import DescantMixing

@Suite(.timeLimit(.minutes(1))) struct CallWatchTests {
    /// The check of a call with a long limit, such as a seek to a late position, is not the next one for a call behind it.
    @Test func shortLimitBehindALongOneIsKept() {
        let reported = DispatchSemaphore(value: 0)
        let watch = CallWatch { operation, seconds in
            if operation == "read", seconds == 0.05 { reported.signal() }
        }
        watch.during("seek", limit: 3_600) {}
        let isReported = watch.during("read", limit: 0.05) { reported.wait(timeout: .now() + 50) == .success }
        #expect(isReported)
    }

    @Test func callIsReportedOnce() {
        let reported = DispatchSemaphore(value: 0)
        let watch = CallWatch { _, _ in reported.signal() }
        let reports = watch.during("read", limit: 0.05) {
            [reported.wait(timeout: .now() + 50), reported.wait(timeout: .now() + 0.2)]
        }
        #expect(reports == [.success, .timedOut])
    }
}
