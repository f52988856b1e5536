internal import DescantCore
internal import DescantMixing
internal import Dispatch
internal import Synchronization

// MARK: Lost connections

extension PlaybinDeck {
    /// The time limit for a first sample after a reconnection, before the seek, in seconds.
    private static let startLimit = 3.0

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
        let generation = reading.generation
        pipeline.queue.asyncAfter(deadline: .now() + pause) { [weak self] in
            self?.connect(at: position, generation: generation)
        }
        return true
    }

    /// Whether another attempt would get the same answer. The mount of a station is not found while its own source connects again.
    private func isRefusal(_ status: Int) -> Bool {
        (400..<500).contains(status) && !(status == 404 && pipeline.monitor.isStation)
    }

    private func connect(at position: Int64, generation: UInt64) {
        guard reading.withLock({ $0.generation == generation && !$0.isClosed }) else { return carryOutSeeks() }
        pipeline.monitor.report(.buffering(percent: 0))
        let isStation = pipeline.monitor.isStation
        let (time, rate) = reading.withLock { reading in
            (reading.clock.seekTime(for: position, rate: reading.requestedRate), reading.requestedRate)
        }
        pipeline.restart(isUnsure: true)
        let isRunning = pipeline.waitUntilRunning(seconds: Self.startLimit)
        let isMoved = !isStation && isRunning && pipeline.seek(toNanoseconds: time, rate: rate)
        reading.withLock { reading in
            guard reading.generation == generation else { return }
            if isStation {
                reading.clock.continueLive(at: position)
            } else {
                reading.clock.restart(at: position, rate: isMoved ? rate : 1, fromStart: !isMoved)
            }
            reading.mayPlayUp = isMoved
            reading.isSeeking = false
        }
        pipeline.monitor.readiness.raise()
        carryOutSeeks()
    }

    func connectionIsBack(_ reading: inout Reading) {
        reading.isReconnecting = false
        reading.reconnection.succeeded()
        pipeline.queue.async { [pipeline] in pipeline.monitor.report(.buffering(percent: 100)) }
    }
}
