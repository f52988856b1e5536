import Foundation

@testable import DescantDesktop

/// Rules of the members and their types.
extension MPRISChecker {
    func introspection() async throws {
        let xml = try await player.call("org.freedesktop.DBus.Introspectable", "Introspect").first?.string ?? ""
        let found = try IntrospectedInterfaces(xml)
        for (interface, wanted) in MPRISTable.methods where interface != MPRISName.playlists || found.has(interface) {
            try require(.introspection, found.has(interface), "\(interface) is missing")
            for (name, types) in wanted {
                try require(.introspection, found.arguments(interface, name, "in"), is: types.in, "\(name)'s input")
                try require(.introspection, found.arguments(interface, name, "out"), is: types.out, "\(name)'s output")
            }
            for (name, types) in MPRISTable.signals[interface] ?? [:] {
                try require(.introspection, found.arguments(interface, name, nil), is: types, "\(name)'s arguments")
            }
            let members = Set(wanted.keys).union(MPRISTable.signals[interface]?.keys.map { $0 } ?? [])
            try require(.introspection, found.members(interface), is: members, "\(interface)")
            try properties(interface, found)
        }
    }

    private func properties(_ interface: String, _ found: IntrospectedInterfaces) throws {
        for (name, wanted) in MPRISTable.properties[interface] ?? [:] {
            guard let property = found.property(interface, name) else {
                try require(.introspection, name == "DesktopEntry", "\(name) is missing")
                continue
            }
            let shape = [wanted.type, wanted.isWritable ? "readwrite" : "read", wanted.emits]
            try require(.introspection, property, is: shape, name)
        }
    }

    func propertyTypes() async throws {
        for (interface, table) in MPRISTable.properties {
            let values = (try? await player.getAll(interface)) ?? [:]
            if interface == MPRISName.playlists, values.isEmpty { continue }
            for (name, wanted) in table where !MPRISTable.optional.contains(name) || values[name] != nil {
                let value = values[name]
                try require(.propertyTypes, value?.signature ?? "missing", is: wanted.type, name)
                let single = try await player.get(name, interface)
                try require(.propertyTypes, single.signature, is: wanted.type, name)
            }
        }
        let status = try await status() ?? ""
        try require(.propertyTypes, ["Playing", "Paused", "Stopped"].contains(status), "the status is \(status)")
        let loop = try await player.getAll(MPRISName.player)["LoopStatus"]?.string ?? "None"
        try require(.propertyTypes, ["None", "Track", "Playlist"].contains(loop), "the loop status is \(loop)")
        let (slow, fast) = (try await player.get("MinimumRate").double, try await player.get("MaximumRate").double)
        try require(.propertyTypes, (slow ?? 2) <= 1 && (fast ?? 0) >= 1, "rates \(slow ?? -1) to \(fast ?? -1)")
    }

    func identity() async throws {
        let values = try await player.getAll(MPRISName.root)
        try require(.identity, values["Identity"]?.string?.isEmpty == false, "the identity is empty")
        if let entry = values["DesktopEntry"]?.string {
            try require(
                .identity, !entry.contains("/") && !entry.hasSuffix(".desktop"), "the desktop entry is \(entry)")
        }
        let schemes = values["SupportedUriSchemes"]?.elements?.compactMap(\.string) ?? []
        try require(.identity, schemes.allSatisfy { $0 == $0.lowercased() && !$0.contains(":") }, "\(schemes)")
        let types = values["SupportedMimeTypes"]?.elements?.compactMap(\.string) ?? []
        try require(.identity, types.allSatisfy { $0.split(separator: "/").count == 2 }, "\(types)")
    }

    func metadata() async throws {
        try check(metadata: try await player.get("Metadata"))
        let url = try await player.get("Metadata").dictionary?["xesam:url"]?.string ?? "file:///"
        try require(.metadataTypes, URL(string: url)?.scheme != nil, "xesam:url is \(url)")
    }

    func check(metadata value: BusValue) throws {
        let entries = value.dictionary ?? [:]
        guard let id = entries["mpris:trackid"] else {
            throw MPRISFinding(rule: .trackIdentity, detail: "there is no mpris:trackid")
        }
        guard let path = id.path else {
            throw MPRISFinding(rule: .trackIdentity, detail: "mpris:trackid is of type \(id.signature)")
        }
        try require(
            .trackIdentity, !path.hasPrefix("/org/mpris") || path == MPRISName.noTrack, "mpris:trackid is \(path)")
        for (name, entry) in entries {
            guard let type = MPRISTable.metadata[name] else { continue }
            try require(.metadataTypes, entry.signature, is: type, name)
        }
        if let date = entries["xesam:contentCreated"]?.string {
            let pattern = #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*/#
            try require(.metadataTypes, date.wholeMatch(of: pattern) != nil, "xesam:contentCreated is \(date)")
        }
    }
}
