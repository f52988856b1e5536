// What the thread sanitizer must and must not report when MutexEdges is loaded: Edges guarded|bare|apart
//
//   guarded   one mutex, for which threads contend: no race
//   bare      no mutex: a race
//   apart     one variable, and a separate contended mutex for each thread: a race, in spite of all the edges

import Glibc
import Synchronization

final class Counter: Sendable {
    let first = Mutex(0)
    let second = Mutex(0)
    // The races in two of the three cases are intended; the sanitizer must report them.
    nonisolated(unsafe) var plain = 0
}

let counter = Counter()
let turns = 20_000

func count(_ mutex: borrowing Mutex<Int>) {
    for _ in 0..<turns {
        mutex.withLock { value in
            value += 1
            counter.plain += 1
        }
    }
}

typealias Body = @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?

let onFirst: Body = { _ in
    count(counter.first)
    return nil
}
let onSecond: Body = { _ in
    count(counter.second)
    return nil
}
let onNone: Body = { _ in
    for _ in 0..<turns { counter.plain += 1 }
    return nil
}

let cases: [String: [Body]] = [
    "guarded": [onFirst, onFirst, onFirst, onFirst],
    "bare": [onNone, onNone],
    "apart": [onFirst, onFirst, onSecond, onSecond],
]
guard let bodies = cases[CommandLine.arguments.dropFirst().first ?? ""] else {
    print("usage: Edges guarded|bare|apart")
    exit(2)
}
var threads = [pthread_t](repeating: 0, count: bodies.count)
for index in bodies.indices { pthread_create(&threads[index], nil, bodies[index], nil) }
for thread in threads { pthread_join(thread, nil) }
