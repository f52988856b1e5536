public import DescantCore
internal import Foundation
internal import Glibc

/// What a sink of a ``PrivatePulseServer`` or ``PrivatePipeWireServer`` plays, recorded from its monitor: the sound that a
/// listener would hear.
///
/// Mostly it is what was played bit for bit. On a busy machine a server may drop some 20 ms; a test that asks for exact
/// samples should try a second time.
public final class MonitorRecording: Sendable {
    /// The shape of the recording: 48 kHz stereo, the sinks' own.
    public static let format = PCMFormat(sampleRate: 48_000, channels: 2)

    private let recorder: Process
    private let recorded = RecordedBytes()

    /// Begins to record and waits for the first frames.
    ///
    /// - Parameters:
    ///   - sink: The sink's name.
    ///   - server: Where it is.
    /// - Throws: `CoreError.unsupported` when parec is not installed, `CoreError.ioError` when nothing comes.
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
        do { try recorder.run() } catch { throw CoreError.ioError("parec did not start: \(error)") }
        Self.read(pipe.fileHandleForReading, into: recorded)
        try await wait(frames: 1)
    }

    deinit { end() }

    /// How many frames were recorded up to now.
    public var frameCount: Int { recorded.frameCount }

    /// Waits until so many frames are recorded.
    ///
    /// - Parameters:
    ///   - frames: Counted from the recording's beginning.
    ///   - seconds: The longest wait.
    /// - Throws: `CoreError.ioError` when they do not come in time, or the recorder ends before.
    public func wait(frames: Int, limit seconds: Double = 60) async throws {
        let progress = recorded.progress
        let isThere = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await count in progress.stream(buffer: .newest) where count >= frames { return true }
                return false
            }
            group.addTask {
                let clock = MonotonicClock()
                // Cancelled as soon as the frames are there.
                try? await clock.sleep(until: clock.now() + UInt64(seconds * 1e9))
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        guard isThere || frameCount >= frames else {
            throw CoreError.ioError("the recording has \(frameCount) frames, \(frames) were awaited for \(seconds) s")
        }
    }

    /// Ends the recording.
    ///
    /// - Returns: Everything that was recorded.
    public func stop() async -> SampleBuffer {
        end()
        // The reader ends the stream of progress when the recorder has closed its pipe.
        for await _ in recorded.progress.stream(buffer: .newest) {}
        return SampleBuffer(format: Self.format, samples: recorded.samples)
    }

    /// Not a request to end: the recorder has inherited a signal mask, in which Dispatch's threads block requests.
    private func end() { if recorder.isRunning { kill(recorder.processIdentifier, SIGKILL) } }

    private static func read(_ handle: FileHandle, into recorded: RecordedBytes) {
        let thread = Thread {
            while case let data = handle.nextBytes(), !data.isEmpty { recorded.append(data) }
            recorded.progress.finish()
        }
        thread.name = "descant-recording"
        thread.start()
    }
}
