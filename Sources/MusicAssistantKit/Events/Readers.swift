internal import Synchronization

/// The readers of a sequence, under the lock of whoever sends to them.
///
/// A reader that ends is only noted, under a lock of its own: it is cancelled under its task's lock, which a yield to it takes as well. A
/// sender that yields under its lock, so that all readers see one order, and a cancelled reader that wanted the same lock would wait for each other.
struct Readers<Reader: Sendable>: Sendable {
    private final class Ended: Sendable { let ids = Mutex<[UInt64]>([]) }

    private var present: [UInt64: Reader] = [:]
    private var lastID: UInt64 = 0
    private let ended = Ended()

    /// Adds a reader.
    ///
    /// - Returns: What its sequence calls when it ends, with or without the sender's lock.
    mutating func add(_ reader: Reader) -> @Sendable () -> Void {
        forgetEnded()
        lastID += 1
        present[lastID] = reader
        return { [ended, id = lastID] in ended.ids.withLock { $0.append(id) } }
    }

    /// Calls a function with every reader that has not ended.
    mutating func forEach(_ body: (inout Reader) -> Void) {
        forgetEnded()
        // By index: iterating over the dictionary would copy it for every event.
        var index = present.values.startIndex
        while index < present.values.endIndex {
            body(&present.values[index])
            present.values.formIndex(after: &index)
        }
    }

    /// Removes all readers, so that they can be told the end outside of the lock.
    mutating func takeAll() -> [Reader] {
        defer { present = [:] }
        return Array(present.values)
    }

    /// How many have not ended.
    var count: Int {
        mutating get {
            forgetEnded()
            return present.count
        }
    }

    private mutating func forgetEnded() {
        let ids = ended.ids.withLock { ids in
            defer { ids.removeAll() }
            return ids
        }
        for id in ids { present[id] = nil }
    }
}
