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

/// Eight samples; unaligned in memory. Processors with shorter vectors add them in parts.
typedef float lanes __attribute__((vector_size(32), aligned(4)));
#define INLINE static inline __attribute__((always_inline))

/// Sums of neighbours: four of `a` and four of `b`.
#define ADD_NEIGHBOURS(a, b)                                         \
  (__builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) +        \
   __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15))

// Written out, because debug builds neither unroll loops nor keep arrays in registers. Each sum is made in the same order.

#define ADD(i) sum##i += weights * *(const lanes *)(inputs[i] + tap)
#define FOR_EACH_TAP for (size_t tap = 0; tap < taps; tap += 8)
#define WEIGHTS lanes weights = *(const lanes *)(row + tap)

/// Multiplies one row of weights with 1, 2, 4 or 8 inputs, and writes as many sums.
INLINE void multiply_1(const float *row, size_t taps, const float *const *inputs, float *sums) {
  lanes sum0 = {0};
  FOR_EACH_TAP { WEIGHTS; ADD(0); }
  lanes all = ADD_NEIGHBOURS(sum0, sum0);
  all = ADD_NEIGHBOURS(all, all);
  sums[0] = all[0] + all[4];
}

INLINE void multiply_2(const float *row, size_t taps, const float *const *inputs, float *sums) {
  lanes sum0 = {0}, sum1 = {0};
  FOR_EACH_TAP { WEIGHTS; ADD(0); ADD(1); }
  lanes all = ADD_NEIGHBOURS(sum0, sum1);
  all = ADD_NEIGHBOURS(all, all);
  sums[0] = all[0] + all[4];
  sums[1] = all[1] + all[5];
}

INLINE void multiply_4(const float *row, size_t taps, const float *const *inputs, float *sums) {
  lanes sum0 = {0}, sum1 = {0}, sum2 = {0}, sum3 = {0};
  FOR_EACH_TAP { WEIGHTS; ADD(0); ADD(1); ADD(2); ADD(3); }
  lanes first = ADD_NEIGHBOURS(sum0, sum1), second = ADD_NEIGHBOURS(sum2, sum3);
  lanes all = ADD_NEIGHBOURS(first, second);
  for (size_t i = 0; i < 4; i++) sums[i] = all[i] + all[i + 4];
}

INLINE void multiply_8(const float *row, size_t taps, const float *const *inputs, float *sums) {
  lanes sum0 = {0}, sum1 = {0}, sum2 = {0}, sum3 = {0}, sum4 = {0}, sum5 = {0}, sum6 = {0}, sum7 = {0};
  FOR_EACH_TAP { WEIGHTS; ADD(0); ADD(1); ADD(2); ADD(3); ADD(4); ADD(5); ADD(6); ADD(7); }
  lanes first = ADD_NEIGHBOURS(sum0, sum1), second = ADD_NEIGHBOURS(sum2, sum3);
  lanes third = ADD_NEIGHBOURS(sum4, sum5), fourth = ADD_NEIGHBOURS(sum6, sum7);
  first = ADD_NEIGHBOURS(first, second);
  second = ADD_NEIGHBOURS(third, fourth);
  for (size_t i = 0; i < 4; i++) sums[i] = first[i] + first[i + 4];
  for (size_t i = 0; i < 4; i++) sums[i + 4] = second[i] + second[i + 4];
}

/// The input of one or two channels. Two share every weight that is read.
typedef struct {
  const float *plane[2];
  size_t channels;
} planes;

/// A filter's table does not fit into the nearest cache, so each row that is read serves up to four output frames: they lie a cycle of
/// rows apart, and their inputs `advance` frames.
INLINE void run(const descant_polyphase *filter, planes input, size_t part, size_t count, float *output, size_t stride) {
  size_t advance = filter->step * filter->phases + filter->step_part, cycle = filter->phases * stride;
  while (count > 0) {
    size_t cycles = count / filter->phases;
    size_t group = cycles >= 4 ? 4 : cycles >= 2 ? 2 : 1, rows = cycles > 0 ? filter->phases : count;
    size_t offset = 0, place = part;
    for (size_t row = 0; row < rows; row++) {
      const float *inputs[8], *weights = filter->weights + place * filter->taps;
      float sums[8], *sum = sums, *target = output + row * stride;
      size_t products = 0;
      for (size_t k = 0; k < group; k++)
        for (size_t c = 0; c < input.channels; c++) inputs[products++] = input.plane[c] + offset + k * advance;
      switch (products) {
        case 8: multiply_8(weights, filter->taps, inputs, sums); break;
        case 4: multiply_4(weights, filter->taps, inputs, sums); break;
        case 2: multiply_2(weights, filter->taps, inputs, sums); break;
        default: multiply_1(weights, filter->taps, inputs, sums);
      }
      for (size_t k = 0; k < group; k++)
        for (size_t c = 0; c < input.channels; c++) target[k * cycle + c] = *sum++;
      offset += filter->step;
      place += filter->step_part;
      if (place >= filter->phases) {
        place -= filter->phases;
        offset++;
      }
    }
    count -= rows * group;
    output += rows * group * stride;
    for (size_t c = 0; c < input.channels; c++) input.plane[c] += group * advance;
  }
}

INLINE void run_one(
    const descant_polyphase *filter, const float *input, size_t part, size_t count, float *output, size_t stride) {
  run(filter, (planes){{input, 0}, 1}, part, count, output, stride);
}

INLINE void run_two(
    const descant_polyphase *filter, const float *left, const float *right, size_t part, size_t count, float *output,
    size_t stride) {
  run(filter, (planes){{left, right}, 2}, part, count, output, stride);
}

#if defined(__x86_64__)
#define FAST __attribute__((target("avx2,fma")))
FAST static void run_one_fast(
    const descant_polyphase *filter, const float *input, size_t part, size_t count, float *output, size_t stride) {
  run_one(filter, input, part, count, output, stride);
}
FAST static void run_two_fast(
    const descant_polyphase *filter, const float *left, const float *right, size_t part, size_t count, float *output,
    size_t stride) {
  run_two(filter, left, right, part, count, output, stride);
}
#define IS_FAST (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#else
#define run_one_fast run_one
#define run_two_fast run_two
#define IS_FAST 0
#endif

void descant_polyphase_run(
    const descant_polyphase *filter, const float *input, size_t part, size_t count, float *output, size_t stride) {
  if (IS_FAST) {
    run_one_fast(filter, input, part, count, output, stride);
  } else {
    run_one(filter, input, part, count, output, stride);
  }
}

void descant_polyphase_run_pair(
    const descant_polyphase *filter, const float *left, const float *right, size_t part, size_t count, float *output,
    size_t stride) {
  if (IS_FAST) {
    run_two_fast(filter, left, right, part, count, output, stride);
  } else {
    run_two(filter, left, right, part, count, output, stride);
  }
}
