import Dispatch
import Glibc
import Testing

@testable import TerminalUI

@Suite(.timeLimit(.minutes(1)))
struct KeyReaderTests {
    /// The shell may have read the input that an event announced.
    @Test func aReadWithoutInputDoesNotWait() async {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let queue = DispatchQueue(label: "keys")
        // The end of the input lets a read end that waits. The other end stays open: it is still watched for a moment.
        defer { close(ends[1]) }
        let stream = SessionEventStream()
        let reader = KeyReader(queue: queue, stream: stream, input: ends[0])
        defer { reader.stop() }
        var events = stream.makeAsyncIterator()
        let reading = DispatchWorkItem {
            reader.read()
            stream.post(.tick)
        }
        queue.async(execute: reading)
        #expect(await events.next(isolation: nil) == .tick)
        #expect(write(ends[1], "n", 1) == 1)
        #expect(await events.next(isolation: nil) == .key(.character("n")))
    }
}
