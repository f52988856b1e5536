import ClientTestSupport
import Foundation
import MusicAssistantKit
import MusicAssistantTestServer
import Testing

/// One call of a typed method, and the command and arguments that the server must receive.
struct TypedCall: Sendable, CustomTestStringConvertible {
    let command: String
    let arguments: [String: JSON]
    let call: @Sendable (MusicAssistantClient) async throws -> Void

    var testDescription: String { command }

    init(
        _ command: String, _ arguments: [String: JSON],
        _ call: @escaping @Sendable (MusicAssistantClient) async throws -> Void
    ) {
        self.command = command
        self.arguments = arguments
        self.call = call
    }
}

@Suite(.timeLimit(.minutes(2)))
struct TypedCommandTests {
    /// Names and types of arguments as a server of protocol 29 lists them in `/api-docs/commands.json`.
    @Test func everyTypedMethodSendsItsCommand() async throws {
        try await Fixture.connected { fixture, client in
            for typed in Self.rareCalls + Self.calls {
                try await fixture.server.forgetCommands()
                // The reply is ignored: the server has no such player.
                do { try await typed.call(client) } catch is MusicAssistantError {}
                let seen = try await fixture.server.commands.first
                #expect(seen?.name == typed.command)
                #expect(seen?.arguments == typed.arguments, "\(typed.command)")
            }
        }
    }

    static let calls: [TypedCall] = [
        TypedCall("players/all", ["return_unavailable": true]) { _ = try await $0.getPlayers() },
        TypedCall("players/all", ["return_unavailable": false, "return_disabled": true]) {
            _ = try await $0.getPlayers(includeUnavailable: false, includeDisabled: true)
        },
        TypedCall("players/get", ["player_id": "p", "raise_unavailable": false]) {
            _ = try await $0.getPlayer(playerId: "p", mustBeAvailable: false)
        },
        TypedCall("players/get_by_name", ["name": "Kitchen"]) { _ = try await $0.getPlayer(name: "Kitchen") },
        TypedCall("players/cmd/play", ["player_id": "p"]) { _ = try await $0.play(playerId: "p") },
        TypedCall("players/cmd/pause", ["player_id": "p"]) { _ = try await $0.pause(playerId: "p") },
        TypedCall("players/cmd/stop", ["player_id": "p"]) { _ = try await $0.stop(playerId: "p") },
        TypedCall("players/cmd/play_pause", ["player_id": "p"]) { _ = try await $0.playPause(playerId: "p") },
        TypedCall("players/cmd/next", ["player_id": "p"]) { _ = try await $0.next(playerId: "p") },
        TypedCall("players/cmd/previous", ["player_id": "p"]) { _ = try await $0.previous(playerId: "p") },
        TypedCall("players/cmd/volume_up", ["player_id": "p"]) { _ = try await $0.volumeUp(playerId: "p") },
        TypedCall("players/cmd/volume_down", ["player_id": "p"]) { _ = try await $0.volumeDown(playerId: "p") },
        TypedCall("players/cmd/group_volume_up", ["player_id": "p"]) { _ = try await $0.groupVolumeUp(playerId: "p") },
        TypedCall("players/cmd/group_volume_down", ["player_id": "p"]) {
            _ = try await $0.groupVolumeDown(playerId: "p")
        },
        TypedCall("players/cmd/ungroup", ["player_id": "p"]) { _ = try await $0.ungroup(playerId: "p") },
        TypedCall("players/cmd/resume", ["player_id": "p", "source": "s", "media": ["uri": "u"]]) {
            _ = try await $0.resume(playerId: "p", source: "s", media: ["uri": "u"])
        },
        TypedCall("players/cmd/seek", ["player_id": "p", "position": 12]) {
            _ = try await $0.seek(playerId: "p", position: 12)
        },
        TypedCall("players/cmd/volume_set", ["player_id": "p", "volume_level": 30]) {
            _ = try await $0.setVolume(playerId: "p", volume: 30)
        },
        TypedCall("players/cmd/group_volume", ["player_id": "p", "volume_level": 30]) {
            _ = try await $0.setGroupVolume(playerId: "p", volume: 30)
        },
        TypedCall("players/cmd/volume_mute", ["player_id": "p", "muted": true]) {
            _ = try await $0.setMuted(playerId: "p", muted: true)
        },
        TypedCall("players/cmd/group_volume_mute", ["player_id": "p", "muted": false]) {
            _ = try await $0.setGroupMuted(playerId: "p", muted: false)
        },
        TypedCall("players/cmd/power", ["player_id": "p", "powered": true]) {
            _ = try await $0.setPower(playerId: "p", powered: true)
        },
        TypedCall("players/cmd/select_source", ["player_id": "p", "source": "s"]) {
            _ = try await $0.selectSource(playerId: "p", source: "s")
        },
        TypedCall("players/cmd/select_sound_mode", ["player_id": "p", "sound_mode": "m"]) {
            _ = try await $0.selectSoundMode(playerId: "p", soundMode: "m")
        },
        TypedCall("players/cmd/set_option", ["player_id": "p", "option_key": "k", "option_value": 3]) {
            _ = try await $0.setOption(playerId: "p", key: "k", value: 3)
        },
        TypedCall(
            "players/cmd/set_members",
            ["target_player": "p", "player_ids_to_add": ["a"], "player_ids_to_remove": ["b"]]
        ) { _ = try await $0.group(playerId: "p", adding: ["a"], removing: ["b"]) },
        TypedCall(
            "players/cmd/play_announcement",
            ["player_id": "p", "url": "u", "pre_announce": true, "volume_level": 5, "pre_announce_url": "c"]
        ) { _ = try await $0.playAnnouncement(playerId: "p", url: "u", chime: true, volume: 5, chimeURL: "c") },
        TypedCall("players/add_currently_playing_to_favorites", ["player_id": "p"]) {
            _ = try await $0.addCurrentToFavorites(playerId: "p")
        },
        TypedCall("players/sleep_timer/set", ["player_id": "p", "seconds": 60]) {
            _ = try await $0.setSleepTimer(playerId: "p", seconds: 60)
        },
        TypedCall("players/sleep_timer/get", ["player_id": "p"]) { _ = try await $0.getSleepTimer(playerId: "p") },
        TypedCall("players/sleep_timer/clear", ["player_id": "p"]) { _ = try await $0.clearSleepTimer(playerId: "p") },
        TypedCall("player_queues/all", [:]) { _ = try await $0.getQueues() },
        TypedCall("player_queues/get", ["queue_id": "q"]) { _ = try await $0.getQueue(queueId: "q") },
        TypedCall("player_queues/get_active_queue", ["player_id": "p"]) {
            _ = try await $0.getActiveQueue(playerId: "p")
        },
        TypedCall("player_queues/items", ["queue_id": "q", "limit": 3, "offset": 2]) {
            _ = try await $0.getQueueItems(queueId: "q", limit: 3, offset: 2)
        },
        TypedCall(
            "player_queues/play_media",
            ["queue_id": "q", "media": "library://track/1", "option": "play", "radio_mode": false]
        ) { _ = try await $0.playMedia(queueId: "q", uri: "library://track/1", option: "play") },
        TypedCall(
            "player_queues/play_media",
            ["queue_id": "q", "media": ["a", "b"], "option": "replace_next", "radio_mode": true, "start_item": "b"]
        ) {
            _ = try await $0.playMedia(
                queueId: "q", uris: ["a", "b"], option: .replaceNext, radioMode: true, startItem: "b")
        },
        TypedCall("player_queues/play", ["queue_id": "q"]) { _ = try await $0.playQueue(queueId: "q") },
        TypedCall("player_queues/pause", ["queue_id": "q"]) { _ = try await $0.pauseQueue(queueId: "q") },
        TypedCall("player_queues/stop", ["queue_id": "q"]) { _ = try await $0.stopQueue(queueId: "q") },
        TypedCall("player_queues/play_pause", ["queue_id": "q"]) { _ = try await $0.playPauseQueue(queueId: "q") },
        TypedCall("player_queues/next", ["queue_id": "q"]) { _ = try await $0.nextInQueue(queueId: "q") },
        TypedCall("player_queues/previous", ["queue_id": "q"]) { _ = try await $0.previousInQueue(queueId: "q") },
        TypedCall("player_queues/clear", ["queue_id": "q"]) { _ = try await $0.clearQueue(queueId: "q") },
        TypedCall("player_queues/resume", ["queue_id": "q", "fade_in": true]) {
            _ = try await $0.resumeQueue(queueId: "q", fadeIn: true)
        },
        TypedCall("player_queues/seek", ["queue_id": "q", "position": 9]) {
            _ = try await $0.seekQueue(queueId: "q", position: 9)
        },
        TypedCall("player_queues/skip", ["queue_id": "q", "seconds": -9]) {
            _ = try await $0.skip(queueId: "q", seconds: -9)
        },
        TypedCall("player_queues/shuffle", ["queue_id": "q", "shuffle_enabled": true]) {
            _ = try await $0.shuffle(queueId: "q", enabled: true)
        },
        TypedCall("player_queues/repeat", ["queue_id": "q", "repeat_mode": "all"]) {
            _ = try await $0.setRepeat(queueId: "q", mode: "all")
        },
        TypedCall("player_queues/play_index", ["queue_id": "q", "index": 2, "seek_position": 5, "fade_in": false]) {
            _ = try await $0.playIndex(queueId: "q", index: 2, position: 5, fadeIn: false)
        },
        TypedCall("player_queues/play_index", ["queue_id": "q", "index": "i"]) {
            _ = try await $0.playItem(queueId: "q", queueItemId: "i")
        },
        TypedCall("player_queues/move_item", ["queue_id": "q", "queue_item_id": "i", "pos_shift": -1]) {
            _ = try await $0.moveItem(queueId: "q", queueItemId: "i", by: -1)
        },
        TypedCall("player_queues/move_item_end", ["queue_id": "q", "queue_item_id": "i"]) {
            _ = try await $0.moveItemToEnd(queueId: "q", queueItemId: "i")
        },
        TypedCall("player_queues/delete_item", ["queue_id": "q", "item_id_or_index": "i"]) {
            _ = try await $0.deleteItem(queueId: "q", queueItemId: "i")
        },
        TypedCall("player_queues/delete_item", ["queue_id": "q", "item_id_or_index": 0]) {
            _ = try await $0.deleteItem(queueId: "q", index: 0)
        },
        TypedCall("player_queues/transfer", ["source_queue_id": "q", "target_queue_id": "r", "auto_play": true]) {
            _ = try await $0.transferQueue(sourceQueueId: "q", targetQueueId: "r", autoPlay: true)
        },
        TypedCall("player_queues/dont_stop_the_music", ["queue_id": "q", "dont_stop_the_music_enabled": true]) {
            _ = try await $0.setGoesOnWithSimilar(queueId: "q", enabled: true)
        },
        TypedCall("player_queues/save_as_playlist", ["queue_id": "q", "name": "n"]) {
            _ = try await $0.saveQueue(queueId: "q", name: "n")
        },
        TypedCall("player_queues/set_playback_speed", ["queue_id": "q", "speed": 1.5]) {
            _ = try await $0.setPlaybackSpeed(queueId: "q", speed: 1.5)
        },
        TypedCall(
            "music/search", ["search_query": "x", "media_types": ["track", "new"], "limit": 5, "library_only": true]
        ) { _ = try await $0.search(query: "x", mediaTypes: [.track, "new"], limit: 5, libraryOnly: true) },
        TypedCall("music/search", ["search_query": "Beatles", "limit": 25]) {
            _ = try await $0.search(query: "Beatles")
        },
        TypedCall("music/artists/library_items", [:]) { _ = try await $0.libraryItems(kind: .artists) },
        TypedCall("music/albums/library_items", [:]) { _ = try await $0.libraryItems(kind: .albums) },
        TypedCall("music/tracks/library_items", [:]) { _ = try await $0.libraryItems(kind: .tracks) },
        TypedCall("music/playlists/library_items", [:]) { _ = try await $0.libraryItems(kind: .playlists) },
        TypedCall("music/radios/library_items", [:]) { _ = try await $0.libraryItems(kind: .radios) },
        TypedCall("music/audiobooks/library_items", [:]) { _ = try await $0.libraryItems(kind: .audiobooks) },
        TypedCall("music/podcasts/library_items", [:]) { _ = try await $0.libraryItems(kind: .podcasts) },
        TypedCall("music/genres/library_items", [:]) { _ = try await $0.libraryItems(kind: .genres) },
        TypedCall(
            "music/tracks/library_items",
            ["search": "x", "favorite": true, "limit": 5, "offset": 1, "order_by": "name", "provider": "f"]
        ) {
            _ = try await $0.libraryItems(
                kind: .tracks, search: "x", favorite: true, limit: 5, offset: 1, orderBy: "name", provider: "f")
        },
        TypedCall("music/albums/count", ["favorite_only": true]) {
            _ = try await $0.libraryCount(kind: .albums, favoritesOnly: true)
        },
        TypedCall("music/artists/get", ["item_id": "1", "provider_instance_id_or_domain": "library"]) {
            _ = try await $0.item(kind: .artists, itemId: "1")
        },
        TypedCall("music/item_by_uri", ["uri": "u"]) { _ = try await $0.item(uri: "u") },
        TypedCall("music/browse", [:]) { _ = try await $0.browse() },
        TypedCall("music/browse", ["path": "a://b"]) { _ = try await $0.browse(path: "a://b") },
        TypedCall("music/albums/album_tracks", ["item_id": "1", "provider_instance_id_or_domain": "library"]) {
            _ = try await $0.albumTracks(itemId: "1")
        },
        TypedCall("music/artists/artist_albums", ["item_id": "1", "provider_instance_id_or_domain": "library"]) {
            _ = try await $0.artistAlbums(itemId: "1")
        },
        TypedCall("music/artists/artist_tracks", ["item_id": "1", "provider_instance_id_or_domain": "library"]) {
            _ = try await $0.artistTracks(itemId: "1")
        },
        TypedCall("music/tracks/similar_tracks", ["item_id": "1", "provider_instance_id_or_domain": "library"]) {
            _ = try await $0.similarTracks(itemId: "1")
        },
        TypedCall("music/playlists/playlist_tracks", ["item_id": "1", "provider_instance_id_or_domain": "library"]) {
            _ = try await $0.playlistTracks(itemId: "1")
        },
        TypedCall("music/podcasts/podcast_episodes", ["item_id": "1", "provider_instance_id_or_domain": "library"]) {
            _ = try await $0.podcastEpisodes(itemId: "1")
        },
        TypedCall("music/recently_played_items", ["limit": 3]) { _ = try await $0.recentlyPlayed(limit: 3) },
        TypedCall("music/in_progress_items", [:]) { _ = try await $0.inProgress() },
        TypedCall("music/recently_added_tracks", [:]) { _ = try await $0.recentlyAdded() },
        TypedCall("music/recommendations", [:]) { _ = try await $0.recommendations() },
        TypedCall("music/favorites/add_item", ["item": "u"]) { _ = try await $0.addFavorite(uri: "u") },
        TypedCall("music/favorites/remove_item", ["media_type": "album", "library_item_id": "4"]) {
            _ = try await $0.removeFavorite(mediaType: .album, libraryItemId: "4")
        },
        TypedCall("music/library/add_item", ["item": "u"]) { _ = try await $0.addToLibrary(uri: "u") },
        TypedCall("music/library/remove_item", ["media_type": "album", "library_item_id": "4"]) {
            _ = try await $0.removeFromLibrary(mediaType: .album, libraryItemId: "4")
        },
        TypedCall("music/playlists/create_playlist", ["name": "n"]) { _ = try await $0.createPlaylist(name: "n") },
        TypedCall("music/playlists/add_playlist_tracks", ["db_playlist_id": "1", "uris": ["u"]]) {
            _ = try await $0.addPlaylistTracks(playlistId: "1", uris: ["u"])
        },
        TypedCall("music/playlists/remove_playlist_tracks", ["db_playlist_id": "1", "positions_to_remove": [2, 3]]) {
            _ = try await $0.removePlaylistTracks(playlistId: "1", positions: [2, 3])
        },
        TypedCall("music/mark_played", ["media_item": ["uri": "u"]]) {
            _ = try await $0.markPlayed(item: ["uri": "u"])
        },
        TypedCall("music/mark_unplayed", ["media_item": ["uri": "u"]]) {
            _ = try await $0.markUnplayed(item: ["uri": "u"])
        },
        TypedCall("music/sync", ["media_types": ["album"], "providers": ["f"]]) {
            _ = try await $0.sync(mediaTypes: [.album], providers: ["f"])
        },
        TypedCall("music/synctasks", [:]) { _ = try await $0.syncTasks() },
        TypedCall("info", [:]) { _ = try await $0.info() },
        TypedCall("auth/providers", [:]) { _ = try await $0.loginProviders() },
        TypedCall("auth/me", [:]) { _ = try await $0.me() },
        TypedCall("auth/token/create", ["name": "n"]) { _ = try await $0.createToken(name: "n") },
        TypedCall("providers", ["provider_type": "music"]) { _ = try await $0.getProviders(type: "music") },
        TypedCall("providers/manifests", [:]) { _ = try await $0.providerManifests() },
        TypedCall("auth/logout", [:]) { _ = try await $0.logout() },
    ]
}
