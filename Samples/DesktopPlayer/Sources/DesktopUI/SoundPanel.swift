internal import CGtk
internal import Foundation
internal import PlayerApp

/// Crossfades, loudness, overlay, equaliser, speed and sleep timer.
@MainActor
struct SoundPanel {
    let widget: Widget

    init(_ model: PlayerWindowModel, chooseOverlay: @escaping @MainActor () -> Void) {
        let content = Widget.box(GTK_ORIENTATION_VERTICAL, spacing: 18)
        for group in [
            Self.transitions(model), Self.overlay(model, chooseOverlay), Self.equalizer(model), Self.playing(model),
        ] {
            content.append(group)
        }
        widget = .scrolled(content.margins(18))
        Self.keepWheel(for: widget)
    }

    /// Lets the wheel scroll the page wherever the pointer is. Otherwise the control that comes under the pointer would take the wheel, and
    /// change what it sets.
    private static func keepWheel(for page: Widget) {
        let wheel = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES)
        gtk_event_controller_set_propagation_phase(wheel, GTK_PHASE_CAPTURE)
        let place = gtk_scrolled_window_get_vadjustment(page.opaque)
        Signal.connectScroll(wheel) { scroll in
            // By as much as GTK scrolls other pages.
            let unit = scroll.isInNotches ? pow(gtk_adjustment_get_page_size(place), 2.0 / 3) : 2.5
            gtk_adjustment_set_value(place, gtk_adjustment_get_value(place) + scroll.distance * unit)
        }
        gtk_widget_add_controller(page.pointer, wheel)
    }

    private static func group(_ title: String, _ rows: Widget...) -> Widget {
        let group = Widget.box(GTK_ORIENTATION_VERTICAL, spacing: 8, .label(title, "heading"))
        for row in rows { group.append(row) }
        return group
    }

    // MARK: Speed and sleep

    private static func playing(_ model: PlayerWindowModel) -> Widget {
        let (slowest, fastest) = (PlayerWindowModel.rates.lowerBound, PlayerWindowModel.rates.upperBound)
        let rate = Widget(gtk_spin_button_new_with_range(slowest, fastest, 0.1)).named("Speed")
        gtk_spin_button_set_digits(rate.opaque, 2)
        Signal.connect(rate.pointer, "value-changed") { model.setRate(gtk_spin_button_get_value(rate.opaque)) }
        let sleep = Widget.choice("Sleep timer", PlayerWindowModel.sleepNames) { model.setSleep($0) }
        render {
            if abs(gtk_spin_button_get_value(rate.opaque) - model.rate) > 0.001 {
                gtk_spin_button_set_value(rate.opaque, model.rate)
            }
            sleep.setChoice(model.sleepIndex)
        }
        return group("Playing", .row("Speed", rate), .row("Sleep timer", sleep))
    }

    // MARK: Transitions

    private static func transitions(_ model: PlayerWindowModel) -> Widget {
        let seconds = Widget(gtk_spin_button_new_with_range(0, 30, 1)).named("Crossfade in seconds")
        Signal.connect(seconds.pointer, "value-changed") {
            model.setCrossfade(gtk_spin_button_get_value(seconds.opaque))
        }
        let curve = Widget.choice("Curve of crossfades", PlayerWindowModel.curveNames) { model.setCurve($0) }
        let loudness = Widget.choice("Equal loudness", ["Off", "Of tracks", "Of albums"]) { model.setLoudness($0) }
        render {
            if gtk_spin_button_get_value(seconds.opaque) != model.crossfade {
                gtk_spin_button_set_value(seconds.opaque, model.crossfade)
            }
            curve.setChoice(model.curveIndex)
            loudness.setChoice(model.loudnessIndex)
        }
        return group(
            "Transitions", .row("Crossfade in seconds", seconds), .row("Curve", curve),
            .row("Equal loudness", loudness))
    }

    // MARK: Overlay

    private static func overlay(_ model: PlayerWindowModel, _ choose: @escaping @MainActor () -> Void) -> Widget {
        let name = Widget.label().ellipsized().expanding(horizontally: true)
        let open = Widget.textButton("Choose Overlay…", choose)
        let toggle = Widget.button("media-playback-pause-symbolic", "Pause the overlay") { model.send(.toggleOverlay) }
        let stop = Widget.button("media-playback-stop-symbolic", "Stop the overlay") { model.send(.stopOverlay) }
        let volume = Widget.slider(GTK_ORIENTATION_HORIZONTAL, "Volume of the overlay", from: 0, to: 1, step: 0.05) {
            model.setOverlayVolume($0)
        }.sized(200, -1)
        render {
            name.setText(model.overlayText)
            volume.setSlider(model.state.overlayVolume)
            for button in [toggle, stop] { button.setEnabled(model.state.overlay != nil) }
            if model.state.overlay?.isPlaying == false {
                toggle.setButton("media-playback-start-symbolic", "Play the overlay")
            } else {
                toggle.setButton("media-playback-pause-symbolic", "Pause the overlay")
            }
        }
        return group(
            "Overlay", .box(GTK_ORIENTATION_HORIZONTAL, spacing: 8, name, open, toggle, stop),
            .row("Volume of the overlay", volume))
    }

    // MARK: Equaliser

    private static func equalizer(_ model: PlayerWindowModel) -> Widget {
        let toggle = Widget.toggle("Equaliser") { model.setEqualizer(isOn: $0) }
        let preset = Widget.choice("Preset of the equaliser", PlayerWindowModel.presetNames) { model.setPreset($0) }
        let flat = Widget.textButton("Flat") { model.flattenEqualizer() }
        let row = Widget.box(GTK_ORIENTATION_HORIZONTAL, spacing: 6)
        let sliders = model.bands.enumerated().map { index, band in
            let slider = Widget.slider(
                GTK_ORIENTATION_VERTICAL, band.description, from: PlayerWindowModel.gains.lowerBound,
                to: PlayerWindowModel.gains.upperBound, step: 1
            ) { model.setBand(index, gain: $0) }.sized(-1, 120)
            gtk_range_set_inverted(slider.cast(), 1)
            gtk_scale_add_mark(slider.cast(), 0, GTK_POS_LEFT, nil)
            let name = Widget.label(band.name, "caption", "dim-label").aligned(horizontally: GTK_ALIGN_CENTER)
            row.append(.box(GTK_ORIENTATION_VERTICAL, spacing: 4, slider, name).expanding(horizontally: true))
            return slider
        }
        render {
            toggle.setToggle(model.isEqualizerOn)
            preset.setChoice(model.presetIndex)
            for (slider, band) in zip(sliders, model.bands) {
                slider.setSlider(band.gain)
                slider.setEnabled(model.isEqualizerOn)
                descant_gtk_set_value_text(slider.pointer, band.gainText)
            }
            flat.setEnabled(model.isEqualizerOn)
        }
        return group("Equaliser", .box(GTK_ORIENTATION_HORIZONTAL, spacing: 12, .row("On", toggle), preset, flat), row)
    }
}
