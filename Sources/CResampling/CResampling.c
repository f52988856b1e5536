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

/// Where lanes are read: `used` of them begin `distance` samples apart, in each of which frames lie `stride` samples apart. The last one has
/// `last` frames, the others `frames`; lanes behind it repeat the first one.
typedef struct {
  const float *start;
  size_t distance, stride, used, frames, last;
} source;

INLINE const float *lane_of(const source *source, size_t lane) {
  return source->start + (lane < source->used ? lane : 0) * source->distance;
}

INLINE float sample_of(const source *source, size_t lane, size_t frame, size_t channel) {
  int is_behind = lane + 1 >= source->used && frame >= source->last;
  return is_behind ? 0 : lane_of(source, lane)[frame * source->stride + channel];
}

/// Writes the samples of one channel's lanes beside each other.
INLINE void gather_one(const source *source, lanes *output) {
  size_t frame = 0;
  for (; source->stride == 1 && frame + 8 <= source->last; frame += 8) {
    for (size_t k = 0; k < LANES; k++) output[frame + k] = *(const lanes *)(lane_of(source, k) + frame);
    transpose(output + frame);
  }
  for (; frame < source->frames; frame++)
    for (size_t k = 0; k < LANES; k++) output[frame][k] = sample_of(source, k, frame, 0);
}

/// The same for two neighbouring channels.
INLINE void gather_two(const source *source, lanes *left, lanes *right) {
  size_t frame = 0;
  for (; source->stride == 2 && frame + 4 <= source->last; frame += 4) {
    lanes rows[8];
    for (size_t k = 0; k < LANES; k++) rows[k] = *(const lanes *)(lane_of(source, k) + 2 * frame);
    transpose(rows);
    for (size_t i = 0; i < 4; i++) left[frame + i] = rows[2 * i], right[frame + i] = rows[2 * i + 1];
  }
  for (; frame < source->frames; frame++)
    for (size_t k = 0; k < LANES; k++) {
      left[frame][k] = sample_of(source, k, frame, 0);
      right[frame][k] = sample_of(source, k, frame, 1);
    }
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

/// Where lanes are written: `used` of them, `rows` frames apart. The last one has `last` frames.
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

/// Two neighbouring channels, or the lanes of one channel and as many behind them.
INLINE void run(
    const descant_polyphase *filter, const float *input, size_t channels, int is_pair, size_t part, size_t count,
    float *output, float *workspace) {
  size_t longest = cycles_of_lane(filter) * filter->phases, distance = cycles_of_lane(filter) * input_rate(filter);
  while (count > 0) {
    size_t rows = count < longest ? count : longest, used = (count + rows - 1) / rows, most = is_pair ? LANES : 2 * LANES;
    if (used > most) used = most;
    size_t made = count < used * rows ? count : used * rows, last = made - (used - 1) * rows;
    size_t frames = input_of(filter, part, rows), first = used < LANES ? used : LANES;
    lanes *left = (lanes *)workspace, *right = left + frames;
    source from = {input, distance * channels, channels, first, frames, input_of(filter, part, first < used ? rows : last)};
    target to = {output, first, rows, first < used ? rows : last}, behind = to;
    if (is_pair) {
      gather_two(&from, left, right);
      behind.start = output + 1;
    } else {
      gather_one(&from, left);
      behind = (target){output + LANES * rows * channels, used - first, rows, last};
      from = (source){
          input + LANES * from.distance, from.distance, channels, used - first, frames, input_of(filter, part, last)};
      if (from.used > 0) {
        gather_one(&from, right);
      } else {
        right = left;
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
      multiply(weights, offsets, filter->taps, left, right, sums);
      write(sums, &to, &behind, row, channels);
    }
    count -= made;
    output += made * channels;
    input += used * distance * channels;
  }
}

INLINE void run_all(
    const descant_polyphase *filter, const float *input, size_t channels, size_t part, size_t count, float *output,
    float *workspace) {
  size_t channel = 0;
  for (; channel + 1 < channels; channel += 2)
    run(filter, input + channel, channels, 1, part, count, output + channel, workspace);
  if (channel < channels) run(filter, input + channel, channels, 0, part, count, output + channel, workspace);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void run_fast(
    const descant_polyphase *filter, const float *input, size_t channels, size_t part, size_t count, float *output,
    float *workspace) {
  run_all(filter, input, channels, part, count, output, workspace);
}
#define IS_FAST (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#else
#define run_fast run_all
#define IS_FAST 0
#endif

void descant_polyphase_run(
    const descant_polyphase *filter, const float *input, size_t channels, size_t part, size_t count, float *output,
    float *workspace) {
  if (IS_FAST) {
    run_fast(filter, input, channels, part, count, output, workspace);
  } else {
    run_all(filter, input, channels, part, count, output, workspace);
  }
}
