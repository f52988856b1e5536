#include "CResampling.h"

#include <math.h>

// A fused multiply-add rounds once instead of twice, so the last bits differ between processors with and without it.
#pragma STDC FP_CONTRACT ON

// MARK: The filter

/// The modified Bessel function of the first kind and order 0.
static double bessel(double x) {
  double sum = 1, term = 1;
  for (int k = 1; term > sum * 1e-17; k++) {
    term *= (x / (2 * k)) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

static double weight(double distance, double half, double cutoff, double beta, double top) {
  double place = distance / half;
  if (fabs(place) >= 1) return 0;
  double angle = M_PI * 2 * cutoff * distance;
  double sinc = angle == 0 ? 1 : sin(angle) / angle;
  return sinc * bessel(beta * sqrt(1 - place * place)) / top;
}

void descant_polyphase_design(float *weights, size_t taps, size_t phases, double cutoff, double beta) {
  double half = (double)taps / 2;
  double top = bessel(beta);
  for (size_t phase = 0; phase < phases; phase++) {
    float *row = weights + phase * taps;
    double centre = half - 1 + (double)phase / (double)phases;
    double sum = 0;
    for (size_t tap = 0; tap < taps; tap++) sum += weight((double)tap - centre, half, cutoff, beta, top);
    for (size_t tap = 0; tap < taps; tap++)
      row[tap] = (float)(weight((double)tap - centre, half, cutoff, beta, top) / sum);
  }
}

// MARK: The loops

#define INLINE static inline __attribute__((always_inline))

/// Output frames that are made beside each other.
#define LANES 8

/// One sample of each lane. Processors with shorter vectors add them in parts.
typedef float lanes __attribute__((vector_size(4 * LANES), aligned(4)));

/// Exchanges the rows and columns of eight times eight samples.
INLINE void transpose(lanes *rows) {
  lanes a[8], b[8];
  for (size_t i = 0; i < 8; i += 2) {
    a[i] = __builtin_shufflevector(rows[i], rows[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    a[i + 1] = __builtin_shufflevector(rows[i], rows[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (size_t i = 0; i < 8; i += 4)
    for (size_t k = 0; k < 2; k++) {
      b[i + 2 * k] = __builtin_shufflevector(a[i + k], a[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[i + 2 * k + 1] = __builtin_shufflevector(a[i + k], a[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (size_t i = 0; i < 4; i++) {
    rows[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    rows[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

/// Writes the samples of lanes beside each other.
///
/// `used` lanes begin `distance` frames apart. The last of them has `last` frames, the others `frames`. Lanes behind it repeat the first one.
INLINE void gather(const float *input, size_t distance, size_t used, size_t frames, size_t last, lanes *output) {
  const float *lane[LANES];
  for (size_t k = 0; k < LANES; k++) lane[k] = input + (k < used ? k : 0) * distance;
  size_t frame = 0;
  for (; frame + LANES <= last; frame += LANES) {
    for (size_t k = 0; k < LANES; k++) output[frame + k] = *(const lanes *)(lane[k] + frame);
    transpose(output + frame);
  }
  for (; frame < frames; frame++)
    for (size_t k = 0; k < LANES; k++) output[frame][k] = k + 1 >= used && frame >= last ? 0 : lane[k][frame];
}

#define ADD(i)                                   \
  {                                              \
    float weight = row##i[frame - offset##i];    \
    left##i += weight * left[frame];             \
    right##i += weight * right[frame];           \
  }

/// Multiplies four rows of weights, which begin at rising offsets, with two inputs: `sums` are those of the first row, of the second, and so
/// on. Each sum is made in the order of its taps. Written out, because debug builds keep no arrays in registers.
INLINE void multiply(
    const float *const *rows, const size_t *offsets, size_t taps, const lanes *left, const lanes *right, lanes *sums) {
  const float *row0 = rows[0], *row1 = rows[1], *row2 = rows[2], *row3 = rows[3];
  const size_t offset0 = offsets[0], offset1 = offsets[1], offset2 = offsets[2], offset3 = offsets[3];
  lanes left0 = {0}, left1 = {0}, left2 = {0}, left3 = {0}, right0 = {0}, right1 = {0}, right2 = {0}, right3 = {0};
  size_t frame = offset0;
  for (; frame < offset3; frame++) {
    ADD(0)
    if (frame >= offset1) ADD(1)
    if (frame >= offset2) ADD(2)
  }
  // Here a sample that is read serves four rows.
  for (; frame < offset0 + taps; frame++) {
    ADD(0)
    ADD(1)
    ADD(2)
    ADD(3)
  }
  for (; frame < offset3 + taps; frame++) {
    if (frame < offset1 + taps) ADD(1)
    if (frame < offset2 + taps) ADD(2)
    ADD(3)
  }
  sums[0] = left0, sums[1] = right0, sums[2] = left1, sums[3] = right1;
  sums[4] = left2, sums[5] = right2, sums[6] = left3, sums[7] = right3;
}

/// The output of some lanes, which lie `rows` frames apart; the last one has `last`.
typedef struct {
  float *start;
  size_t used, rows, last;
} target;

INLINE size_t rows_of(const target *target, size_t lane) {
  return lane >= target->used ? 0 : lane + 1 == target->used ? target->last : target->rows;
}

/// Writes the sums of four rows.
INLINE void write(lanes *sums, const target *left, const target *right, size_t row, size_t stride) {
  transpose(sums);
  for (size_t k = 0; k < LANES; k++) {
    size_t place = (k * left->rows + row) * stride, left_end = rows_of(left, k), right_end = rows_of(right, k);
    if (right->start == left->start + 1 && stride == 2 && row + 4 <= left_end) {
      *(lanes *)(left->start + place) = sums[k];
      continue;
    }
    for (size_t i = 0; i < 4; i++) {
      if (row + i < left_end) left->start[place + i * stride] = sums[k][2 * i];
      if (row + i < right_end) right->start[place + i * stride] = sums[k][2 * i + 1];
    }
  }
}

INLINE size_t input_rate(const descant_polyphase *filter) { return filter->step * filter->phases + filter->step_part; }

/// A lane is a whole number of the filter's cycles, so that one row of weights serves all lanes, and at least 64 output frames, so that
/// bringing its samples side by side is worth it.
INLINE size_t cycles_of_lane(const descant_polyphase *filter) { return (63 + filter->phases) / filter->phases; }

/// The input frames under the filter of `count` output frames.
INLINE size_t input_of(const descant_polyphase *filter, size_t part, size_t count) {
  return (part + (count - 1) * input_rate(filter)) / filter->phases + filter->taps;
}

size_t descant_polyphase_workspace(const descant_polyphase *filter) {
  return 2 * LANES * input_of(filter, filter->phases - 1, cycles_of_lane(filter) * filter->phases);
}

/// Two channels, or the lanes of one channel and as many behind them.
INLINE void run(
    const descant_polyphase *filter, const float *left, const float *right, size_t part, size_t count, float *output,
    size_t stride, float *workspace) {
  size_t longest = cycles_of_lane(filter) * filter->phases, distance = cycles_of_lane(filter) * input_rate(filter);
  size_t groups = right ? 1 : 2;
  while (count > 0) {
    size_t rows = count < longest ? count : longest, used = (count + rows - 1) / rows;
    if (used > groups * LANES) used = groups * LANES;
    size_t made = count < used * rows ? count : used * rows, last = made - (used - 1) * rows;
    size_t frames = input_of(filter, part, rows);
    lanes *inputs[2] = {(lanes *)workspace, (lanes *)workspace + frames};
    target targets[2];
    for (size_t i = 0; i < 2; i++) {
      size_t skipped = groups == 2 ? i * LANES : 0, mine = used > skipped ? used - skipped : 0;
      if (mine > LANES) mine = LANES;
      targets[i].rows = rows;
      targets[i].used = mine;
      targets[i].last = skipped + mine == used ? last : rows;
      targets[i].start = groups == 2 ? output + skipped * rows * stride : output + i;
      if (mine) {
        const float *input = right && i == 1 ? right : left + skipped * distance;
        gather(input, distance, mine, frames, input_of(filter, part, targets[i].last), inputs[i]);
      } else {
        inputs[i] = inputs[0];
      }
    }
    size_t place = part, offset = 0;
    for (size_t row = 0; row < rows; row += 4) {
      const float *weights[4];
      size_t offsets[4];
      for (size_t i = 0; i < 4; i++) {
        // Behind the last row: the same once more.
        if (row + i > 0 && row + i < rows) {
          offset += filter->step;
          place += filter->step_part;
          if (place >= filter->phases) {
            place -= filter->phases;
            offset++;
          }
        }
        weights[i] = filter->weights + place * filter->taps;
        offsets[i] = offset;
      }
      lanes sums[8];
      multiply(weights, offsets, filter->taps, inputs[0], inputs[1], sums);
      write(sums, &targets[0], &targets[1], row, stride);
    }
    count -= made;
    output += made * stride;
    left += used * distance;
    if (right) right += used * distance;
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void run_fast(
    const descant_polyphase *filter, const float *left, const float *right, size_t part, size_t count, float *output,
    size_t stride, float *workspace) {
  // Two copies, each for its number of channels.
  if (right) {
    run(filter, left, right, part, count, output, stride, workspace);
  } else {
    run(filter, left, 0, part, count, output, stride, workspace);
  }
}
#define IS_FAST (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#else
#define run_fast run
#define IS_FAST 0
#endif

void descant_polyphase_run(
    const descant_polyphase *filter, const float *left, const float *right, size_t part, size_t count, float *output,
    size_t stride, float *workspace) {
  if (IS_FAST) {
    run_fast(filter, left, right, part, count, output, stride, workspace);
  } else {
    run(filter, left, right, part, count, output, stride, workspace);
  }
}
