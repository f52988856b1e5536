/// A field that is made of text in every kind of tag.
enum TagField: CaseIterable {
    case title, artist, album, albumArtist, composer, genre
    case date, track, trackTotal, disc, discTotal, bpm, comment
    case titleSort, artistSort, albumSort, albumArtistSort, composerSort
    case trackGain, trackPeak, albumGain, albumPeak
    case recordingID, releaseTrackID, releaseID, releaseGroupID, artistID, albumArtistID
}
