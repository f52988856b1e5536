internal import Foundation
internal import Glibc
internal import Synchronization

/// A recording from the monitor of a sink of a ``PrivatePulseServer`` or ``PrivatePipeWireServer``: the sound that a listener
/// would hear.
///
/// The recording is usually bit-exact. On a busy machine a server may drop about 20 ms; a test that needs exact
/// samples should try a second time.
public final class MonitorRecording: HeardRecording {
    private let recorder: Process
    private let recorded = RecordedBytes()

    /// Starts to record and waits for the first frames.
    ///
    /// - Parameters:
    ///   - sink: The sink's name.
    ///   - server: The server of the sink.
    /// - Throws: `TestSupportError.notInstalled` when parec is not installed, `TestSupportError.failed` when no frame
    ///   arrives.
    public convenience init(of sink: String, on server: PrivatePulseServer) async throws {
        try await self.init(of: sink, at: server.address)
    }

    /// Begins to record from a server and waits for the first frames.
    ///
    /// - Parameters:
    ///   - sink: The sink's name.
    ///   - address: The server's address, as `PULSE_SERVER` takes it.
    /// - Throws: As for ``init(of:on:)``.
    public init(of sink: String, at address: String) async throws {
        recorder = Process()
        recorder.executableURL = try ExternalTool(name: "parec", package: "pulseaudio-utils").locate()
        recorder.arguments = [
            "--server=\(address)", "--device=\(sink).monitor", "--format=float32le", "--rate=48000",
            "--channels=2", "--latency-msec=20", "--raw",
        ]
        let pipe = Pipe()
        recorder.standardInput = FileHandle.nullDevice
        recorder.standardOutput = pipe
        recorder.standardError = FileHandle.nullDevice
        do { try recorder.run() } catch { throw TestSupportError.failed("parec did not start: \(error)") }
        Self.read(pipe.fileHandleForReading, into: recorded)
        try await wait(frames: 1)
    }

    deinit { end() }

    /// The number of frames recorded so far.
    public var frameCount: Int { recorded.frameCount }

    /// Waits until a number of frames is recorded.
    ///
    /// - Throws: `TestSupportError.failed` when the time has passed or the recorder ends before.
    public func wait(frames: Int, limit seconds: Double) async throws {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while frameCount < frames, !recorded.isComplete.load(ordering: .acquiring), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(1))
        }
        guard frameCount < frames else { return }
        if recorded.isComplete.load(ordering: .acquiring) {
            recorder.waitUntilExit()
            throw TestSupportError.failed(
                "the recorder ended with status \(recorder.terminationStatus) after \(frameCount) frames, \(frames) were awaited: its server closed the stream, or has ended"
            )
        }
        throw TestSupportError.failed(
            "the recording has \(frameCount) frames, \(frames) were awaited for \(seconds) s")
    }

    /// The samples of the newest frames, interleaved stereo; all of them when there are fewer.
    ///
    /// - Parameter frames: The number of frames.
    public func newest(frames: Int) -> [Float] { recorded.samples(ofNewest: frames) }

    /// Ends the recording.
    ///
    /// - Returns: Everything that was recorded: interleaved stereo samples at 48 kHz, the format of the sinks.
    public func stop() async -> [Float] {
        end()
        // The recorder was killed, so its pipe ends soon; a cancelled task waits for that as well.
        while !recorded.isComplete.load(ordering: .acquiring) { try? await Task.sleep(for: .milliseconds(1)) }
        return recorded.samples
    }

    /// Kills the recorder. It would ignore SIGTERM, because it inherits the signal mask of Dispatch's threads.
    private func end() { if recorder.isRunning { kill(recorder.processIdentifier, SIGKILL) } }

    private static func read(_ handle: FileHandle, into recorded: RecordedBytes) {
        let thread = Thread {
            while case let data = handle.nextBytes(), !data.isEmpty { recorded.append(data) }
            recorded.isComplete.store(true, ordering: .releasing)
        }
        thread.name = "descant-recording"
        thread.start()
    }
}

/// The bytes that a recorder has written.
private final class RecordedBytes: Sendable {
    /// Whether the recorder has closed its pipe.
    let isComplete = Atomic(false)
    private let bytes = Mutex(Data())

    /// Stereo frames of Float32.
    var frameCount: Int { bytes.withLock { $0.count / 8 } }

    /// The samples, without an incomplete last one.
    var samples: [Float] { Self.samples(bytes.withLock { $0 }) }

    /// The samples of the newest whole frames.
    func samples(ofNewest frames: Int) -> [Float] {
        Self.samples(bytes.withLock { $0.prefix($0.count / 8 * 8).suffix(frames * 8) })
    }

    private static func samples(_ recorded: Data) -> [Float] {
        [Float](unsafeUninitializedCapacity: recorded.count / 4) { memory, count in
            recorded.copyBytes(to: UnsafeMutableRawBufferPointer(memory), count: recorded.count / 4 * 4)
            count = recorded.count / 4
        }
    }

    func append(_ data: Data) {
        bytes.withLock { $0.append(data) }
    }
}
