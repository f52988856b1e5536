/// What observers are told.
enum PlayerNotice: Sendable {
    case state(PlayerState)
    case position(PlaybackPosition)
    case error(AudioPlayerError)
}
