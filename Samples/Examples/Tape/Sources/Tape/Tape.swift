import Descant
import Foundation
import Glibc

/// Writes interleaved Float32 samples, little endian, to a file. Every start begins the file anew.
final class TapeOutput: AudioOutputPort {
    private let path: String
    private var frameBytes = 0
    private var file: Int32 = -1

    init(path: String) { self.path = path }

    deinit { stop() }

    /// A file needs no clock: it is written as fast as the sound can be made.
    var pacing: OutputPacing { .none }

    func configure(sampleRate: Double, channels: Int, framesPerBuffer: Int) throws {
        guard file < 0 else { throw CoreError.invalidState("\(path): stop the output before it is configured") }
        guard sampleRate > 0, sampleRate.isFinite, (1...8).contains(channels), framesPerBuffer > 0 else {
            throw CoreError.invalidArgument(
                "\(path): \(channels) channels at \(sampleRate) Hz by \(framesPerBuffer) frames cannot be written")
        }
        frameBytes = channels * MemoryLayout<Float>.size
    }

    func start() throws {
        guard frameBytes > 0 else { throw CoreError.invalidState("\(path): configure the output before the start") }
        guard file < 0 else { return }
        file = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw failure() }
    }

    func stop() {
        guard file >= 0 else { return }
        Glibc.close(file)
        file = -1
    }

    func render(_ buffer: UnsafePointer<Float>, frameCount: Int) throws -> Int {
        guard file >= 0 else { throw CoreError.invalidState("\(path): the output is not started") }
        let length = max(0, frameCount) * frameBytes
        var done = 0
        while done < length {
            let written = Glibc.write(file, UnsafeRawPointer(buffer) + done, length - done)
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw failure() }
            done += written
        }
        return length / frameBytes
    }

    private func failure() -> CoreError { .ioError("\(path) cannot be written: \(String(cString: strerror(errno)))") }
}

struct TapePlugin: DescantPlugin {
    static let manifest = PluginManifest(
        id: "org.example.tape", name: "Tape", version: "1.0.0", license: "Apache-2.0",
        provides: [
            .output("tape", capabilities: ["file"]) {
                TapeOutput(path: ProcessInfo.processInfo.environment["TAPE_FILE"] ?? "tape.f32")
            }
        ])
}

/// Describes the plugin to the bundle writer and to hosts.
@c(descant_plugin_manifest)
public func manifest() -> UnsafePointer<CChar>? { PluginEntry.manifest(of: TapePlugin.self) }

/// Creates the plugin for a host.
@c(descant_plugin_entry)
public func entry(_ host: UnsafeMutableRawPointer) -> Int32 { PluginEntry.run(TapePlugin.self, host) }
