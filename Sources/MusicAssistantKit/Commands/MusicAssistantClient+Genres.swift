/// Genres.
extension MusicAssistantClient {
    /// Adds a genre.
    ///
    /// - Parameters:
    ///   - item: The genre, in the form of ``MediaItem/json``.
    ///   - overwrite: Whether a genre of the same name is replaced.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func addGenre(item: JSONValue, overwrite: Bool? = nil) async throws -> MediaItem {
        var args: [String: JSONValue] = ["item": item]
        args["overwrite_existing"] = overwrite.map { .bool($0) }
        return try MediaItem(json: await call("music/genres/add", args))
    }

    /// Adds an alias to a genre.
    ///
    /// - Parameters:
    ///   - genreId: The genre's identifier in the library.
    ///   - alias: The alias.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func addGenreAlias(genreId: String, alias: String) async throws -> MediaItem {
        try MediaItem(
            json: await call("music/genres/add_alias", ["genre_id": .string(genreId), "alias": .string(alias)]))
    }

    /// Removes an alias from a genre.
    ///
    /// - Parameters:
    ///   - genreId: The genre's identifier in the library.
    ///   - alias: The alias.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func removeGenreAlias(genreId: String, alias: String) async throws -> MediaItem {
        try MediaItem(
            json: await call("music/genres/remove_alias", ["genre_id": .string(genreId), "alias": .string(alias)]))
    }

    /// Turns an alias into a separate genre.
    ///
    /// - Parameters:
    ///   - genreId: The genre's identifier in the library.
    ///   - alias: The alias.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func promoteGenreAlias(genreId: String, alias: String) async throws -> MediaItem {
        try MediaItem(
            json: await call("music/genres/promote_alias", ["genre_id": .string(genreId), "alias": .string(alias)]))
    }

    /// Adds an item to a genre.
    ///
    /// - Parameters:
    ///   - genreId: The genre's identifier in the library.
    ///   - mediaType: The kind of item.
    ///   - mediaId: The item's identifier in the library.
    ///   - alias: The alias under which the item has the genre.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func addToGenre(genreId: String, mediaType: MediaType, mediaId: String, alias: String? = nil)
        async throws
    {
        var args: [String: JSONValue] = [
            "genre_id": .string(genreId), "media_type": .string(mediaType.rawValue), "media_id": .string(mediaId),
        ]
        args["alias"] = alias.map { .string($0) }
        try await call("music/genres/add_media_mapping", args)
    }

    /// Removes an item from a genre.
    ///
    /// - Parameters:
    ///   - genreId: The genre's identifier in the library.
    ///   - mediaType: The kind of item.
    ///   - mediaId: The item's identifier in the library.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func removeFromGenre(genreId: String, mediaType: MediaType, mediaId: String) async throws {
        try await call(
            "music/genres/remove_media_mapping",
            ["genre_id": .string(genreId), "media_type": .string(mediaType.rawValue), "media_id": .string(mediaId)])
    }

    /// Lists the genres of an item.
    ///
    /// - Parameters:
    ///   - mediaType: The kind of item.
    ///   - mediaId: The item's identifier in the library.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func genres(mediaType: MediaType, mediaId: String) async throws -> [MediaItem] {
        MediaItem.list(
            try await call(
                "music/genres/genres_for_media_item",
                ["media_type": .string(mediaType.rawValue), "media_id": .string(mediaId)]))
    }

    /// Merges genres.
    ///
    /// - Parameters:
    ///   - genreIds: The genres that are merged into the other one.
    ///   - targetId: The genre that stays.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func mergeGenres(genreIds: [String], targetId: String) async throws -> MediaItem {
        try MediaItem(
            json: await call(
                "music/genres/merge",
                ["genre_ids": .array(genreIds.map(JSONValue.string)), "target_genre_id": .string(targetId)]))
    }

    /// Lists folders of the items of a genre.
    ///
    /// - Parameters:
    ///   - itemId: The item's identifier at its provider.
    ///   - provider: The provider of the item.
    ///   - limit: The maximum number of items of each kind.
    /// - Returns: The folders.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func genreOverview(itemId: String, provider: String? = nil, limit: Int? = nil) async throws
        -> [MediaItem]
    {
        var args: [String: JSONValue] = ["item_id": .string(itemId)]
        args["provider_instance_id_or_domain"] = provider.map { .string($0) }
        args["limit"] = limit.map { .int($0) }
        return MediaItem.list(try await call("music/genres/overview", args))
    }

    /// Lists tracks that represent a genre.
    ///
    /// - Parameters:
    ///   - itemId: The item's identifier at its provider.
    ///   - provider: The provider of the item.
    ///   - preferredProviders: The preferred providers of the tracks.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func genreTracks(itemId: String, provider: String? = nil, preferredProviders: [String]? = nil)
        async throws -> [MediaItem]
    {
        var args: [String: JSONValue] = ["item_id": .string(itemId)]
        args["provider_instance_id_or_domain"] = provider.map { .string($0) }
        args["preferred_provider_instances"] = preferredProviders.map { .array($0.map(JSONValue.string)) }
        return MediaItem.list(try await call("music/genres/radio_mode_base_tracks", args))
    }

    /// Removes a genre.
    ///
    /// - Parameters:
    ///   - itemId: The item's identifier at its provider.
    ///   - recursive: Whether dependent items are removed too.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func removeGenre(itemId: String, recursive: Bool? = nil) async throws {
        var args: [String: JSONValue] = ["item_id": .string(itemId)]
        args["recursive"] = recursive.map { .bool($0) }
        try await call("music/genres/remove", args)
    }

    /// Changes a genre.
    ///
    /// - Parameters:
    ///   - itemId: The item's identifier at its provider.
    ///   - update: The new content of the genre.
    ///   - overwrite: Whether fields that are missing in `update` are cleared.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func updateGenre(itemId: String, update: JSONValue, overwrite: Bool? = nil) async throws
        -> MediaItem
    {
        var args: [String: JSONValue] = ["item_id": .string(itemId), "update": update]
        args["overwrite"] = overwrite.map { .bool($0) }
        return try MediaItem(json: await call("music/genres/update", args))
    }

    /// Restores the server's default genres.
    ///
    /// - Parameter full: Whether all other genres are removed.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func restoreGenres(full: Bool? = nil) async throws -> [MediaItem] {
        var args: [String: JSONValue] = [:]
        args["full_restore"] = full.map { .bool($0) }
        return MediaItem.list(try await call("music/genres/restore_defaults", args))
    }

    /// Starts a scan for the genres of all items.
    ///
    /// - Returns: The server's reply.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func scanGenres() async throws -> JSONValue {
        try await call("music/genres/scan_mappings")
    }

    /// Returns the progress of the scan.
    ///
    /// - Returns: The server's reply.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func genreScan() async throws -> JSONValue {
        try await call("music/genres/scanner_status")
    }
}
