import Foundation
import MusicAssistantKit

/// The typed properties of a model under the names of the Python client.
protocol PythonView: JSONModel {
    /// The values by name; nil for what is missing.
    var pythonFields: [String: JSONValue?] { get }
}

/// A value as JSON.
private func plain(_ text: String?) -> JSONValue? { text.map(JSONValue.string) }
private func plain(_ number: Int?) -> JSONValue? { number.map(JSONValue.int) }
private func plain(_ number: Double?) -> JSONValue? { number.map(JSONValue.double) }
private func plain(_ value: Bool?) -> JSONValue? { value.map(JSONValue.bool) }
private func plain(_ date: Date?) -> JSONValue? { date.map { .double($0.timeIntervalSince1970) } }
private func plain(_ texts: [String]) -> JSONValue? { .array(texts.map(JSONValue.string)) }
private func plain(_ values: [JSONValue]) -> JSONValue? { .array(values) }
private func plain(_ members: [String: JSONValue]) -> JSONValue? { .object(members) }
private func plain(_ value: JSONValue?) -> JSONValue? { value }
private func plain<Model: PythonView>(_ model: Model?) -> JSONValue? { model.map(\.pythonValue) }
private func plain<Model: PythonView>(_ models: [Model]) -> JSONValue? { .array(models.map(\.pythonValue)) }

extension PythonView {
    /// The same as one value.
    var pythonValue: JSONValue { .object(pythonFields.compactMapValues { $0 }) }
}

extension MusicAssistantPlayer: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "player_id": plain(playerId),
            "provider": plain(provider),
            "type": plain(type),
            "name": plain(name),
            "display_name": plain(name),
            "available": plain(isAvailable),
            "enabled": plain(isEnabled),
            "powered": plain(isPowered),
            "supported_features": plain(supportedFeatures.map(\.rawValue)),
            "playback_state": plain(state.rawValue),
            "state": plain(state.rawValue),
            "elapsed_time": plain(elapsedTime),
            "elapsed_time_last_updated": plain(elapsedTimeUpdated),
            "volume_level": plain(volume),
            "volume_muted": plain(isMuted),
            "group_volume": plain(groupVolume),
            "group_members": plain(groupMembers),
            "group_childs": plain(groupMembers),
            "static_group_members": plain(fixedMembers),
            "can_group_with": plain(canGroupWith),
            "synced_to": plain(syncedTo),
            "active_sound_mode": plain(activeSoundMode),
            "sound_mode_list": plain(soundModes),
            "options": plain(options),
            "active_source": plain(activeSource),
            "source_list": plain(sources),
            "active_group": plain(activeGroup),
            "current_media": plain(currentMedia),
            "hide_in_ui": plain(isHidden),
            "expose_to_ha": plain(isExposedToHomeAssistant),
            "icon": plain(icon),
            "power_control": plain(powerControl),
            "volume_control": plain(volumeControl),
            "mute_control": plain(muteControl),
            "output_protocols": plain(outputs),
            "active_output_protocol": plain(activeOutput),
            "extra_attributes": plain(extraAttributes),
            "extra_data": plain(extraAttributes),
            "device_info": plain(device),
        ]
    }
}

extension PlayerDevice: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "model": plain(model),
            "manufacturer": plain(manufacturer),
            "software_version": plain(softwareVersion),
            "model_id": plain(modelId),
            "manufacturer_id": plain(manufacturerId),
            "identifiers": plain(identifiers),
            "ip_address": plain(ipAddress),
            "mac_address": plain(macAddress),
        ]
    }
}

extension PlayerOutput: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "output_protocol_id": plain(outputId),
            "name": plain(name),
            "protocol_domain": plain(domain),
            "is_native": plain(isNative),
            "priority": plain(priority),
            "available": plain(isAvailable),
        ]
    }
}

extension PlayerSource: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "id": plain(sourceId),
            "name": plain(name),
            "passive": plain(isPassive),
            "can_play_pause": plain(canPlayPause),
            "can_seek": plain(canSeek),
            "can_next_previous": plain(canNextPrevious),
        ]
    }
}

extension PlayerSoundMode: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "id": plain(soundModeId),
            "name": plain(name),
            "passive": plain(isPassive),
            "translation_key": plain(translationKey),
        ]
    }
}

extension PlayerOption: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "key": plain(key),
            "name": plain(name),
            "type": plain(type),
            "translation_key": plain(translationKey),
            "value": plain(value),
            "read_only": plain(isReadOnly),
            "min_value": plain(minimum),
            "max_value": plain(maximum),
            "step": plain(step),
            "options": plain(choices),
        ]
    }
}

extension PlayerMedia: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "uri": plain(uri),
            "media_type": plain(mediaType.rawValue),
            "title": plain(title),
            "artist": plain(artist),
            "album": plain(album),
            "image_url": plain(imageURL),
            "duration": plain(duration),
            "source_id": plain(sourceId),
            "queue_item_id": plain(queueItemId),
            "custom_data": plain(customData),
            "elapsed_time": plain(elapsedTime),
            "elapsed_time_last_updated": plain(elapsedTimeUpdated),
        ]
    }
}

extension PlayerQueue: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "queue_id": plain(queueId),
            "active": plain(isActive),
            "display_name": plain(displayName),
            "available": plain(isAvailable),
            "items": plain(itemCount),
            "shuffle_enabled": plain(isShuffled),
            "repeat_mode": plain(repeatMode.rawValue),
            "dont_stop_the_music_enabled": plain(goesOnWithSimilar),
            "current_index": plain(currentIndex),
            "index_in_buffer": plain(indexInBuffer),
            "elapsed_time": plain(elapsedTime),
            "elapsed_time_last_updated": plain(elapsedTimeUpdated),
            "state": plain(state.rawValue),
            "current_item": plain(currentItem),
            "next_item": plain(nextItem),
            "radio_source": plain(radioSources),
            "flow_mode": plain(isFlowing),
            "resume_pos": plain(resumePosition),
            "extra_attributes": plain(extraAttributes),
        ]
    }
}

extension QueueItem: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "queue_id": plain(queueId),
            "queue_item_id": plain(queueItemId),
            "name": plain(name),
            "duration": plain(duration),
            "sort_index": plain(sortIndex),
            "streamdetails": plain(streamDetails),
            "media_item": plain(mediaItem),
            "image": plain(image),
            "available": plain(isAvailable),
            "extra_attributes": plain(extraAttributes),
        ]
    }
}

extension StreamDetails: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "provider": plain(provider),
            "item_id": plain(itemId),
            "audio_format": plain(audioFormat),
            "media_type": plain(mediaType.rawValue),
            "stream_type": plain(streamType),
            "duration": plain(duration),
            "size": plain(size),
            "stream_metadata": plain(streamMetadata),
            "loudness": plain(loudness),
            "loudness_album": plain(albumLoudness),
            "prefer_album_loudness": plain(prefersAlbumLoudness),
            "volume_normalization_mode": plain(volumeNormalizationMode),
            "volume_normalization_gain_correct": plain(volumeNormalizationGain),
            "target_loudness": plain(targetLoudness),
            "dsp": plain(dsp),
        ]
    }
}

extension StreamMetadata: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "title": plain(title),
            "artist": plain(artist),
            "album": plain(album),
            "image_url": plain(imageURL),
            "duration": plain(duration),
            "description": plain(about),
            "uri": plain(uri),
            "elapsed_time": plain(elapsedTime),
            "elapsed_time_last_updated": plain(elapsedTimeUpdated),
        ]
    }
}

extension MediaAudioFormat: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "content_type": plain(contentType),
            "codec_type": plain(codecType),
            "sample_rate": plain(sampleRate),
            "bit_depth": plain(bitDepth),
            "channels": plain(channels),
            "bit_rate": plain(bitRate),
            "output_format_str": plain(outputFormat),
        ]
    }
}

extension ProviderMapping: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "item_id": plain(itemId),
            "provider_domain": plain(domain),
            "provider_instance": plain(instance),
            "available": plain(isAvailable),
            "in_library": plain(isInLibrary),
            "is_unique": plain(isUnique),
            "audio_format": plain(audioFormat),
            "url": plain(url),
            "details": plain(details),
        ]
    }
}

extension MediaImage: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "type": plain(type),
            "path": plain(path),
            "provider": plain(provider),
            "remotely_accessible": plain(isRemotelyAccessible),
            "proxy_id": plain(proxyId),
        ]
    }
}

extension MediaLink: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "type": plain(type),
            "url": plain(url),
        ]
    }
}

extension MediaChapter: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "position": plain(position),
            "name": plain(name),
            "start": plain(start),
            "end": plain(end),
        ]
    }
}

extension MediaMetadata: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "description": plain(about),
            "review": plain(review),
            "explicit": plain(isExplicit),
            "images": plain(images),
            "grouping": plain(grouping),
            "genres": plain(genres),
            "mood": plain(mood),
            "style": plain(style),
            "copyright": plain(copyright),
            "lyrics": plain(lyrics),
            "lrc_lyrics": plain(timedLyrics),
            "label": plain(label),
            "links": plain(links),
            "performers": plain(performers),
            "preview": plain(preview),
            "popularity": plain(popularity),
            "release_date": plain(releaseDate),
            "languages": plain(languages),
            "chapters": plain(chapters),
            "last_refresh": plain(lastRefresh),
        ]
    }
}

extension MediaItem: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "item_id": plain(itemId),
            "provider": plain(provider),
            "name": plain(name),
            "version": plain(version),
            "sort_name": plain(sortName),
            "uri": plain(uri),
            "external_ids": plain(externalIds.map { JSONValue.array([.string($0.type), .string($0.value)]) }),
            "is_playable": plain(isPlayable),
            "translation_key": plain(translationKey),
            "media_type": plain(mediaType.rawValue),
            "provider_mappings": plain(providerMappings),
            "metadata": plain(metadata),
            "favorite": plain(isFavorite),
            "position": plain(position),
            "date_added": plain(dateAdded),
            "available": plain(isAvailable ?? (mediaType == .folder ? true : nil)),
            "image": plain(json["image"]?.isNull ?? true ? MediaImage?.none : images.last),
            "year": plain(year),
            "duration": plain(duration),
            "artists": plain(artists),
            "last_played": plain(lastPlayed),
            "album": plain(album),
            "album_type": plain(albumType),
            "disc_number": plain(discNumber),
            "track_number": plain(trackNumber),
            "owner": plain(owner),
            "is_editable": plain(isEditable),
            "path": plain(path),
            "publisher": plain(publisher),
            "authors": plain(authors),
            "narrators": plain(narrators),
            "fully_played": plain(isFullyPlayed),
            "resume_position_ms": plain(resumePosition),
            "total_episodes": plain(episodeCount),
            "podcast": plain(podcast),
            "genre_aliases": plain(genreAliases),
            "items": plain(items),
            "icon": plain(icon),
            "subtitle": plain(subtitle),
        ]
    }
}

extension SearchResults: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "artists": plain(artists),
            "albums": plain(albums),
            "tracks": plain(tracks),
            "playlists": plain(playlists),
            "radio": plain(radio),
            "audiobooks": plain(audiobooks),
            "podcasts": plain(podcasts),
            "genres": plain(genres),
        ]
    }
}

extension MusicAssistantUser: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "user_id": plain(userId),
            "username": plain(username),
            "role": plain(role),
            "enabled": plain(isEnabled),
            "created_at": plain(createdAt),
            "display_name": plain(displayName),
            "avatar_url": plain(avatarURL),
            "preferences": plain(preferences),
            "provider_filter": plain(providerFilter),
            "player_filter": plain(playerFilter),
        ]
    }
}

extension ServerInfo: PythonView {
    var pythonFields: [String: JSONValue?] {
        [
            "server_id": plain(serverId),
            "server_version": plain(serverVersion),
            "schema_version": plain(schemaVersion),
            "min_supported_schema_version": plain(minSupportedSchemaVersion),
            "base_url": plain(baseURL),
            "homeassistant_addon": plain(homeassistantAddon),
            "onboard_done": plain(isSetUp),
        ]
    }
}
