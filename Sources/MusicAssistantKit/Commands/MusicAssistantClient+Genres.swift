/// Genres.
extension MusicAssistantClient {
    /// Adds a genre.
    ///
    /// - Parameters:
    ///   - item: The genre, as ``MediaItem/json`` has it.
    ///   - overwrite: Whether one of the name is replaced.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func addGenre(item: JSONValue, overwrite: Bool? = nil) async throws -> MediaItem {
        var args: [String: JSONValue] = ["item": item]
        args["overwrite_existing"] = overwrite.map { .bool($0) }
        return try MediaItem(json: await call("music/genres/add", args))
    }

    /// Gives a genre another name.
    ///
    /// - Parameters:
    ///   - genreId: What the library calls the genre.
    ///   - alias: The other name.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func addGenreAlias(genreId: String, alias: String) async throws -> MediaItem {
        try MediaItem(
            json: await call("music/genres/add_alias", ["genre_id": .string(genreId), "alias": .string(alias)]))
    }

    /// Takes another name from a genre.
    ///
    /// - Parameters:
    ///   - genreId: What the library calls the genre.
    ///   - alias: The other name.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func removeGenreAlias(genreId: String, alias: String) async throws -> MediaItem {
        try MediaItem(
            json: await call("music/genres/remove_alias", ["genre_id": .string(genreId), "alias": .string(alias)]))
    }

    /// Makes a genre of its own of another name.
    ///
    /// - Parameters:
    ///   - genreId: What the library calls the genre.
    ///   - alias: The other name.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func promoteGenreAlias(genreId: String, alias: String) async throws -> MediaItem {
        try MediaItem(
            json: await call("music/genres/promote_alias", ["genre_id": .string(genreId), "alias": .string(alias)]))
    }

    /// Puts an item into a genre.
    ///
    /// - Parameters:
    ///   - genreId: What the library calls the genre.
    ///   - mediaType: What kind of item.
    ///   - mediaId: What the library calls the item.
    ///   - alias: The name that the item has for it.
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

    /// Takes an item out of a genre.
    ///
    /// - Parameters:
    ///   - genreId: What the library calls the genre.
    ///   - mediaType: What kind of item.
    ///   - mediaId: What the library calls the item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func removeFromGenre(genreId: String, mediaType: MediaType, mediaId: String) async throws {
        try await call(
            "music/genres/remove_media_mapping",
            ["genre_id": .string(genreId), "media_type": .string(mediaType.rawValue), "media_id": .string(mediaId)])
    }

    /// Lists the genres of an item.
    ///
    /// - Parameters:
    ///   - mediaType: What kind of item.
    ///   - mediaId: What the library calls the item.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func genres(mediaType: MediaType, mediaId: String) async throws -> [MediaItem] {
        MediaItem.list(
            try await call(
                "music/genres/genres_for_media_item",
                ["media_type": .string(mediaType.rawValue), "media_id": .string(mediaId)]))
    }

    /// Joins genres.
    ///
    /// - Parameters:
    ///   - genreIds: What goes into the other one.
    ///   - targetId: The genre that stays.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func mergeGenres(genreIds: [String], targetId: String) async throws -> MediaItem {
        try MediaItem(
            json: await call(
                "music/genres/merge",
                ["genre_ids": .array(genreIds.map(JSONValue.string)), "target_genre_id": .string(targetId)]))
    }

    /// Lists folders of what a genre has.
    ///
    /// - Parameters:
    ///   - itemId: What its provider calls it.
    ///   - provider: Its provider.
    ///   - limit: How many of each kind at most.
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

    /// Lists tracks that stand for a genre.
    ///
    /// - Parameters:
    ///   - itemId: What its provider calls it.
    ///   - provider: Its provider.
    ///   - preferredProviders: Where they come from if possible.
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
    ///   - itemId: What its provider calls it.
    ///   - recursive: Whether what depends on it goes too.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func removeGenre(itemId: String, recursive: Bool? = nil) async throws {
        var args: [String: JSONValue] = ["item_id": .string(itemId)]
        args["recursive"] = recursive.map { .bool($0) }
        try await call("music/genres/remove", args)
    }

    /// Changes a genre.
    ///
    /// - Parameters:
    ///   - itemId: What its provider calls it.
    ///   - update: The genre as it is to be.
    ///   - overwrite: Whether missing fields are emptied.
    /// - Returns: The item.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func updateGenre(itemId: String, update: JSONValue, overwrite: Bool? = nil) async throws
        -> MediaItem
    {
        var args: [String: JSONValue] = ["item_id": .string(itemId), "update": update]
        args["overwrite"] = overwrite.map { .bool($0) }
        return try MediaItem(json: await call("music/genres/update", args))
    }

    /// Brings the server's genres back.
    ///
    /// - Parameter full: Whether all others go.
    /// - Returns: The items.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func restoreGenres(full: Bool? = nil) async throws -> [MediaItem] {
        var args: [String: JSONValue] = [:]
        args["full_restore"] = full.map { .bool($0) }
        return MediaItem.list(try await call("music/genres/restore_defaults", args))
    }

    /// Makes the server look for genres of all items.
    ///
    /// - Returns: What the server sent.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func scanGenres() async throws -> JSONValue {
        try await call("music/genres/scan_mappings")
    }

    /// Tells how far the server is with that.
    ///
    /// - Returns: What the server sent.
    /// - Throws: ``MusicAssistantError``; `CancellationError` when the calling task is cancelled.
    public nonisolated func genreScan() async throws -> JSONValue {
        try await call("music/genres/scanner_status")
    }
}
