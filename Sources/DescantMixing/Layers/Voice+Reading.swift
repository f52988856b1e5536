internal import DescantCore

/// Reading the deck ahead into the queue.
extension Voice {
    /// Reads until `needed` frames are in the queue, or the deck has no more. At the end, empties the converter.
    func fill(_ needed: Int, keepsConversion: Bool) {
        readAhead(needed)
        guard inputEnded else { return }
        if successor != nil {
            takeFromSuccessor(needed)
        } else if !keepsConversion {
            drain()
        }
    }

    /// Reads until `needed` frames are in the queue; leaves the converter's tail inside.
    func readAhead(_ needed: Int) {
        while queue.frames < needed, !inputEnded {
            let missing = needed - queue.frames
            let frames: Int
            if let conversion {
                // A rising rate makes several output frames of one input frame.
                frames =
                    missing * conversion.inputRate / conversion.outputRate + 1 + 31 * conversion.inputRate
                    / max(conversion.inputRate, conversion.outputRate)
            } else {
                frames = missing
            }
            guard readInput(min(frames, input.frames)) else { break }
        }
    }

    /// Reads once; returns whether more may be there.
    private func readInput(_ frames: Int) -> Bool {
        if log?.withholds(logPosition) == true { return false }
        switch log?.step(at: logPosition) {
        case .read(let read):
            advance()
            queue.append { $0.append(contentsOf: read.samples) }
            return apply(read)
        case nil: break
        // The seek that followed is not made any more.
        default: returnToPosition()
        }
        let before = queue.frames
        var read = readDeck(frames)
        // Reads without frames and without an end depend on the moment.
        guard let log, read.hasInput || read.condition.isFinal else { return apply(read) }
        read.samples = queue.last(queue.frames - before)
        log.append(.read(read))
        advance()
        return apply(read)
    }

    /// Reads from the deck into the queue; returns what was read, without the samples.
    private func readDeck(_ frames: Int) -> ReadLog.Read {
        var read = DeckRead(frames: 0, position: inputPosition, condition: .starved)
        if conversion == nil {
            queue.append(frames: frames) { target in
                read = deck.read(into: target, frames: frames)
                DecodedSamples.silenceInvalid(target, count: read.frames * mix.channels)
                return read.frames
            }
        } else {
            read = deck.read(into: input.start, frames: frames)
            DecodedSamples.silenceInvalid(input.start, count: read.frames * mix.channels)
            convert(frames: read.frames)
        }
        let span = FrameCount(clamping: Double(read.frames) * deck.rate)
        let end = (FrameCount(clamping: read.position) + span).value
        return ReadLog.Read(
            samples: [], cues: read.cues, condition: read.condition,
            inputPosition: read.frames > 0 ? end : inputPosition, framesIn: conversion?.framesIn ?? 0,
            framesOut: conversion?.framesOut ?? 0, rate: deck.rate, hasInput: read.frames > 0)
    }

    /// Takes a read over; returns whether more may be there.
    private func apply(_ read: ReadLog.Read) -> Bool {
        cues.append(contentsOf: read.cues)
        inputPosition = read.inputPosition
        conversion?.framesIn = read.framesIn
        conversion?.framesOut = read.framesOut
        if read.hasInput {
            isSeeking = false
            rate = read.rate
        }
        switch read.condition {
        case .complete: return true
        // In the log, the next frames may be there.
        case .starved: return log?.step(at: logPosition) != nil
        case .ended: inputEnded = true
        case .truncated(let error):
            inputEnded = true
            failure = error
            isTruncated = true
        case .failed(let error):
            inputEnded = true
            failure = error
        }
        isSeeking = false
        return false
    }

    private func convert(frames: Int) {
        guard frames > 0, var conversion else { return }
        let before = queue.frames
        queue.append { conversion.converter.convert(input.start, frames: frames, appendingTo: &$0) }
        conversion.framesIn += Int64(frames)
        conversion.framesOut += Int64(queue.frames - before)
        self.conversion = conversion
    }

    /// Continues here after a logged seek that is not made any more.
    private func returnToPosition() {
        truncateLog()
        conversion?.converter.reset()
        conversion?.framesIn = 0
        conversion?.framesOut = 0
        deck.seek(toFrame: inputPosition)
        isSeeking = true
    }

    /// Flushes the converter with silence, to the exact number of frames due.
    func drain() {
        guard !isDrained, var conversion else { return }
        isDrained = true
        let due = Int(max(0, conversion.framesDue(after: 0)))
        defer {
            self.conversion?.framesIn = 0
            self.conversion?.framesOut = 0
        }
        switch log?.step(at: logPosition) {
        case .flush(let samples, _):
            advance()
            return queue.append { $0.append(contentsOf: samples) }
        // The next deck was joined here, or the next pass, and does not follow any more.
        case .handOver(_, _, let converter?), .nextPass(let converter?): conversion.converter = converter
        case .handOver(_, let next, nil):
            queue.append { $0.append(contentsOf: next.samples(count: due * mix.channels)) }
            truncateLog()
            return conversion.converter.reset()
        default: break
        }
        self.conversion = conversion
        let converter = log == nil ? nil : conversion.converter.copy()
        let before = queue.frames
        let needed = before + due
        // In parts: a rate that rises a thousandfold makes seconds of sound of a frame of silence.
        var silence = conversion.converter.latency + 1
        let piece = max(1, input.frames * conversion.inputRate / conversion.outputRate)
        while silence > 0, queue.frames < needed {
            queue.append { conversion.converter.convert(nil, frames: min(piece, silence), appendingTo: &$0) }
            silence -= piece
        }
        queue.truncate(toFrames: needed)
        conversion.converter.reset()
        if let log {
            truncateLog()
            log.append(.flush(queue.last(queue.frames - before), before: converter))
            advance()
        }
    }
}
