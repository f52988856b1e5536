internal import CGStreamer
internal import CGStreamerShim
internal import DescantCore
internal import DescantMixing
internal import Dispatch
internal import Synchronization

/// One pipeline of an output, from the moment it acquires the device until it releases it.
///
/// An output that loses, changes or releases its device gets a new pipeline: sinks do not recover reliably, and a sink
/// that hangs in a dead server can be abandoned with its pipeline.
final class OutputSession: Sendable {
    let plan: SessionPlan
    let sink: GStreamerElement
    let pipeline: GStreamerElement
    /// Changes the pipeline's state. A serial queue with a thread of its own, which may hang in a dead server.
    private let control = DispatchQueue(label: "descant.output.session")
    private let driver: RenderDriver
    private let pump: CallbackPump?
    /// The output of a bundle or of the host.
    let port: PortWriter?
    private let writer = Mutex<(any QueueWriter)?>(nil)
    private let shared: OutputShared
    /// Resolved with `nil` when the device accepts sound, with an error when it refuses.
    private let started = Promise<CoreError?>()
    /// Resolved with `nil` when everything rendered was heard or written, otherwise with an error.
    private let drained = Promise<CoreError?>()
    private let released = Promise<Void>()
    private let isClosed = Atomic(false)
    private let closingError = Mutex<CoreError?>(nil)
    private let deviceWatch = SharedCallback<Void>()
    private let choiceWatch = SharedCallback<Void>()
    private let lost: @Sendable (OutputSession, CoreError, UInt64) -> Void

    /// Builds the pipeline without acquiring the device.
    ///
    /// - Parameters:
    ///   - past: The kept blocks from before the pipeline's first frame.
    ///   - replay: The unheard blocks from that frame on.
    ///   - envelope: The master volume.
    ///   - lost: Called when the destination fails after it started, with the time of the failure on the monotonic
    ///     clock; on a thread that may wait.
    /// - Throws: `CoreError.unsupported` when an element is missing, `CoreError.invalidArgument` for a destination that
    ///   makes no sense.
    init(
        plan: SessionPlan, shared: OutputShared, past: [RenderedSpan], replay: [RenderedSpan],
        volume envelope: GainEnvelope,
        lost: @escaping @Sendable (OutputSession, CoreError, UInt64) -> Void
    ) throws {
        self.plan = plan
        self.shared = shared
        self.lost = lost
        pipeline = try GStreamerElement.pipeline()
        let mixer = try Self.makeMixer(plan)
        let caps = try GStreamerElement("capsfilter")
        caps.set("caps", MixerInputs.caps(of: plan.format))
        let volume = try GStreamerElement("volume")
        let chain = try SinkChain(plan: plan)
        sink = chain.sink
        pump = chain.pump
        port = chain.port
        let flow = [mixer, caps, volume] + chain.elements
        for element in flow { pipeline.add(element) }
        try GStreamerElement.link(flow)
        let inputs = try MixerInputs(
            pipeline: pipeline, mixer: mixer, format: plan.format, epochFrame: plan.epochFrame,
            blockFrames: plan.blockFrames)
        let automation = VolumeAutomation(
            element: volume, epochFrame: plan.epochFrame, sampleRate: plan.format.sampleRate, envelope: envelope)
        let control = control
        driver = RenderDriver(
            plan: plan, shared: shared, inputs: inputs, volume: automation, replay: replay,
            retire: { ended in control.async { for input in ended { input.remove() } } },
            // Weak, because the pipeline owns the driver through its elements.
            failed: { [weak pipeline] error in pipeline?.post(error.message) })
        SumProcessor(plan: plan, shared: shared, driver: driver, past: past).attach(to: caps)
        if let writer = plan.makeWriter({ [weak self] event in self?.receive(event) }) {
            // Before the sink, whose locks a state change needs: the write waits for the device.
            BufferProbe.attach(to: "sink", of: sink) { writer.write($0) }
            self.writer.withLock { $0 = writer }
        }
        listen()
    }

    private static func makeMixer(_ plan: SessionPlan) throws -> GStreamerElement {
        let mixer = try GStreamerElement("audiomixer")
        // The mixer's blocks have exactly the length of rendered blocks: a block across two of them would wait for the
        // second.
        if mixer.has("output-buffer-duration-fraction") {
            mixer.set("output-buffer-duration-fraction", "\(plan.blockFrames)/\(plan.format.sampleRate)")
        } else {
            mixer.set("output-buffer-duration", plan.blockFrames * 1_000_000_000 / plan.format.sampleRate + 1)
        }
        return mixer
    }

    var gate: RenderGate { driver.gate }

    /// Connects the heard position with this pipeline.
    func leadHeardPosition() {
        if plan.isTimed {
            shared.heard.follow(driver.pacer)
        } else if let writer = writer.withLock({ $0 }) {
            shared.heard.follow(writer)
        }
    }

    // MARK: Starting

    /// Acquires the device and starts rendering.
    ///
    /// - Parameter seconds: The longest wait.
    /// - Throws: `CoreError.ioError` naming the destination; the session must be closed then.
    func start(limit seconds: Double) async throws(CoreError) {
        driver.attach()
        control.async { [self] in
            if !isClosed.load(ordering: .acquiring) { play() }
        }
        let outcome = await started.value(within: seconds)
        if let error = outcome ?? SinkFailure.timeout(seconds: seconds, destination: plan.destination) { throw error }
    }

    private func play() {
        do {
            try port?.open()
        } catch {
            let reason = (error as? CoreError ?? .ioError(underlying: error)).message
            started.resolve(SinkFailure.error(text: reason, debug: "", destination: plan.destination))
            return
        }
        if let pump {
            // Before an appsink has started, a pull returns the end of the stream.
            pipeline.setState(GST_STATE_PAUSED)
            pump.start()
        }
        let writer = writer.withLock { $0 }
        let change = gst_element_set_state(pipeline.pointer, GST_STATE_PLAYING)
        writer?.start()
        switch change {
        case GST_STATE_CHANGE_FAILURE:
            // The bus has reported the reason before, if there is one.
            started.resolve(SinkFailure.error(text: "it cannot be opened", debug: "", destination: plan.destination))
        case GST_STATE_CHANGE_ASYNC: break
        // The writer reports when the device plays.
        default: if writer == nil { started.resolve(nil) }
        }
    }

    /// The device that the server plays on; `nil` without a server, and before the stream plays.
    var deviceName: String? { writer.withLock { $0 }?.deviceName }

    /// Has the stream stay on the device that it plays on, or go with the server's default from there.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - isChosen: Whether the stream stays there.
    /// - Returns: Whether the stream plays there; `false` for an output without a sound server.
    func stay(on device: String, isChosen: Bool) -> Bool {
        writer.withLock { $0 }?.bind(to: device, isChosen: isChosen) ?? false
    }

    /// Cancels a start in progress.
    func abandonStart() { started.resolve(.invalidState("the output was stopped while it started")) }

    // MARK: Ending

    /// Stops rendering and waits until everything rendered was heard or written.
    ///
    /// - Parameter seconds: The longest wait.
    /// - Returns: An error when the destination failed or the limit was reached.
    func drain(limit seconds: Double) async -> CoreError? {
        gate.drain()
        let outcome = await drained.value(within: seconds)
        if let error = outcome ?? SinkFailure.timeout(seconds: seconds, destination: plan.destination) { return error }
        if let pump, await !pump.waitUntilFinished(within: seconds) {
            return .ioError("the receiver of the mix did not take its last block within \(seconds) s")
        }
        shared.heard.reach(driver.epochs.offset + driver.mixedFrames.load(ordering: .relaxed))
        return nil
    }

    /// Stops rendering and releases everything; does nothing when closed.
    ///
    /// - Parameter seconds: The longest wait; a server that hangs is then abandoned.
    /// - Returns: An error from closing a file.
    @discardableResult
    func close(waiting seconds: Double) async -> CoreError? {
        closeBehind()
        _ = await released.value(within: seconds)
        return closingError.withLock { $0 }
    }

    /// As ``close(waiting:)``, without waiting; for streaming threads.
    func closeBehind() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        gate.close()
        let writer = writer.withLock { $0 }
        writer?.stop()
        port?.abandon()
        control.async { [self] in
            pipeline.setState(GST_STATE_NULL)
            writer?.close()
            driver.detach()
            BusListener.stop(pipeline)
            // An output that hangs keeps this thread.
            port?.close()
            released.resolve(())
        }
    }

    // MARK: Changes

    /// Runs a closure between two blocks, at the first frame that can still be replaced.
    func change<Result>(_ body: (Int64) throws -> Result) rethrows -> Result {
        let writer = writer.withLock { $0 }
        return try driver.change(notBefore: { writer?.firstChangeableFrame }, body) { frame, graphFrame in
            writer?.rewind(to: frame, graphFrame: graphFrame)
        }
    }

    /// Sets the role of the stream on a sound server; the server gets it without waiting for this call.
    func setRole(_ role: AudioRole) {
        let writer = writer.withLock { $0 }
        // libpulse's loop may be held for the length of a lookup.
        control.async { writer?.setRole(role) }
    }

    /// Calls a closure with the name of each device that the server moves the stream to.
    func watchDevice(_ changed: @escaping @Sendable () -> Void) { deviceWatch.set(changed) }

    /// Calls a closure when the server has taken the stream to its new default, away from the chosen device.
    func watchChoice(_ left: @escaping @Sendable () -> Void) { choiceWatch.set(left) }

    /// Handles an event of the writer, on one of its threads.
    private func receive(_ event: QueueEvent) {
        switch event {
        case .opened: break
        case .started: started.resolve(nil)
        case .device: deviceWatch(())
        case .leftChosenDevice: choiceWatch(())
        case .drained: drained.resolve(nil)
        case .failed(let reason):
            receive(SinkFailure.error(text: reason, debug: "", destination: plan.destination))
        }
    }

    // MARK: Messages

    private func listen() {
        let destination = plan.destination
        BusListener.listen(to: pipeline) { [weak self] message in
            switch message.pointee.type {
            case GST_MESSAGE_ASYNC_DONE: if self?.plan.destination.isDevice == false { self?.started.resolve(nil) }
            case GST_MESSAGE_STATE_CHANGED: self?.noteState(message)
            case GST_MESSAGE_EOS: self?.noteEnd()
            case GST_MESSAGE_ERROR: self?.receive(SinkFailure.error(from: message, destination: destination))
            default: break
            }
        }
    }

    private func noteEnd() {
        if let writer = writer.withLock({ $0 }) { writer.drain() } else { drained.resolve(nil) }
    }

    private func noteState(_ message: UnsafeMutablePointer<GstMessage>) {
        guard message.pointee.src == pipeline.as(GstObject.self) else { return }
        var state = GST_STATE_NULL
        gst_message_parse_state_changed(message, nil, &state, nil)
        if state == GST_STATE_PLAYING { driver.isPlaying.store(true, ordering: .relaxed) }
    }

    private func receive(_ error: CoreError) {
        guard !isClosed.load(ordering: .acquiring) else {
            closingError.withLock { $0 = $0 ?? error }
            return
        }
        let isStarting = started.present == nil
        started.resolve(error)
        drained.resolve(error)
        gate.fail(error)
        guard !isStarting else { return }
        // Not on this thread, which may hold a lock of the device.
        let time = MonotonicClock().now()
        DedicatedQueue.run("descant.output.loss") { self.lost(self, error, time) }
    }
}
