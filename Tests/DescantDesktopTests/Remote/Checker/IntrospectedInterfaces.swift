import DescantCore
import CGio

/// The introspection data of a player, parsed by GLib.
final class IntrospectedInterfaces {
    private let node: UnsafeMutablePointer<GDBusNodeInfo>

    init(_ xml: String) throws {
        guard let node = g_dbus_node_info_new_for_xml(xml, nil) else {
            throw MPRISFinding(rule: .introspection, detail: "not readable: \(xml.prefix(200))")
        }
        self.node = node
    }

    deinit { g_dbus_node_info_unref(node) }

    private func interface(_ name: String) -> UnsafeMutablePointer<GDBusInterfaceInfo>? {
        g_dbus_node_info_lookup_interface(node, name)
    }

    func has(_ name: String) -> Bool { interface(name) != nil }

    /// The types of a member's arguments; of a signal's without a direction.
    func arguments(_ name: String, _ member: String, _ direction: String?) -> [String]? {
        guard let info = interface(name) else { return nil }
        guard let direction else {
            return g_dbus_interface_info_lookup_signal(info, member).map { types($0.pointee.args) }
        }
        guard let method = g_dbus_interface_info_lookup_method(info, member) else { return nil }
        return types(direction == "in" ? method.pointee.in_args : method.pointee.out_args)
    }

    /// The names of methods and signals.
    func members(_ name: String) -> Set<String> {
        guard let info = interface(name) else { return [] }
        let methods = all(info.pointee.methods).map { String(cString: $0.pointee.name) }
        let signals = all(info.pointee.signals).map { String(cString: $0.pointee.name) }
        return Set(methods + signals)
    }

    /// Type, access and the signal of a change.
    func property(_ name: String, _ property: String) -> [String]? {
        guard let info = interface(name), let found = g_dbus_interface_info_lookup_property(info, property) else {
            return nil
        }
        let isWritable = found.pointee.flags.rawValue & G_DBUS_PROPERTY_INFO_FLAGS_WRITABLE.rawValue != 0
        let emits = g_dbus_annotation_info_lookup(
            found.pointee.annotations, "org.freedesktop.DBus.Property.EmitsChangedSignal")
        return [
            String(cString: found.pointee.signature), isWritable ? "readwrite" : "read",
            emits.map { String(cString: $0) } ?? "true",
        ]
    }

    private func types(_ list: UnsafeMutablePointer<UnsafeMutablePointer<GDBusArgInfo>?>?) -> [String] {
        all(list).map { String(cString: $0.pointee.signature) }
    }

    private func all<Info>(
        _ list: UnsafeMutablePointer<UnsafeMutablePointer<Info>?>?
    ) -> [UnsafeMutablePointer<Info>] {
        guard var next = list else { return [] }
        var found: [UnsafeMutablePointer<Info>] = []
        while let info = next.pointee {
            found.append(info)
            next = next.advanced(by: 1)
        }
        return found
    }
}
