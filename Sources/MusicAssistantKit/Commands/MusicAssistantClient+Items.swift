/// Items: versions, refreshing, lyrics, changes.
extension MusicAssistantClient {
    /// Lists other versions of a track.
    ///
    /// - Parameters:
    ///   - itemId: The item's identifier at its provider.
    ///   - provider: The provider of the item.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func trackVersions(itemId: String, provider: String = "library") async throws -> [MediaItem] {
        MediaItem.list(try await call("music/tracks/track_versions", .item(itemId, of: provider)))
    }

    /// Lists other versions of an album.
    ///
    /// - Parameters:
    ///   - itemId: The item's identifier at its provider.
    ///   - provider: The provider of the item.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func albumVersions(itemId: String, provider: String = "library") async throws -> [MediaItem] {
        MediaItem.list(try await call("music/albums/album_versions", .item(itemId, of: provider)))
    }

    /// Lists other addresses of a station.
    ///
    /// - Parameters:
    ///   - itemId: The item's identifier at its provider.
    ///   - provider: The provider of the item.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func radioVersions(itemId: String, provider: String = "library") async throws -> [MediaItem] {
        MediaItem.list(try await call("music/radios/radio_versions", .item(itemId, of: provider)))
    }

    /// Lists other versions of an audiobook.
    ///
    /// - Parameters:
    ///   - itemId: The item's identifier at its provider.
    ///   - provider: The provider of the item.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func audiobookVersions(itemId: String, provider: String = "library") async throws -> [MediaItem]
    {
        MediaItem.list(try await call("music/audiobooks/audiobook_versions", .item(itemId, of: provider)))
    }

    /// Lists other sources of a podcast.
    ///
    /// - Parameters:
    ///   - itemId: The item's identifier at its provider.
    ///   - provider: The provider of the item.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func podcastVersions(itemId: String, provider: String = "library") async throws -> [MediaItem] {
        MediaItem.list(try await call("music/podcasts/podcast_versions", .item(itemId, of: provider)))
    }

    /// Gets one episode.
    ///
    /// - Parameters:
    ///   - itemId: The item's identifier at its provider.
    ///   - provider: The provider of the item.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func podcastEpisode(itemId: String, provider: String = "library") async throws -> MediaItem {
        try MediaItem(json: await call("music/podcasts/podcast_episode", .item(itemId, of: provider)))
    }

    /// Lists the albums that a track is on.
    ///
    /// - Parameters:
    ///   - itemId: The item's identifier at its provider.
    ///   - provider: The provider of the item.
    ///   - inLibraryOnly: Whether only items of the library are listed.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func trackAlbums(itemId: String, provider: String = "library", inLibraryOnly: Bool? = nil)
        async throws -> [MediaItem]
    {
        var args: [String: JSONValue] = .item(itemId, of: provider)
        args["in_library_only"] = inLibraryOnly.map { .bool($0) }
        return MediaItem.list(try await call("music/tracks/track_albums", args))
    }

    /// Gets the address of an excerpt of a track.
    ///
    /// - Parameters:
    ///   - provider: The provider of the item.
    ///   - itemId: The item's identifier at its provider.
    /// - Returns: The address.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func previewURL(provider: String, itemId: String) async throws -> String {
        try await value(call("music/tracks/preview", .item(itemId, of: provider)), \.stringValue)
    }

    /// Finds a track by its name.
    ///
    /// - Parameters:
    ///   - name: Its title.
    ///   - artist: The artist.
    ///   - album: The name of the album.
    ///   - version: The version, such as `remix`.
    /// - Returns: The item; nil when there is none.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func track(name: String, artist: String? = nil, album: String? = nil, version: String? = nil)
        async throws -> MediaItem?
    {
        var args: [String: JSONValue] = ["track_name": .string(name)]
        args["artist_name"] = artist.map { .string($0) }
        args["album_name"] = album.map { .string($0) }
        args["track_version"] = version.map { .string($0) }
        return try await optional(call("music/track_by_name", args))
    }

    /// Gets the library's own item for one of a provider.
    ///
    /// - Parameters:
    ///   - mediaType: The kind of item.
    ///   - itemId: The item's identifier at its provider.
    ///   - provider: The provider of the item.
    /// - Returns: The item; nil when there is none.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func libraryItem(mediaType: MediaType, itemId: String, provider: String = "library") async throws
        -> MediaItem?
    {
        var args: [String: JSONValue] = .item(itemId, of: provider)
        args["media_type"] = .string(mediaType.rawValue)
        return try await optional(call("music/get_library_item", args))
    }

    /// Gets one item with all of its fields.
    ///
    /// - Parameters:
    ///   - mediaType: The kind of item.
    ///   - itemId: The item's identifier at its provider.
    ///   - provider: The provider of the item.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func item(mediaType: MediaType, itemId: String, provider: String = "library") async throws
        -> MediaItem
    {
        var args: [String: JSONValue] = .item(itemId, of: provider)
        args["media_type"] = .string(mediaType.rawValue)
        return try MediaItem(json: await call("music/item", args))
    }

    /// Refreshes an item on the server.
    ///
    /// The server asks the providers, so the time limit is two minutes.
    ///
    /// - Parameter uri: The item.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func refresh(uri: String) async throws -> MediaItem {
        try MediaItem(json: await call("music/refresh_item", ["media_item": .string(uri)], timeout: .seconds(120)))
    }

    /// Updates the texts and pictures of an item.
    ///
    /// The server asks online services, so the time limit is two minutes.
    ///
    /// - Parameters:
    ///   - uri: The item.
    ///   - force: Whether to update even after a recent update.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func updateMetadata(uri: String, force: Bool? = nil) async throws -> MediaItem {
        var args: [String: JSONValue] = ["item": .string(uri)]
        args["force_refresh"] = force.map { .bool($0) }
        return try MediaItem(json: await call("metadata/update_metadata", args, timeout: .seconds(120)))
    }

    /// Sets the language of texts about items.
    ///
    /// - Parameter language: The language, such as `de`.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func setLanguage(language: String) async throws {
        try await call("metadata/set_preferred_language", ["lang": .string(language)])
    }

    /// Sets the language of texts about items, unless a language was chosen.
    ///
    /// - Parameter language: The language, such as `de`.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func setDefaultLanguage(language: String) async throws {
        try await call("metadata/set_default_preferred_language", ["lang": .string(language)])
    }

    /// Searches the other providers for an item of the library.
    ///
    /// The server asks the providers, so the time limit is two minutes.
    ///
    /// - Parameters:
    ///   - mediaType: The kind of item.
    ///   - libraryItemId: The item's identifier in the library.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func matchProviders(mediaType: MediaType, libraryItemId: String) async throws {
        try await call(
            "music/match_providers", ["media_type": .string(mediaType.rawValue), "db_id": .string(libraryItemId)],
            timeout: .seconds(120))
    }

    /// Adds a provider mapping to an item.
    ///
    /// - Parameters:
    ///   - mediaType: The kind of item.
    ///   - libraryItemId: The item's identifier in the library.
    ///   - mapping: The mapping, in the form of ``ProviderMapping/json``.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func addProviderMapping(mediaType: MediaType, libraryItemId: String, mapping: JSONValue)
        async throws
    {
        try await call(
            "music/add_provider_mapping",
            ["media_type": .string(mediaType.rawValue), "db_id": .string(libraryItemId), "mapping": mapping])
    }

    /// Removes a provider mapping from an item.
    ///
    /// - Parameters:
    ///   - mediaType: The kind of item.
    ///   - libraryItemId: The item's identifier in the library.
    ///   - mapping: The mapping, in the form of ``ProviderMapping/json``.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func removeProviderMapping(mediaType: MediaType, libraryItemId: String, mapping: JSONValue)
        async throws
    {
        try await call(
            "music/remove_provider_mapping",
            ["media_type": .string(mediaType.rawValue), "db_id": .string(libraryItemId), "mapping": mapping])
    }

    /// Gets the lyrics of a track; the server searches online when it has none.
    ///
    /// The server asks online services, so the time limit is two minutes.
    ///
    /// - Parameter track: The track, with all of its fields.
    /// - Returns: The lyrics, and the lyrics with times in the format LRC; nil when there are none.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func lyrics(of track: MediaItem) async throws -> (plain: String?, timed: String?) {
        let pair = try await call("metadata/get_track_lyrics", ["track": track.json], timeout: .seconds(120))
        return (pair[0]?.stringValue, pair[1]?.stringValue)
    }

    /// Changes an item of the library.
    ///
    /// - Parameters:
    ///   - kind: The kind of items.
    ///   - itemId: The item's identifier in the library.
    ///   - update: The new content of the item, in the form of ``MediaItem/json``.
    ///   - overwrite: Whether fields that are missing in `update` are cleared.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func updateItem(kind: LibraryKind, itemId: String, update: JSONValue, overwrite: Bool? = nil)
        async throws -> MediaItem
    {
        var args: [String: JSONValue] = ["item_id": .string(itemId), "update": update]
        args["overwrite"] = overwrite.map { .bool($0) }
        return try MediaItem(json: await call("music/\(kind.path)/update", args))
    }

    /// Removes an item from the library.
    ///
    /// - Parameters:
    ///   - kind: The kind of items.
    ///   - itemId: The item's identifier in the library.
    ///   - recursive: Whether dependent items, such as the albums of an artist, are removed too.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func removeItem(kind: LibraryKind, itemId: String, recursive: Bool? = nil) async throws {
        var args: [String: JSONValue] = ["item_id": .string(itemId)]
        args["recursive"] = recursive.map { .bool($0) }
        try await call("music/\(kind.path)/remove", args)
    }
}
