internal import DescantCore
internal import DescantMixing
internal import Dispatch
internal import Synchronization

// MARK: Lost connections

extension PlaybinDeck {
    /// The time limit of one wait for a first sample after a reconnection, before the seek, in seconds.
    private static let startLimit = 3.0

    /// The number of such waits while the source reports no error. Together they are longer than the highest
    /// `NetworkAccess.timeLimit`, 60 s, after which the source itself reports one.
    private static let startWaits = 22

    /// The time limit for samples that were received before a loss, in seconds.
    private static let arrivalLimit = 2.0

    /// Whether the connection was lost: the source has ended with an error, before its announced end, or is a station,
    /// which has no end.
    func isConnectionLost(_ reading: borrowing Reading, isDrained: Bool) -> Bool {
        guard pipeline.monitor.response != nil else { return false }
        if let failure = pipeline.monitor.failure {
            guard case .stream(let failure) = failure, failure.isLostConnection else { return false }
            // Otherwise the server announced more bytes than it has.
            return !isDrained || !isWhole(reading)
        }
        guard isDrained else { return false }
        return pipeline.monitor.isStation || reading.length.isAnnounced && !isWhole(reading)
    }

    /// Whether the pipeline cannot be moved before the connection is made again.
    var isCutOff: Bool {
        guard pipeline.monitor.response != nil, !pipeline.monitor.isStation,
            case .stream(let failure) = pipeline.monitor.failure
        else { return false }
        return failure.isLostConnection
    }

    /// Whether the stream was read up to its announced length.
    func isWhole(_ reading: borrowing Reading) -> Bool {
        guard let length = reading.length.frames, reading.length.isAnnounced || reading.length.isExact else {
            return false
        }
        return Double(length - reading.clock.position) <= Self.toleratedShortfall * Double(sampleRate)
    }

    /// Whether samples may still arrive after a loss: the source's error overtakes the data that waits to be decoded.
    func mayStillCome(_ reading: inout Reading) -> Bool {
        let now = MonotonicClock().now()
        guard let noticed = reading.lossNoticed else {
            reading.lossNoticed = now
            pipeline.queue.asyncAfter(deadline: .now() + Self.arrivalLimit) { [pipeline] in
                pipeline.monitor.readiness.raise()
            }
            return true
        }
        return Double(now - noticed) < Self.arrivalLimit * 1_000_000_000
    }

    func endOfConnection(_ reading: borrowing Reading, at position: Int64) -> DeckRead.Condition {
        let seconds = Double(position) / Double(sampleRate)
        if let failure = pipeline.monitor.failure {
            return .failed(ErrorMapping.coreError(failure, name: name, position: seconds))
        }
        guard reading.reconnection.limit > 0, pipeline.monitor.isStation else {
            return naturalEnd(reading.length, position: position)
        }
        return .failed(
            .ioError(
                "\(name) at \(ErrorMapping.seconds(seconds)) s: the connection was lost and not made again within "
                    + "\(ErrorMapping.seconds(reading.reconnection.limit)) s"))
    }

    /// - Returns: Whether another attempt is made; none after a refusal of the server.
    func connectAgain(_ reading: inout Reading, at position: Int64) -> Bool {
        if pipeline.monitor.failure != nil, isRefusal(pipeline.monitor.response?.status ?? 0) { return false }
        guard let pause = reading.reconnection.nextPause(now: MonotonicClock().now()) else { return false }
        reading.isSeeking = true
        reading.isReconnecting = true
        reading.lossNoticed = nil
        pipeline.queue.asyncAfter(deadline: .now() + pause) { [weak self] in
            self?.connect(at: position)
        }
        return true
    }

    /// Carries out a seek that is asked for while the connection is lost: the next one begins at its target.
    ///
    /// - Returns: Whether no other seek was asked for meanwhile, or the next connection carries that out.
    func connectAgain(for target: SeekTarget, generation: UInt64) -> Bool {
        let isDone = reading.withLock { reading in
            if connectAgain(&reading, at: target.frame) { return true }
            guard reading.generation == generation else { return false }
            reading.isSeeking = false
            reading.cursor.drop()
            reading.clock.restart(at: target.frame, rate: target.rate)
            reading.end = endOfConnection(reading, at: target.frame)
            return true
        }
        pipeline.monitor.readiness.raise()
        return isDone
    }

    /// Whether another attempt would get the same answer. The mount of a station is not found while its own source connects again.
    private func isRefusal(_ status: Int) -> Bool {
        (400..<500).contains(status) && !(status == 404 && pipeline.monitor.isStation)
    }

    /// Makes the connection again at a position, or at the newest one that was asked for meanwhile.
    private func connect(at lost: Int64) {
        let isWanted = reading.withLock { reading in
            reading.cursor.drop()
            return isConnectionWanted(&reading)
        }
        guard isWanted else { return }
        let isStation = pipeline.monitor.isStation
        pipeline.monitor.report(.buffering(percent: 0))
        pipeline.restart(isUnsure: true)
        let isRunning = isStation ? pipeline.waitUntilRunning(seconds: Self.startLimit) : waitForAnswer()
        // Only now: seeks that were asked for while the pipeline started are among these.
        let target: (position: Int64, time: Int64, rate: Double, generation: UInt64)? = reading.withLock { reading in
            guard isConnectionWanted(&reading) else { return nil }
            reading.isAwaitingRate = false
            let position = isStation ? lost : reading.requestedSeek?.frame ?? lost
            reading.requestedSeek = nil
            let time = reading.clock.seekTime(for: position, rate: reading.requestedRate)
            return (position, time, reading.requestedRate, reading.generation)
        }
        guard let (position, time, rate, generation) = target else { return }
        let isMoved = !isStation && isRunning && pipeline.seek(toNanoseconds: time, rate: rate)
        reading.withLock { reading in
            guard isConnectionWanted(&reading) else { return }
            if isStation {
                reading.clock.continueLive(at: position)
            } else {
                reading.clock.restart(at: position, rate: isMoved ? rate : 1, fromStart: !isMoved)
            }
            guard reading.generation == generation else { return }
            reading.mayPlayUp = isMoved
            reading.isSeeking = false
        }
        pipeline.monitor.readiness.raise()
        carryOutSeeks()
    }

    /// Waits for the first sample of a connection: before it, the pipeline cannot be moved, and a slow server would have
    /// to send everything from the beginning again. The wait ends early when the connection is not wanted any more.
    /// Another position that is asked for meanwhile is that of the seek behind the wait.
    ///
    /// - Returns: Whether the pipeline runs.
    private func waitForAnswer() -> Bool {
        for _ in 0..<Self.startWaits {
            if pipeline.waitUntilRunning(seconds: Self.startLimit) { return true }
            let isWanted = reading.withLock { !$0.isClosed && $0.end == nil }
            guard isWanted, pipeline.monitor.failure == nil else { return false }
        }
        return false
    }

    /// Whether the deck was neither closed nor moved to its end.
    private func isConnectionWanted(_ reading: inout Reading) -> Bool {
        guard reading.isClosed || reading.end != nil else { return true }
        reading.isSeeking = false
        return false
    }

    func connectionIsBack(_ reading: inout Reading) {
        reading.isReconnecting = false
        reading.reconnection.succeeded()
        pipeline.queue.async { [pipeline] in pipeline.monitor.report(.buffering(percent: 100)) }
    }
}
