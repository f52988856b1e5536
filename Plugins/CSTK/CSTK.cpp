#include "CSTK.h"

#include <cmath>
#include <mutex>
#include <new>

#include <stk/FreeVerb.h>

namespace {

/// The constructor of FreeVerb scales lengths that all of its objects share, each time anew, when the toolkit's sample rate is not
/// 44,100 Hz. The room is therefore made for that rate, and its delays are set for the wanted one.
class Room : public stk::FreeVerb {
  public:
    explicit Room(double sample_rate) {
        const double scale = sample_rate / stk::SRATE;
        for (int index = 0; index < nCombs; ++index) {
            lengthen(combDelayL_[index], scale);
            lengthen(combDelayR_[index], scale);
        }
        for (int index = 0; index < nAllpasses; ++index) {
            lengthen(allPassDelayL_[index], scale);
            lengthen(allPassDelayR_[index], scale);
        }
    }

  private:
    static void lengthen(stk::Delay &delay, double scale) {
        const unsigned long length = static_cast<unsigned long>(std::lround(delay.getDelay() * scale));
        delay.setMaximumDelay(length);
        delay.setDelay(length);
        // A longer memory is not empty.
        delay.clear();
    }
};

}  // namespace

struct CSTKReverb {
    Room present;
    /// As it was made. FreeVerb::clear() keeps the state of some filters.
    Room fresh;

    explicit CSTKReverb(double sample_rate) : present(sample_rate), fresh(present) {}
};

extern "C" CSTKReverb *cstk_reverb_new(double sample_rate) {
    // The toolkit has one sample rate for the process, which objects read while they are constructed.
    static std::mutex rate;
    std::lock_guard<std::mutex> guard(rate);
    try {
        stk::Stk::setSampleRate(stk::SRATE);
        return new CSTKReverb(sample_rate);
    } catch (...) {
        return nullptr;
    }
}

extern "C" CSTKReverb *cstk_reverb_copy(const CSTKReverb *reverb) {
    try {
        return new CSTKReverb(*reverb);
    } catch (...) {
        return nullptr;
    }
}

extern "C" void cstk_reverb_free(CSTKReverb *reverb) { delete reverb; }

extern "C" void cstk_reverb_reset(CSTKReverb *reverb) { reverb->present = reverb->fresh; }

extern "C" void cstk_reverb_set(CSTKReverb *reverb, double mix, double size, double damping, double width) {
    for (Room *one : {&reverb->present, &reverb->fresh}) {
        one->setEffectMix(mix);
        one->setRoomSize(size);
        one->setDamping(damping);
        one->setWidth(width);
    }
}

extern "C" void cstk_reverb_process(CSTKReverb *reverb, float *left, float *right, long frames) {
    for (long frame = 0; frame < frames; ++frame) {
        const float first = static_cast<float>(reverb->present.tick(left[frame], right[frame], 0));
        const float second = static_cast<float>(reverb->present.lastOut(1));
        left[frame] = first;
        if (right != left) right[frame] = second;
    }
}
