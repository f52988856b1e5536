#ifndef CSTK_H
#define CSTK_H

#ifdef __cplusplus
extern "C" {
#endif

/// A reverb of the Synthesis ToolKit, with its state.
typedef struct CSTKReverb CSTKReverb;

/// Makes a reverb; null without memory. Any thread.
CSTKReverb *_Nullable cstk_reverb_new(double sample_rate);
/// Makes a reverb with the same state and parameters; null without memory.
CSTKReverb *_Nullable cstk_reverb_copy(const CSTKReverb *_Nonnull reverb);
void cstk_reverb_free(CSTKReverb *_Nonnull reverb);
/// Forgets the sound so far; parameters stay.
void cstk_reverb_reset(CSTKReverb *_Nonnull reverb);
/// Sets the parameters, each 0…1.
void cstk_reverb_set(CSTKReverb *_Nonnull reverb, double mix, double size, double damping, double width);
/// Changes frames in place. For one channel, left and right are the same memory.
void cstk_reverb_process(CSTKReverb *_Nonnull reverb, float *_Nonnull left, float *_Nonnull right, long frames);

#ifdef __cplusplus
}
#endif

#endif
