import MusicAssistantKit
import MusicAssistantTestServer

extension TypedCommandTests {
    /// Rarely used commands, with every argument of a server of protocol 29.
    static let rareCalls: [TypedCall] = [
        TypedCall("auth/tokens", ["user_id": "x"]) { _ = try await $0.getTokens(userId: "x") },
        TypedCall("auth/token/revoke", ["token_id": "x"]) { _ = try await $0.revokeToken(tokenId: "x") },
        TypedCall("auth/users", [:]) { _ = try await $0.getUsers() },
        TypedCall("auth/user", ["user_id": "x"]) { _ = try await $0.getUser(userId: "x") },
        TypedCall(
            "auth/user/create",
            [
                "username": "x", "password": "x", "role": "x", "display_name": "x", "avatar_url": "x",
                "player_filter": ["a"], "provider_filter": ["a"],
            ]
        ) {
            _ = try await $0.createUser(
                username: "x", password: "x", role: "x", displayName: "x", avatarURL: "x", playerFilter: ["a"],
                providerFilter: ["a"])
        },
        TypedCall(
            "auth/user/update",
            [
                "user_id": "x", "username": "x", "password": "x", "role": "x", "display_name": "x", "avatar_url": "x",
                "preferences": ["k": 1], "player_filter": ["a"], "provider_filter": ["a"],
            ]
        ) {
            _ = try await $0.updateUser(
                userId: "x", username: "x", password: "x", role: "x", displayName: "x", avatarURL: "x",
                preferences: ["k": 1], playerFilter: ["a"], providerFilter: ["a"])
        },
        TypedCall("auth/user/enable", ["user_id": "x"]) { _ = try await $0.enableUser(userId: "x") },
        TypedCall("auth/user/disable", ["user_id": "x"]) { _ = try await $0.disableUser(userId: "x") },
        TypedCall("auth/user/delete", ["user_id": "x"]) { _ = try await $0.deleteUser(userId: "x") },
        TypedCall("auth/user/providers", [:]) { _ = try await $0.getUserProviders() },
        TypedCall("auth/user/unlink_provider", ["user_id": "x", "provider_type": "x"]) {
            _ = try await $0.unlinkProvider(userId: "x", providerType: "x")
        },
        TypedCall("auth/authorization_url", ["provider_id": "x", "return_url": "x"]) {
            _ = try await $0.authorizationURL(providerId: "x", returnURL: "x")
        },
        TypedCall("auth/join_codes", ["user_id": "x"]) { _ = try await $0.getJoinCodes(userId: "x") },
        TypedCall("auth/join_code/exchange", ["code": "x"]) { _ = try await $0.exchangeJoinCode(code: "x") },
        TypedCall("auth/join_code/revoke", ["code_id": "x"]) { _ = try await $0.revokeJoinCode(codeId: "x") },
        TypedCall("remote_access/info", [:]) { _ = try await $0.remoteAccess() },
        TypedCall("remote_access/configure", ["enabled": true]) { _ = try await $0.setRemoteAccess(enabled: true) },
        TypedCall("music/genres/add", ["item": ["uri": "u"], "overwrite_existing": true]) {
            _ = try await $0.addGenre(item: ["uri": "u"], overwrite: true)
        },
        TypedCall("music/genres/add_alias", ["genre_id": "x", "alias": "x"]) {
            _ = try await $0.addGenreAlias(genreId: "x", alias: "x")
        },
        TypedCall("music/genres/remove_alias", ["genre_id": "x", "alias": "x"]) {
            _ = try await $0.removeGenreAlias(genreId: "x", alias: "x")
        },
        TypedCall("music/genres/promote_alias", ["genre_id": "x", "alias": "x"]) {
            _ = try await $0.promoteGenreAlias(genreId: "x", alias: "x")
        },
        TypedCall(
            "music/genres/add_media_mapping", ["genre_id": "x", "media_type": "album", "media_id": "x", "alias": "x"]
        ) { _ = try await $0.addToGenre(genreId: "x", mediaType: .album, mediaId: "x", alias: "x") },
        TypedCall("music/genres/remove_media_mapping", ["genre_id": "x", "media_type": "album", "media_id": "x"]) {
            _ = try await $0.removeFromGenre(genreId: "x", mediaType: .album, mediaId: "x")
        },
        TypedCall("music/genres/genres_for_media_item", ["media_type": "album", "media_id": "x"]) {
            _ = try await $0.genres(mediaType: .album, mediaId: "x")
        },
        TypedCall("music/genres/merge", ["genre_ids": ["a"], "target_genre_id": "x"]) {
            _ = try await $0.mergeGenres(genreIds: ["a"], targetId: "x")
        },
        TypedCall("music/genres/overview", ["item_id": "x", "provider_instance_id_or_domain": "x", "limit": 3]) {
            _ = try await $0.genreOverview(itemId: "x", provider: "x", limit: 3)
        },
        TypedCall(
            "music/genres/radio_mode_base_tracks",
            ["item_id": "x", "provider_instance_id_or_domain": "x", "preferred_provider_instances": ["a"]]
        ) { _ = try await $0.genreTracks(itemId: "x", provider: "x", preferredProviders: ["a"]) },
        TypedCall("music/genres/remove", ["item_id": "x", "recursive": true]) {
            _ = try await $0.removeGenre(itemId: "x", recursive: true)
        },
        TypedCall("music/genres/update", ["item_id": "x", "update": ["uri": "u"], "overwrite": true]) {
            _ = try await $0.updateGenre(itemId: "x", update: ["uri": "u"], overwrite: true)
        },
        TypedCall("music/genres/restore_defaults", ["full_restore": true]) {
            _ = try await $0.restoreGenres(full: true)
        },
        TypedCall("music/genres/scan_mappings", [:]) { _ = try await $0.scanGenres() },
        TypedCall("music/genres/scanner_status", [:]) { _ = try await $0.genreScan() },
        TypedCall("music/tracks/track_versions", ["item_id": "x", "provider_instance_id_or_domain": "x"]) {
            _ = try await $0.trackVersions(itemId: "x", provider: "x")
        },
        TypedCall("music/albums/album_versions", ["item_id": "x", "provider_instance_id_or_domain": "x"]) {
            _ = try await $0.albumVersions(itemId: "x", provider: "x")
        },
        TypedCall("music/radios/radio_versions", ["item_id": "x", "provider_instance_id_or_domain": "x"]) {
            _ = try await $0.radioVersions(itemId: "x", provider: "x")
        },
        TypedCall("music/audiobooks/audiobook_versions", ["item_id": "x", "provider_instance_id_or_domain": "x"]) {
            _ = try await $0.audiobookVersions(itemId: "x", provider: "x")
        },
        TypedCall("music/podcasts/podcast_versions", ["item_id": "x", "provider_instance_id_or_domain": "x"]) {
            _ = try await $0.podcastVersions(itemId: "x", provider: "x")
        },
        TypedCall("music/podcasts/podcast_episode", ["item_id": "x", "provider_instance_id_or_domain": "x"]) {
            _ = try await $0.podcastEpisode(itemId: "x", provider: "x")
        },
        TypedCall(
            "music/tracks/track_albums",
            ["item_id": "x", "provider_instance_id_or_domain": "x", "in_library_only": true]
        ) { _ = try await $0.trackAlbums(itemId: "x", provider: "x", inLibraryOnly: true) },
        TypedCall("music/tracks/preview", ["provider_instance_id_or_domain": "x", "item_id": "x"]) {
            _ = try await $0.previewURL(provider: "x", itemId: "x")
        },
        TypedCall(
            "music/track_by_name", ["track_name": "x", "artist_name": "x", "album_name": "x", "track_version": "x"]
        ) { _ = try await $0.track(name: "x", artist: "x", album: "x", version: "x") },
        TypedCall(
            "music/get_library_item", ["media_type": "album", "item_id": "x", "provider_instance_id_or_domain": "x"]
        ) { _ = try await $0.libraryItem(mediaType: .album, itemId: "x", provider: "x") },
        TypedCall("music/item", ["media_type": "album", "item_id": "x", "provider_instance_id_or_domain": "x"]) {
            _ = try await $0.item(mediaType: .album, itemId: "x", provider: "x")
        },
        TypedCall("music/refresh_item", ["media_item": "x"]) { _ = try await $0.refresh(uri: "x") },
        TypedCall("metadata/update_metadata", ["item": "x", "force_refresh": true]) {
            _ = try await $0.updateMetadata(uri: "x", force: true)
        },
        TypedCall("metadata/set_preferred_language", ["lang": "x"]) { _ = try await $0.setLanguage(language: "x") },
        TypedCall("metadata/set_default_preferred_language", ["lang": "x"]) {
            _ = try await $0.setDefaultLanguage(language: "x")
        },
        TypedCall("music/match_providers", ["media_type": "album", "db_id": "x"]) {
            _ = try await $0.matchProviders(mediaType: .album, libraryItemId: "x")
        },
        TypedCall("music/add_provider_mapping", ["media_type": "album", "db_id": "x", "mapping": ["uri": "u"]]) {
            _ = try await $0.addProviderMapping(mediaType: .album, libraryItemId: "x", mapping: ["uri": "u"])
        },
        TypedCall("music/remove_provider_mapping", ["media_type": "album", "db_id": "x", "mapping": ["uri": "u"]]) {
            _ = try await $0.removeProviderMapping(mediaType: .album, libraryItemId: "x", mapping: ["uri": "u"])
        },
        TypedCall("players/create_group_player", ["provider": "x", "name": "x", "members": ["a"], "dynamic": true]) {
            _ = try await $0.createGroup(provider: "x", name: "x", members: ["a"], isDynamic: true)
        },
        TypedCall("players/remove_group_player", ["player_id": "x"]) { _ = try await $0.removeGroup(playerId: "x") },
        TypedCall("players/remove", ["player_id": "x"]) { _ = try await $0.removePlayer(playerId: "x") },
        TypedCall("players/cmd/group", ["player_id": "x", "target_player": "x"]) {
            _ = try await $0.group(playerId: "x", leader: "x")
        },
        TypedCall("players/cmd/group_many", ["target_player": "x", "child_player_ids": ["a"]]) {
            _ = try await $0.group(leader: "x", members: ["a"])
        },
        TypedCall("players/cmd/ungroup_many", ["player_ids": ["a"]]) { _ = try await $0.ungroup(playerIds: ["a"]) },
        TypedCall("players/player_controls", [:]) { _ = try await $0.playerControls() },
        TypedCall("players/player_control", ["control_id": "x"]) { _ = try await $0.playerControl(controlId: "x") },
        TypedCall("players/plugin_sources", [:]) { _ = try await $0.pluginSources() },
        TypedCall("players/plugin_source", ["source_id": "x"]) { _ = try await $0.pluginSource(sourceId: "x") },
        TypedCall("providers/manifests/get", ["instance_id_or_domain": "x"]) {
            _ = try await $0.providerManifest(provider: "x")
        },
        TypedCall("metadata/get_track_lyrics", ["track": ["item_id": "7"]]) {
            _ = try await $0.lyrics(of: MediaItem(json: ["item_id": "7"]))
        },
        TypedCall(
            "music/albums/library_items", ["genre": [3], "album_types": ["single"], "provider": "f"]
        ) { _ = try await $0.libraryItems(kind: .albums, provider: "f", genres: [3], albumTypes: ["single"]) },
        TypedCall("music/artists/library_items", ["album_artists_only": true]) {
            _ = try await $0.libraryItems(kind: .artists, albumArtistsOnly: true)
        },
        TypedCall("music/genres/library_items", ["hide_empty": true]) {
            _ = try await $0.libraryItems(kind: .genres, hideEmpty: true)
        },
        TypedCall("music/artists/update", ["item_id": "1", "update": ["name": "n"], "overwrite": true]) {
            _ = try await $0.updateItem(kind: .artists, itemId: "1", update: ["name": "n"], overwrite: true)
        },
        TypedCall("music/playlists/remove", ["item_id": "1", "recursive": true]) {
            _ = try await $0.removeItem(kind: .playlists, itemId: "1", recursive: true)
        },
        TypedCall("music/recently_played_items", ["limit": 3, "media_types": ["album"], "queue_id": "q"]) {
            _ = try await $0.recentlyPlayed(limit: 3, mediaTypes: [.album], queueId: "q")
        },
        TypedCall("music/playlists/create_playlist", ["name": "n", "provider_instance_or_domain": "f"]) {
            _ = try await $0.createPlaylist(name: "n", provider: "f")
        },
        TypedCall("music/albums/count", ["album_types": ["ep"]]) {
            _ = try await $0.libraryCount(kind: .albums, albumTypes: ["ep"])
        },
        TypedCall(
            "music/albums/album_tracks",
            ["item_id": "1", "provider_instance_id_or_domain": "library", "in_library_only": true]
        ) { _ = try await $0.albumTracks(itemId: "1", inLibraryOnly: true) },
        TypedCall(
            "music/playlists/playlist_tracks",
            ["item_id": "1", "provider_instance_id_or_domain": "library", "force_refresh": true]
        ) { _ = try await $0.playlistTracks(itemId: "1", refresh: true) },
        TypedCall(
            "player_queues/play_media",
            ["queue_id": "q", "media": "u", "option": "play", "radio_mode": false, "start_item": "t"]
        ) { _ = try await $0.playMedia(queueId: "q", uri: "u", startItem: "t") },
    ]
}
