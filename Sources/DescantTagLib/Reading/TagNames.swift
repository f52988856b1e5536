internal import CTagLibShim
internal import DescantCore

extension TagField {
    /// The field that the reader takes from a name of Vorbis comments, APE tags, ID3v2's TXXX and MP4's free items.
    ///
    /// Case does not matter. `nil` for names that it leaves out.
    init?(key: String) {
        guard !key.utf8.contains(0), let field = Self.named[dtl_field_named(key)] else { return nil }
        self = field
    }

    private static let named: [Int32: TagField] = {
        let pairs: [(dtl_field, TagField)] = [
            (DTL_TITLE, .title), (DTL_ARTIST, .artists), (DTL_ALBUM, .album), (DTL_ALBUM_ARTIST, .albumArtists),
            (DTL_COMPOSER, .composers), (DTL_GENRE, .genres), (DTL_DATE, .year), (DTL_TRACK, .trackNumber),
            (DTL_TRACK_TOTAL, .trackTotal), (DTL_DISC, .discNumber), (DTL_DISC_TOTAL, .discTotal), (DTL_BPM, .bpm),
            (DTL_COMMENT, .comment), (DTL_TITLE_SORT, .titleSort), (DTL_ARTIST_SORT, .artistSort),
            (DTL_ALBUM_SORT, .albumSort), (DTL_ALBUM_ARTIST_SORT, .albumArtistSort),
            (DTL_COMPOSER_SORT, .composerSort), (DTL_TRACK_GAIN, .trackGain), (DTL_TRACK_PEAK, .trackPeak),
            (DTL_ALBUM_GAIN, .albumGain), (DTL_ALBUM_PEAK, .albumPeak), (DTL_R128_TRACK_GAIN, .trackGain),
            (DTL_R128_ALBUM_GAIN, .albumGain), (DTL_MB_RECORDING, .recordingID),
            (DTL_MB_RELEASE_TRACK, .releaseTrackID), (DTL_MB_RELEASE, .releaseID),
            (DTL_MB_RELEASE_GROUP, .releaseGroupID), (DTL_MB_ARTIST, .artistIDs),
            (DTL_MB_ALBUM_ARTIST, .albumArtistIDs), (DTL_LYRICS, .lyrics),
        ]
        return Dictionary(uniqueKeysWithValues: pairs.map { (Int32($0.0.rawValue), $0.1) })
    }()

    /// Whether tags with fixed names keep the field under a name of its own: TXXX in ID3v2, a free item in MP4.
    var hasFreeName: Bool {
        switch self {
        case .trackGain, .trackPeak, .albumGain, .albumPeak, .recordingID, .releaseTrackID, .releaseID, .releaseGroupID,
            .artistIDs, .albumArtistIDs:
            true
        default: false
        }
    }
}
