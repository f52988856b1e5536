#include "CResampling.h"

#include <math.h>

// A fused multiply-add rounds once instead of twice: other machines would give other last bits.
#pragma STDC FP_CONTRACT OFF

/// Sixteen samples; unaligned in memory. Narrower machines add them in parts, lane by lane as the wide ones do.
typedef float lanes __attribute__((vector_size(64), aligned(4)));
typedef float half_lanes __attribute__((vector_size(32)));

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

/// Sixteen sums to one, always in the same order.
#define FOLD(v)                                              \
  (__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +   \
   __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15))
#define ADD_UP(v) ((((v)[0] + (v)[4]) + ((v)[2] + (v)[6])) + (((v)[1] + (v)[5]) + ((v)[3] + (v)[7])))

#define RUN_BODY                                                                                    \
  for (size_t frame = 0; frame < count; frame++) {                                                  \
    const float *row = filter->weights + part * filter->taps;                                       \
    lanes sum = {0};                                                                                \
    for (size_t tap = 0; tap < filter->taps; tap += 16)                                             \
      sum += *(const lanes *)(row + tap) * *(const lanes *)(input + tap);                           \
    half_lanes half = FOLD(sum);                                                                    \
    *output = ADD_UP(half);                                                                           \
    output += stride;                                                                               \
    input += filter->step;                                                                          \
    part += filter->step_part;                                                                      \
    if (part >= filter->phases) {                                                                   \
      part -= filter->phases;                                                                       \
      input++;                                                                                      \
    }                                                                                               \
  }

#define RUN_PAIR_BODY                                                                               \
  for (size_t frame = 0; frame < count; frame++) {                                                  \
    const float *row = filter->weights + part * filter->taps;                                       \
    lanes left_sum = {0}, right_sum = {0};                                                          \
    for (size_t tap = 0; tap < filter->taps; tap += 16) {                                           \
      lanes weights = *(const lanes *)(row + tap);                                                  \
      left_sum += weights * *(const lanes *)(left + tap);                                           \
      right_sum += weights * *(const lanes *)(right + tap);                                         \
    }                                                                                               \
    half_lanes left_half = FOLD(left_sum), right_half = FOLD(right_sum);                            \
    output[0] = ADD_UP(left_half);                                                                     \
    output[1] = ADD_UP(right_half);                                                                     \
    output += stride;                                                                               \
    left += filter->step;                                                                           \
    right += filter->step;                                                                          \
    part += filter->step_part;                                                                      \
    if (part >= filter->phases) {                                                                   \
      part -= filter->phases;                                                                       \
      left++;                                                                                       \
      right++;                                                                                      \
    }                                                                                               \
  }

#define RUN_ARGUMENTS \
  const descant_polyphase *filter, const float *input, size_t part, size_t count, float *output, size_t stride
#define RUN_PAIR_ARGUMENTS                                                                                \
  const descant_polyphase *filter, const float *left, const float *right, size_t part, size_t count,      \
      float *output, size_t stride

static void run_anywhere(RUN_ARGUMENTS) { RUN_BODY }
static void run_pair_anywhere(RUN_PAIR_ARGUMENTS) { RUN_PAIR_BODY }

#if defined(__x86_64__)
__attribute__((target("avx"))) static void run_avx(RUN_ARGUMENTS) { RUN_BODY }
__attribute__((target("avx"))) static void run_pair_avx(RUN_PAIR_ARGUMENTS) { RUN_PAIR_BODY }
__attribute__((target("avx512f"))) static void run_avx512(RUN_ARGUMENTS) { RUN_BODY }
__attribute__((target("avx512f"))) static void run_pair_avx512(RUN_PAIR_ARGUMENTS) { RUN_PAIR_BODY }
#define HAS(feature) __builtin_cpu_supports(feature)
#else
#define run_avx run_anywhere
#define run_pair_avx run_pair_anywhere
#define run_avx512 run_anywhere
#define run_pair_avx512 run_pair_anywhere
#define HAS(feature) 0
#endif

void descant_polyphase_run(RUN_ARGUMENTS) {
  if (HAS("avx512f")) {
    run_avx512(filter, input, part, count, output, stride);
  } else if (HAS("avx")) {
    run_avx(filter, input, part, count, output, stride);
  } else {
    run_anywhere(filter, input, part, count, output, stride);
  }
}

void descant_polyphase_run_pair(RUN_PAIR_ARGUMENTS) {
  if (HAS("avx512f")) {
    run_pair_avx512(filter, left, right, part, count, output, stride);
  } else if (HAS("avx")) {
    run_pair_avx(filter, left, right, part, count, output, stride);
  } else {
    run_pair_anywhere(filter, left, right, part, count, output, stride);
  }
}
