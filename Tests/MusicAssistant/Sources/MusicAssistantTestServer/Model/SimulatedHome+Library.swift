extension SimulatedHome {
    /// The commands about the library.
    static let libraryActions: [String: Action] = perKindActions.merging(otherLibraryActions) { first, _ in first }

    /// The commands of every kind: listing, counting, looking up.
    private static let perKindActions: [String: Action] = {
        var actions: [String: Action] = [:]
        for kind in LibraryKind.allCases {
            actions["music/\(kind.plural)/library_items"] = { home, arguments in
                .result(.array(try home.listing(kind, arguments).map(home.library.json)))
            }
            actions["music/\(kind.plural)/count"] = { home, arguments in
                let onlyFavorites = try arguments.optionalBool("favorite_only") ?? false
                let count = home.library.items.count { $0.kind == kind && (!onlyFavorites || $0.isFavorite) }
                return .result(.int(count))
            }
            actions["music/\(kind.plural)/get"] = { home, arguments in
                .result(home.library.json(try home.item(kind, arguments)))
            }
        }
        for kind in ["audiobooks", "podcasts", "genres"] {
            actions["music/\(kind)/library_items"] = { _, _ in .result([]) }
            actions["music/\(kind)/count"] = { _, _ in .result(0) }
        }
        return actions
    }()

    private static let otherLibraryActions: [String: Action] = [
        "music/search": { home, arguments in try home.search(arguments) },
        "music/item_by_uri": { home, arguments in
            .result(home.library.json(try home.library.item(uri: try arguments.string("uri"))))
        },
        "music/browse": { home, arguments in try home.browse(arguments) },
        "music/albums/album_tracks": { try tracks(.album, $0, $1) },
        "music/artists/artist_tracks": { try tracks(.artist, $0, $1) },
        "music/artists/artist_albums": { home, arguments in
            let artist = try home.item(.artist, arguments).id
            let albums = home.library.items.filter { $0.kind == .album && $0.artist == artist }
            return .result(.array(albums.map(home.library.json)))
        },
        "music/playlists/playlist_tracks": { home, arguments in
            let playlist = try home.item(.playlist, arguments)
            return .items(
                home.library.tracks(of: playlist).enumerated().map { place, track in
                    var json = home.library.json(track)
                    json["position"] = .int(place + 1)
                    return json
                })
        },
        "music/podcasts/podcast_episodes": { _, _ in .items([]) },
        "music/tracks/similar_tracks": { _, _ in .result([]) },
        "music/recently_played_items": { _, _ in .result([]) },
        "music/in_progress_items": { _, _ in .result([]) },
        "music/recently_added_tracks": { _, _ in .result([]) },
        "music/recommendations": { _, _ in .result([]) },
        "music/favorites/add_item": { home, arguments in
            guard let uri = try arguments.strings("item").first else { throw CommandArguments.missing("item", "str") }
            let item = try home.library.item(uri: uri)
            home.mark(item.kind, item.id, isFavorite: true)
            return .result(.null)
        },
        "music/favorites/remove_item": { home, arguments in
            let kind = try kind(arguments)
            home.mark(kind, try arguments.string("library_item_id"), isFavorite: false)
            return .result(.null)
        },
        "music/library/add_item": { home, arguments in
            guard let uri = try arguments.strings("item").first else { throw CommandArguments.missing("item", "str") }
            return .result(home.library.json(try home.library.item(uri: uri)))
        },
        "music/library/remove_item": { home, arguments in
            home.remove(try kind(arguments), try arguments.string("library_item_id"))
            return .result(.null)
        },
        "music/playlists/create_playlist": { home, arguments in
            .result(home.addPlaylist(named: try arguments.string("name"), tracks: []))
        },
        "music/playlists/add_playlist_tracks": { home, arguments in
            let uris = try arguments.strings("uris")
            return try changePlaylist(&home, arguments) {
                $0.tracks += uris.compactMap { $0.split(separator: "/").last.map(String.init) }
            }
        },
        "music/playlists/remove_playlist_tracks": { home, arguments in
            let positions = Set(arguments.values["positions_to_remove"]?.array?.compactMap(\.int) ?? [])
            return try changePlaylist(&home, arguments) { playlist in
                playlist.tracks = playlist.tracks.enumerated().filter { !positions.contains($0.offset + 1) }.map(
                    \.element)
            }
        },
        "music/mark_played": { _, _ in .result(.null) }, "music/mark_unplayed": { _, _ in .result(.null) },
        "music/sync": { _, _ in .result(.null) }, "music/synctasks": { _, _ in .result([]) },
    ]

    // MARK: Finding

    private func item(_ kind: LibraryKind, _ arguments: CommandArguments) throws -> SimulatedItem {
        let id = try arguments.string("item_id")
        guard let item = library.item(kind, id) else {
            throw ServerError.mediaNotFound("\(kind.rawValue) not found in library: \(id)")
        }
        return item
    }

    private static func kind(_ arguments: CommandArguments) throws -> LibraryKind {
        let word = try arguments.string("media_type")
        guard let kind = LibraryKind(rawValue: word) else {
            throw CommandArguments.wrong(.string(word), "media_type", "MediaType")
        }
        return kind
    }

    private static func tracks(
        _ kind: LibraryKind, _ home: SimulatedHome, _ arguments: CommandArguments
    ) throws -> CommandReply {
        let item = try home.item(kind, arguments)
        return .result(.array(home.library.tracks(of: item).map(home.library.json)))
    }

    private func listing(_ kind: LibraryKind, _ arguments: CommandArguments) throws -> [SimulatedItem] {
        let favorite = try arguments.optionalBool("favorite")
        let text = try arguments.optionalString("search")?.lowercased()
        let items = library.items.filter { item in
            item.kind == kind && (favorite == nil || item.isFavorite == favorite)
                && (text.map { item.name.lowercased().contains($0) } ?? true)
        }
        let offset = max(0, try arguments.optionalInt("offset") ?? 0)
        return Array(items.dropFirst(offset).prefix(max(0, try arguments.optionalInt("limit") ?? 500)))
    }

    private func search(_ arguments: CommandArguments) throws -> CommandReply {
        let text = try arguments.string("search_query").lowercased()
        let wanted = try arguments.optionalStrings("media_types")
        let limit = max(0, try arguments.optionalInt("limit") ?? 25)
        var result: JSON = ["genres": [], "audiobooks": [], "podcasts": []]
        for kind in LibraryKind.allCases {
            let found = library.items.filter { $0.kind == kind && $0.name.lowercased().contains(text) }
            let isWanted = wanted?.contains(kind.rawValue) ?? true
            // Stations are the only kind whose name in results is singular.
            let name = kind == .radio ? "radio" : kind.plural
            result[name] = .array(isWanted ? found.prefix(limit).map(library.json) : [])
        }
        return .result(result)
    }

    private func browse(_ arguments: CommandArguments) throws -> CommandReply {
        func folder(_ id: String, _ name: String, _ path: String) -> JSON {
            [
                "item_id": .string(id), "provider": "library", "name": .string(name), "uri": .string(path),
                "is_playable": false, "media_type": "folder", "path": .string(path), "image": nil,
            ]
        }
        let path = try arguments.optionalString("path") ?? ""
        guard !path.isEmpty else {
            return .result(
                .array(LibraryKind.allCases.map { folder($0.rawValue, $0.plural, "library://\($0.plural)") }))
        }
        guard let kind = LibraryKind.allCases.first(where: { path == "library://\($0.plural)" }) else {
            throw ServerError(1, "\(path) is not available")
        }
        let items = library.items.filter { $0.kind == kind }
        return .result(.array([folder("root", "..", "")] + items.map(library.json)))
    }

    // MARK: Changing

    private mutating func mark(_ kind: LibraryKind, _ id: String, isFavorite: Bool) {
        guard let index = library.items.firstIndex(where: { $0.kind == kind && $0.id == id }) else { return }
        library.items[index].isFavorite = isFavorite
        let item = library.items[index]
        events.append(ServerEvent("media_item_updated", objectID: item.uri, data: library.json(item)))
    }

    private mutating func remove(_ kind: LibraryKind, _ id: String) {
        guard let item = library.item(kind, id) else { return }
        library.items.removeAll { $0 == item }
        events.append(ServerEvent("media_item_deleted", objectID: item.uri, data: library.json(item)))
    }

    /// Adds a playlist and returns it as the server does.
    mutating func addPlaylist(named name: String, tracks: [String]) -> JSON {
        let number = library.items.count { $0.kind == .playlist } + 1
        let playlist = SimulatedItem(.playlist, String(number), name, tracks: tracks)
        library.items.append(playlist)
        let json = library.json(playlist)
        events.append(ServerEvent("media_item_added", objectID: playlist.uri, data: json))
        return json
    }

    private static func changePlaylist(
        _ home: inout SimulatedHome, _ arguments: CommandArguments, _ body: (inout SimulatedItem) -> Void
    ) throws -> CommandReply {
        let id = try arguments.string("db_playlist_id")
        guard let index = home.library.items.firstIndex(where: { $0.kind == .playlist && $0.id == id }) else {
            throw ServerError.mediaNotFound("playlist not found in library: \(id)")
        }
        body(&home.library.items[index])
        let playlist = home.library.items[index]
        home.events.append(
            ServerEvent("media_item_updated", objectID: playlist.uri, data: home.library.json(playlist)))
        return .result(.null)
    }
}
