import Descant
import DescantTestSupport
import DescantTesting
import Foundation
import Testing

/// Devices: listed, chosen, and changed while playing.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DeviceTests {
    @Test func outputsWithoutDevicesListNone() async throws {
        let offline = try OfflineEngine()
        #expect(try await offline.engine.outputDevices() == [])
        await #expect(throws: CoreError.self) { try await offline.engine.selectOutput("anything") }
    }

    @Test func devicesAreListedAndUnknownOnesRefused() async throws {
        let server = try PrivatePulseServer()
        let engine = try OfflineEngine.environment.makeEngine(output: .pulse(server: server.address))
        let devices = try await engine.outputDevices()
        #expect(
            Set(devices.map(\.identifier)) == [PrivatePulseServer.defaultSink, PrivatePulseServer.otherSink])
        #expect(devices.filter(\.isDefault).map(\.identifier) == [PrivatePulseServer.defaultSink])
        await #expect(throws: CoreError.self) { try await engine.selectOutput("moon") }
        await engine.shutdown()
    }

    @Test func changingTheDeviceLosesNoFrame() async throws {
        var heard = HeardFrames([])
        // A busy server may drop some milliseconds by itself: more tries are allowed.
        for _ in 0..<8 {
            let server = try PrivatePulseServer()
            heard = try await DeviceChanges(server: server.address).play()
            if heard.missing == 0 { break }
        }
        #expect(heard.first == 0)
        #expect(heard.missing == 0, "heard nowhere; at the changes: \(heard)")
        // Each of the three changes repeats the frames that the old device played until it was closed.
        #expect(heard.doubled <= 3 * 9_600, "\(heard)")
        #expect(heard.last > 96_000)
    }

    @Test func selectingTheCurrentDeviceChangesNothing() async throws {
        let server = try PrivatePulseServer()
        let heard = try await DeviceChanges(
            server: server.address, devices: [PrivatePulseServer.defaultSink, PrivatePulseServer.defaultSink]
        ).play()
        #expect(heard.doubled == 0, "\(heard)")
    }
}
