internal import CGStreamer
internal import CGStreamerShim
internal import DescantCore
internal import Synchronization

/// Lists a server's devices.
///
/// Starts the server's device provider for each listing, instead of a `GstDeviceMonitor`: on PipeWire a monitor lists
/// every sink twice, and it misses changes of PulseAudio's default. A listing gets the present default, needs no
/// further library, and leaves no connection open.
enum DeviceList {
    /// Lists the devices; may block for seconds when a server hangs.
    ///
    /// - Throws: `CoreError.unsupported` when the provider is missing, `CoreError.ioError` when no server answers.
    static func read(_ destination: OutputDestination) throws(CoreError) -> [OutputDevice] {
        switch destination {
        case .pulse(_, _, let server): return try read("pulsedeviceprovider", server: server, destination)
        case .alsa: return try read("alsadeviceprovider", server: nil, destination)
        default: return []
        }
    }

    private static func read(
        _ name: String, server: String?, _ destination: OutputDestination
    ) throws(CoreError) -> [OutputDevice] {
        do { try GStreamerRuntime.start() } catch { throw .unsupported("\(error)") }
        guard let provider = gst_device_provider_factory_get_by_name(name) else {
            throw .unsupported(
                "GStreamer's \(name) is missing; install it with: apt-get install "
                    + ElementPackages.package(for: name == "alsadeviceprovider" ? "alsasink" : "pulsesink"))
        }
        defer { gst_object_unref(provider) }
        if let server { descant_gst_set_string(provider, "server", server) }
        // Only a started provider knows the default device.
        guard gst_device_provider_start(provider) != 0 else {
            throw SinkFailure.error(text: "it does not answer", debug: "", destination: destination)
        }
        defer { gst_device_provider_stop(provider) }
        var devices: [OutputDevice] = []
        let list = gst_device_provider_get_devices(provider)
        var node = list
        while let item = node {
            if let device = item.pointee.data {
                if let found = describe(device.assumingMemoryBound(to: GstDevice.self)) { devices.append(found) }
                gst_object_unref(device)
            }
            node = item.pointee.next
        }
        g_list_free(list)
        return devices
    }

    /// The description of a playback device; `nil` for a recording device.
    private static func describe(_ device: UnsafeMutablePointer<GstDevice>) -> OutputDevice? {
        guard gst_device_has_classes(device, "Audio/Sink") != 0,
            let identifier = text(descant_gst_get_string(device, "internal-name")),
            let name = text(gst_device_get_display_name(device))
        else { return nil }
        var isDefault: gboolean = 0
        if let properties = gst_device_get_properties(device) {
            gst_structure_get_boolean(properties, "is-default", &isDefault)
            gst_structure_free(properties)
        }
        return OutputDevice(identifier: identifier, name: name, isDefault: isDefault != 0)
    }

    private static func text(_ owned: UnsafeMutablePointer<CChar>?) -> String? {
        guard let owned else { return nil }
        defer { g_free(owned) }
        return String(cString: owned)
    }
}
