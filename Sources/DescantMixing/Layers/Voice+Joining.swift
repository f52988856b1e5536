internal import DescantCore

/// Joins without a gap: the next deck takes over the converter and delivers the last frames of this voice.
extension Voice {
    /// Continues the next deck in this voice's converter, when it has the same rate and the converter was not flushed.
    func continueInto(_ next: QueuedDeck) {
        guard var conversion, !isDrained, next.deck.sampleRate == conversion.inputRate else { return }
        let due = Int(max(0, conversion.framesDue(after: 0)))
        switch log?.step(at: logPosition) {
        case .handOver(_, let log, _) where log === next.log: advance()
        // The converter was flushed before the next deck was known, or handed to another deck.
        case .flush(_, before: nil), .handOver(_, _, before: nil): return drain()
        case .flush(_, let converter?), .handOver(_, _, let converter?), .nextPass(let converter?):
            conversion.converter = converter
            logHandOver(to: next, frames: due, of: converter)
        default: logHandOver(to: next, frames: due, of: conversion.converter)
        }
        self.conversion = nil
        framesInSuccessor = due
        successor = Voice(next, mix: mix, inherited: conversion)
    }

    private func logHandOver(to next: QueuedDeck, frames: Int, of converter: any SampleConverter) {
        guard let log, let nextLog = next.log else { return }
        truncateLog()
        log.append(.handOver(frames: frames, next: nextLog, before: converter.copy()))
        advance()
    }

    /// Takes this voice's last frames from the successor's queue.
    func takeFromSuccessor(_ needed: Int) {
        guard let successor else { return }
        while framesInSuccessor > 0, queue.frames < needed {
            let missing = min(framesInSuccessor, needed - queue.frames)
            successor.fill(missing, keepsConversion: false)
            let given = min(missing, successor.queue.frames)
            successor.queue.consume(frames: given) { source, frames in
                queue.append { $0.append(contentsOf: UnsafeBufferPointer(start: source, count: frames * mix.channels)) }
            }
            framesInSuccessor -= given
            if successor.isExhausted { framesInSuccessor = 0 }
            if given < missing { return }
        }
    }

    /// Moves the queued frames to the successor, which begins at once.
    func handOver() -> Voice? {
        guard let successor else { return nil }
        successor.prepend(queue)
        return successor
    }

    private func prepend(_ earlier: FrameQueue) {
        var joined = earlier
        queue.consume(frames: queue.frames) { source, frames in
            joined.append { $0.append(contentsOf: UnsafeBufferPointer(start: source, count: frames * mix.channels)) }
        }
        queue = joined
    }
}
