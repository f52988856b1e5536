#ifndef CRESAMPLING_H
#define CRESAMPLING_H

#include <stddef.h>

// The inner loops of rate conversion, in C for the processor's vector instructions. A frame is the same to the last bit however the
// frames are divided into calls. Processors with and without fused multiply-add differ by 3e-7 at most.

/// A filter for one pair of rates, as `phases` rows of `taps` weights, and how far one output frame moves on.
typedef struct {
  const float *weights;
  /// A multiple of 16.
  size_t taps;
  size_t phases;
  /// Whole input frames, and parts of `phases`, from one output frame to the next.
  size_t step;
  size_t step_part;
} descant_polyphase;

/// Fills the rows of a low-pass filter: a sinc under a Kaiser window.
///
/// `cutoff` is where the level has fallen by half, in input rates; `beta` shapes the window. Every row adds up to 1.
void descant_polyphase_design(float *weights, size_t taps, size_t phases, double cutoff, double beta);

/// The floats that `descant_polyphase_run` needs as a workspace.
size_t descant_polyphase_workspace(const descant_polyphase *filter);

/// Makes `count` output frames of interleaved channels.
///
/// `input` begins with the first frame under the filter of the first output frame, which lies `part` parts behind its centre.
/// `workspace` is quickest at a multiple of 64 bytes.
void descant_polyphase_run(
    const descant_polyphase *filter, const float *input, size_t channels, size_t part, size_t count, float *output,
    float *workspace);

#endif
