internal import CGtk
internal import PlayerApp

/// The seek bar, the buttons of playback and the volume, below everything.
@MainActor
struct TransportBar {
    let widget: Widget

    init(_ model: PlayerWindowModel) {
        let elapsed = Widget.label("", "dim-label", "numeric")
        let length = Widget.label("", "dim-label", "numeric")
        let seek = Widget.slider(GTK_ORIENTATION_HORIZONTAL, "Position", from: 0, to: 1, step: 5) {
            model.seek(to: $0)
        }.expanding(horizontally: true)

        let shuffle = Widget.button("media-playlist-shuffle-symbolic", "Shuffle") { model.send(.toggleShuffle) }
        let previous = Widget.button("media-skip-backward-symbolic", "Previous track") { model.send(.previous) }
        let play = Widget.button("media-playback-start-symbolic", "Play") { model.send(.togglePause) }
        let next = Widget.button("media-skip-forward-symbolic", "Next track") { model.send(.next) }
        let repeats = Widget.button("media-playlist-repeat-symbolic", "Repeat") { model.send(.changeRepeat) }
        play.styled("play", "suggested-action")
        let buttons = Widget.box(
            GTK_ORIENTATION_HORIZONTAL, spacing: 8, role: GTK_ACCESSIBLE_ROLE_TOOLBAR, shuffle, previous, play, next,
            repeats)
        descant_gtk_set_name(buttons.pointer, "Playback")
        for button in [shuffle, previous, play, next, repeats] {
            button.styled("circular").aligned(vertically: GTK_ALIGN_CENTER)
        }

        let status = Widget.label("", "dim-label", "caption").ellipsized().expanding(horizontally: true)
        let mute = Widget.button("audio-volume-high-symbolic", "Mute") { model.send(.toggleMute) }.styled("flat")
        let volume = Widget.slider(GTK_ORIENTATION_HORIZONTAL, "Volume", from: 0, to: 1, step: 0.05) {
            model.setVolume($0)
        }.sized(120, -1)
        let sound = Widget.box(GTK_ORIENTATION_HORIZONTAL, spacing: 4, mute, volume)
        let controls = Widget(gtk_center_box_new())
        gtk_center_box_set_start_widget(controls.opaque, status.pointer)
        gtk_center_box_set_center_widget(controls.opaque, buttons.pointer)
        gtk_center_box_set_end_widget(controls.opaque, sound.aligned(horizontally: GTK_ALIGN_END).pointer)

        widget = .box(
            GTK_ORIENTATION_VERTICAL, spacing: 4,
            .box(GTK_ORIENTATION_HORIZONTAL, spacing: 10, elapsed, seek, length), controls
        ).margins(12)

        render {
            elapsed.setText(model.elapsedText)
            length.setText(model.lengthText)
            seek.setSliderLength(max(model.seekLength, 0.001))
            seek.setSlider(model.seekPosition)
            seek.setEnabled(model.canSeek)
            descant_gtk_set_value_text(seek.pointer, model.seekDescription)
        }
        render {
            gtk_scale_clear_marks(seek.cast())
            for start in model.chapterStarts { gtk_scale_add_mark(seek.cast(), start, GTK_POS_TOP, nil) }
        }
        render {
            if model.showsPause {
                play.setButton("media-playback-pause-symbolic", "Pause")
            } else {
                play.setButton("media-playback-start-symbolic", "Play")
            }
            for button in [play, previous, next] { button.setEnabled(model.canPlay) }
            let isTrack = model.state.modes.repeats == .track
            repeats.setButton(
                isTrack ? "media-playlist-repeat-song-symbolic" : "media-playlist-repeat-symbolic", model.repeatText)
            repeats.setStyle("on", model.state.modes.repeats != .off)
            shuffle.named(model.state.modes.isShuffled ? "Shuffle is on" : "Shuffle is off")
            shuffle.setStyle("on", model.state.modes.isShuffled)
        }
        render {
            status.setText(model.statusText)
            let icons = ["muted", "low", "medium", "high"]
            mute.setButton("audio-volume-\(icons[model.volumeLevel])-symbolic", model.state.isMuted ? "Unmute" : "Mute")
            volume.setSlider(model.shownVolume)
        }
    }
}
