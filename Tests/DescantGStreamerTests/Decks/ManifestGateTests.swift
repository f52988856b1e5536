import CGStreamer
import Foundation
import Synchronization
import Testing

@testable import DescantGStreamer

/// What reaches a demuxer that fetches the parts of a playlist.
@Suite struct ManifestGateTests {
    private final class Reasons: Sendable {
        private let texts = Mutex<[String]>([])
        func take(_ text: String) { texts.withLock { $0.append(text) } }
        var all: [String] { texts.withLock { $0 } }
    }

    private let reasons = Reasons()

    init() throws { try GStreamerRuntime.start() }

    private func gate(isRefused: Bool) -> ManifestGate { ManifestGate(isRefused: isRefused, reasons.take) }

    private func passes(_ text: String, _ gate: ManifestGate) throws -> Bool {
        let buffer = try #require(gst_buffer_new_allocate(nil, gsize(text.utf8.count), nil))
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self)) }
        gst_buffer_fill(buffer, 0, Array(text.utf8), gsize(text.utf8.count))
        return gate.mayPass(buffer)
    }

    private func endPasses(_ gate: ManifestGate) throws -> Bool {
        let event = try #require(gst_event_new_eos())
        defer { gst_mini_object_unref(UnsafeMutableRawPointer(event).assumingMemoryBound(to: GstMiniObject.self)) }
        return gate.mayPass(event)
    }

    @Test func addressesOfTheWebPass() throws {
        let gate = gate(isRefused: false)
        for part in ["#EXTM3U\n#EXTINF:2,\nhttp", "://server/a.ts\n", "HTTPS://server/b.ts\nunknown://c\npath/d.ts\n"] {
            #expect(try passes(part, gate))
        }
        #expect(try endPasses(gate))
        #expect(reasons.all.isEmpty)
    }

    /// Also when an address is divided between two buffers.
    @Test(arguments: [["http://a/b\nfile:///own"], ["http://a/b\nfi", "le:///own"], ["x=\"FILE", ":/own\""]])
    func nothingPassesFromAnAddressOfThisMachineOn(parts: [String]) throws {
        let gate = gate(isRefused: false)
        for part in parts.dropLast() { #expect(try passes(part, gate)) }
        #expect(try !passes(try #require(parts.last), gate))
        #expect(try !passes("http://a/c", gate))
        // Without its end a playlist is not read.
        #expect(try !endPasses(gate))
        #expect(reasons.all.count == 1 && reasons.all[0].contains("file:"))
    }

    @Test func nothingOfAPlaylistOfThisMachinePasses() throws {
        let gate = gate(isRefused: true)
        #expect(try !passes("#EXTM3U\n", gate))
        #expect(try !endPasses(gate))
    }
}
