/// Search, library, favourites, playlists.
extension MusicAssistantClient {
    /// Searches the library and the providers.
    ///
    /// - Parameters:
    ///   - query: The text to search for.
    ///   - mediaTypes: The kinds of items; nil for all.
    ///   - limit: The maximum number of items of each kind.
    ///   - libraryOnly: Whether only the library is searched.
    /// - Returns: The items found.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func search(
        query: String, mediaTypes: [MediaType]? = nil, limit: Int = 25, libraryOnly: Bool? = nil
    ) async throws -> SearchResults {
        var args: [String: JSONValue] = ["search_query": .string(query), "limit": .int(limit)]
        args["media_types"] = mediaTypes.map { .array($0.map { .string($0.rawValue) }) }
        args["library_only"] = libraryOnly.map { .bool($0) }
        return try SearchResults(json: await call("music/search", args))
    }

    /// Lists items of the library.
    ///
    /// - Parameters:
    ///   - kind: The kind of items.
    ///   - search: Part of a name; nil for all.
    ///   - favorite: Whether only favourites are listed.
    ///   - limit: The maximum number of items; the server's default is 500.
    ///   - offset: The number of items to skip.
    ///   - orderBy: The order, such as `sort_name`, `timestamp_added_desc`, `last_played_desc`.
    ///   - provider: The provider whose items to list; nil for all.
    ///   - genres: The genres whose items to list, by their identifiers in the library; nil for all.
    ///   - albumTypes: Only albums of these types, such as `single`.
    ///   - albumArtistsOnly: Whether only artists with albums are included.
    ///   - hideEmpty: Whether genres without items are excluded.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func libraryItems(
        kind: LibraryKind, search: String? = nil, favorite: Bool? = nil, limit: Int? = nil, offset: Int? = nil,
        orderBy: String? = nil, provider: String? = nil, genres: [Int]? = nil, albumTypes: [String]? = nil,
        albumArtistsOnly: Bool? = nil, hideEmpty: Bool? = nil
    ) async throws -> [MediaItem] {
        var args: [String: JSONValue] = [:]
        args["search"] = search.map { .string($0) }
        args["favorite"] = favorite.map { .bool($0) }
        args["limit"] = limit.map { .int($0) }
        args["offset"] = offset.map { .int($0) }
        args["order_by"] = orderBy.map { .string($0) }
        args["provider"] = provider.map { .string($0) }
        args["genre"] = genres.map { .array($0.map(JSONValue.int)) }
        args["album_types"] = albumTypes.map { .array($0.map(JSONValue.string)) }
        args["album_artists_only"] = albumArtistsOnly.map { .bool($0) }
        args["hide_empty"] = hideEmpty.map { .bool($0) }
        return MediaItem.list(try await call("music/\(kind.path)/library_items", args))
    }

    /// Counts items of the library.
    ///
    /// - Parameters:
    ///   - kind: The kind of items.
    ///   - favoritesOnly: Whether only favourites count.
    ///   - albumTypes: Only albums of these types, such as `single`.
    ///   - albumArtistsOnly: Whether only artists with albums are included.
    /// - Returns: The number of items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func libraryCount(
        kind: LibraryKind, favoritesOnly: Bool? = nil, albumTypes: [String]? = nil, albumArtistsOnly: Bool? = nil
    ) async throws -> Int {
        var args: [String: JSONValue] = [:]
        args["favorite_only"] = favoritesOnly.map { .bool($0) }
        args["album_types"] = albumTypes.map { .array($0.map(JSONValue.string)) }
        args["album_artists_only"] = albumArtistsOnly.map { .bool($0) }
        return try await value(call("music/\(kind.path)/count", args), \.intValue)
    }

    /// Gets one item with all of its fields.
    ///
    /// - Parameters:
    ///   - kind: The kind of items.
    ///   - itemId: The item's identifier at its provider.
    ///   - provider: The provider of the item.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func item(kind: LibraryKind, itemId: String, provider: String = "library") async throws
        -> MediaItem
    {
        try MediaItem(json: await call("music/\(kind.path)/get", .item(itemId, of: provider)))
    }

    /// Gets one item with all of its fields.
    ///
    /// - Parameter uri: The URI, such as `library://track/12`.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func item(uri: String) async throws -> MediaItem {
        try MediaItem(json: await call("music/item_by_uri", ["uri": .string(uri)]))
    }

    /// Lists the content of a folder.
    ///
    /// - Parameter path: ``MediaItem/path`` of a folder; nil for the top.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func browse(path: String? = nil) async throws -> [MediaItem] {
        var args: [String: JSONValue] = [:]
        args["path"] = path.map { .string($0) }
        return MediaItem.list(try await call("music/browse", args))
    }

    /// Lists the tracks of an album.
    ///
    /// - Parameters:
    ///   - itemId: The item's identifier at its provider.
    ///   - provider: The provider of the item.
    ///   - inLibraryOnly: Whether only items of the library are listed.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func albumTracks(itemId: String, provider: String = "library", inLibraryOnly: Bool? = nil)
        async throws
        -> [MediaItem]
    {
        var args: [String: JSONValue] = .item(itemId, of: provider)
        args["in_library_only"] = inLibraryOnly.map { .bool($0) }
        return MediaItem.list(try await call("music/albums/album_tracks", args))
    }

    /// Lists the albums of an artist.
    ///
    /// - Parameters:
    ///   - itemId: The item's identifier at its provider.
    ///   - provider: The provider of the item.
    ///   - inLibraryOnly: Whether only items of the library are listed.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func artistAlbums(itemId: String, provider: String = "library", inLibraryOnly: Bool? = nil)
        async throws
        -> [MediaItem]
    {
        var args: [String: JSONValue] = .item(itemId, of: provider)
        args["in_library_only"] = inLibraryOnly.map { .bool($0) }
        return MediaItem.list(try await call("music/artists/artist_albums", args))
    }

    /// Lists tracks of an artist.
    ///
    /// - Parameters:
    ///   - itemId: The item's identifier at its provider.
    ///   - provider: The provider of the item.
    ///   - inLibraryOnly: Whether only items of the library are listed.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func artistTracks(itemId: String, provider: String = "library", inLibraryOnly: Bool? = nil)
        async throws
        -> [MediaItem]
    {
        var args: [String: JSONValue] = .item(itemId, of: provider)
        args["in_library_only"] = inLibraryOnly.map { .bool($0) }
        return MediaItem.list(try await call("music/artists/artist_tracks", args))
    }

    /// Lists tracks that are similar to a track.
    ///
    /// - Parameters:
    ///   - itemId: The item's identifier at its provider.
    ///   - provider: The provider of the item.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func similarTracks(itemId: String, provider: String = "library") async throws -> [MediaItem] {
        MediaItem.list(try await call("music/tracks/similar_tracks", .item(itemId, of: provider)))
    }

    /// Lists the tracks of a playlist.
    ///
    /// A server that reads the list for the first time is slow, so the time limit is two minutes.
    ///
    /// - Parameters:
    ///   - itemId: The item's identifier at its provider.
    ///   - provider: The provider of the item.
    ///   - refresh: Whether the server reads the list from the provider again.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func playlistTracks(itemId: String, provider: String = "library", refresh: Bool? = nil)
        async throws
        -> [MediaItem]
    {
        var args: [String: JSONValue] = .item(itemId, of: provider)
        args["force_refresh"] = refresh.map { .bool($0) }
        return MediaItem.list(try await call("music/playlists/playlist_tracks", args, timeout: .seconds(120)))
    }

    /// Lists the episodes of a podcast.
    ///
    /// A server that reads the list for the first time is slow, so the time limit is two minutes.
    ///
    /// - Parameters:
    ///   - itemId: The item's identifier at its provider.
    ///   - provider: The provider of the item.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func podcastEpisodes(itemId: String, provider: String = "library") async throws -> [MediaItem] {
        MediaItem.list(
            try await call("music/podcasts/podcast_episodes", .item(itemId, of: provider), timeout: .seconds(120)))
    }

    /// Lists the items that were played most recently.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of items.
    ///   - mediaTypes: The kinds of items; nil for the server's choice.
    ///   - queueId: The queue from which the items were played; nil for all.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func recentlyPlayed(
        limit: Int? = nil, mediaTypes: [MediaType]? = nil, queueId: String? = nil
    ) async throws -> [MediaItem] {
        var args: [String: JSONValue] = [:]
        args["limit"] = limit.map { .int($0) }
        args["media_types"] = mediaTypes.map { .array($0.map { .string($0.rawValue) }) }
        args["queue_id"] = queueId.map { .string($0) }
        return MediaItem.list(try await call("music/recently_played_items", args))
    }

    /// Lists audiobooks and episodes that were started and not finished.
    ///
    /// - Parameter limit: The maximum number of items.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func inProgress(limit: Int? = nil) async throws -> [MediaItem] {
        var args: [String: JSONValue] = [:]
        args["limit"] = limit.map { .int($0) }
        return MediaItem.list(try await call("music/in_progress_items", args))
    }

    /// Lists the tracks that were added most recently.
    ///
    /// - Parameter limit: The maximum number of items.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func recentlyAdded(limit: Int? = nil) async throws -> [MediaItem] {
        var args: [String: JSONValue] = [:]
        args["limit"] = limit.map { .int($0) }
        return MediaItem.list(try await call("music/recently_added_tracks", args))
    }

    /// Lists folders with the server's recommendations.
    ///
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func recommendations() async throws -> [MediaItem] {
        MediaItem.list(try await call("music/recommendations"))
    }

    /// Adds an item to the favourites.
    ///
    /// - Parameter uri: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func addFavorite(uri: String) async throws {
        try await call("music/favorites/add_item", ["item": .string(uri)])
    }

    /// Removes an item from the favourites.
    ///
    /// - Parameters:
    ///   - mediaType: The kind of item.
    ///   - libraryItemId: The item's identifier in the library.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func removeFavorite(mediaType: MediaType, libraryItemId: String) async throws {
        try await call(
            "music/favorites/remove_item",
            ["media_type": .string(mediaType.rawValue), "library_item_id": .string(libraryItemId)])
    }

    /// Adds an item to the library.
    ///
    /// The server may load metadata first, so the time limit is two minutes.
    ///
    /// - Parameter uri: The item.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func addToLibrary(uri: String) async throws -> MediaItem {
        try MediaItem(json: await call("music/library/add_item", ["item": .string(uri)], timeout: .seconds(120)))
    }

    /// Removes an item from the library.
    ///
    /// - Parameters:
    ///   - mediaType: The kind of item.
    ///   - libraryItemId: The item's identifier in the library.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func removeFromLibrary(mediaType: MediaType, libraryItemId: String) async throws {
        try await call(
            "music/library/remove_item",
            ["media_type": .string(mediaType.rawValue), "library_item_id": .string(libraryItemId)])
    }

    /// Creates an empty playlist.
    ///
    /// - Parameters:
    ///   - name: The name of the playlist.
    ///   - provider: The provider that stores it; nil for the server.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func createPlaylist(name: String, provider: String? = nil) async throws -> MediaItem {
        var args: [String: JSONValue] = ["name": .string(name)]
        args["provider_instance_or_domain"] = provider.map { .string($0) }
        return try MediaItem(json: await call("music/playlists/create_playlist", args))
    }

    /// Adds tracks to a playlist.
    ///
    /// - Parameters:
    ///   - playlistId: The playlist's identifier in the library.
    ///   - uris: The tracks.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func addPlaylistTracks(playlistId: String, uris: [String]) async throws {
        try await call(
            "music/playlists/add_playlist_tracks",
            ["db_playlist_id": .string(playlistId), "uris": .array(uris.map(JSONValue.string))])
    }

    /// Removes tracks from a playlist.
    ///
    /// - Parameters:
    ///   - playlistId: The playlist's identifier in the library.
    ///   - positions: The values of ``MediaItem/position`` of the tracks.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func removePlaylistTracks(playlistId: String, positions: [Int]) async throws {
        try await call(
            "music/playlists/remove_playlist_tracks",
            ["db_playlist_id": .string(playlistId), "positions_to_remove": .array(positions.map(JSONValue.int))])
    }

    /// Marks an item as played.
    ///
    /// - Parameter item: The item, in the form of ``MediaItem/json``.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func markPlayed(item: JSONValue) async throws {
        try await call("music/mark_played", ["media_item": item])
    }

    /// Marks an item as not played.
    ///
    /// - Parameter item: The item, in the form of ``MediaItem/json``.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func markUnplayed(item: JSONValue) async throws {
        try await call("music/mark_unplayed", ["media_item": item])
    }

    /// Starts a synchronisation of the library with its providers.
    ///
    /// - Parameters:
    ///   - mediaTypes: The kinds of items; nil for all.
    ///   - providers: The providers; nil for all.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func sync(mediaTypes: [MediaType]? = nil, providers: [String]? = nil) async throws {
        var args: [String: JSONValue] = [:]
        args["media_types"] = mediaTypes.map { .array($0.map { .string($0.rawValue) }) }
        args["providers"] = providers.map { .array($0.map(JSONValue.string)) }
        try await call("music/sync", args)
    }

    /// Lists the synchronisations that are running.
    ///
    /// - Returns: The running synchronisations.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func syncTasks() async throws -> [SyncTask] {
        SyncTask.list(try await call("music/synctasks"))
    }
}
