extension Library {
    /// An item with all fields that the server sends.
    func json(_ item: SimulatedItem) -> JSON {
        var json = mapping(item)
        json["provider_mappings"] = [Self.providerMapping(item)]
        json["metadata"] = Self.metadata(item)
        json["favorite"] = .bool(item.isFavorite)
        json["position"] = nil
        json["date_added"] = "2026-01-02T03:04:05"
        switch item.kind {
        case .album:
            json["year"] = 2001
            json["album_type"] = "album"
            json["artists"] = artists(of: item)
        case .track:
            json["duration"] = .int(item.duration)
            json["artists"] = artists(of: item)
            json["album"] = item.album.flatMap { self.item(.album, $0) }.map(mapping) ?? .null
            json["disc_number"] = 1
            json["track_number"] = .int(Int(item.id) ?? 0)
            json["last_played"] = 0
        case .playlist:
            json["owner"] = "admin"
            json["is_editable"] = true
        case .artist, .radio: break
        }
        return json
    }

    /// An item in the short form that is used inside other items.
    func mapping(_ item: SimulatedItem) -> JSON {
        [
            "item_id": .string(item.id), "provider": "library", "name": .string(item.name), "version": "",
            "sort_name": .string(item.name.lowercased()), "uri": .string(item.uri), "external_ids": [],
            "is_playable": true, "translation_key": nil, "media_type": .string(item.kind.rawValue),
            "available": true, "image": nil, "year": nil,
        ]
    }

    private func artists(of item: SimulatedItem) -> JSON {
        .array(item.artist.flatMap { self.item(.artist, $0) }.map { [mapping($0)] } ?? [])
    }

    private static func providerMapping(_ item: SimulatedItem) -> JSON {
        [
            "item_id": .string("\(item.kind.rawValue)-\(item.id).flac"), "provider_domain": "test_tones",
            "provider_instance": "test_tones--1", "available": true, "in_library": true, "is_unique": nil,
            "audio_format": [
                "content_type": "flac", "codec_type": "?", "sample_rate": 44_100, "bit_depth": 16, "channels": 2,
                "output_format_str": "flac", "bit_rate": 683,
            ], "url": nil, "details": nil,
        ]
    }

    private static func metadata(_ item: SimulatedItem) -> JSON {
        [
            "description": nil, "review": nil, "explicit": nil, "genres": ["Test Tones"], "lyrics": nil,
            "images": [
                [
                    "type": "thumb", "path": .string("covers/\(item.kind.rawValue)-\(item.id).png"),
                    "provider": "test_tones--1", "remotely_accessible": false,
                ]
            ],
        ]
    }
}
