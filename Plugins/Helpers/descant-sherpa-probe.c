// Loads a model of sherpa-onnx, lets it speak and tells what it is, so that a damaged one ends this program and not
// the host.
//
//   descant-sherpa-probe LIBRARY KIND MODEL TOKENS LEXICON VOICES VOCODER TEXT…     "-" for files that the kind has not
//
// Its last line is "sample rate, speakers", with a tab between them, and it ends with 0; or it is the reason, and it ends
// otherwise.

#include "../CSherpa/CSherpa.c"

static const char *file(const char *argument) { return strcmp(argument, "-") == 0 ? NULL : argument; }

static int32_t count_samples(const float *samples, int32_t count, float progress, void *context) {
    (void)samples, (void)progress;
    *(int64_t *)context += count;
    return 1;
}

int main(int count, char **arguments) {
    if (count < 9) return 64;
    char problem[1024];
    const descant_sherpa_library *library = descant_sherpa_open(arguments[1], problem, sizeof problem);
    if (!library) return printf("\n%s", problem), 1;
    descant_sherpa_model model = {
        .kind = atoi(arguments[2]), .model = file(arguments[3]), .tokens = file(arguments[4]),
        .lexicon = file(arguments[5]), .voices = file(arguments[6]), .vocoder = file(arguments[7]), .threads = 1};
    const descant_sherpa_voice *voice = descant_sherpa_create(library, &model);
    if (!voice) return printf("sherpa-onnx refuses it"), 1;
    for (int index = 8; index < count; index++) {
        // Fast, as nobody listens.
        int64_t samples = 0;
        if (!descant_sherpa_generate(voice, arguments[index], 0, 2, count_samples, &samples) || samples == 0) {
            return printf("it makes no sound of \"%s\"", arguments[index]), 1;
        }
    }
    printf("\n%d\t%d\n", descant_sherpa_sample_rate(voice), descant_sherpa_speakers(voice));
    return 0;
}
