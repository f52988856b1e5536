// Loads a model of sherpa-onnx, lets it speak a word and tells what it is, so that a damaged one ends this program and not
// the host.
//
//   descant-sherpa-probe LIBRARY KIND MODEL TOKENS LEXICON VOICES VOCODER      "-" for files that the kind has not
//
// Writes "sample rate, speakers, language", with tabs between them, and ends with 0; or the reason, and ends with 1.

#include "../CSherpa/CSherpa.c"

static const char *file(const char *argument) { return strcmp(argument, "-") == 0 ? NULL : argument; }

// The first word of a lexicon: what stands before the first space of a line.
static void first_word(const char *path, char *word, size_t room) {
    word[0] = 0;
    FILE *lexicon = path ? fopen(path, "r") : NULL;
    if (!lexicon) return;
    while (!word[0] && fgets(word, (int)room, lexicon)) word[strcspn(word, " \t\r\n")] = 0;
    fclose(lexicon);
}

static int32_t count_samples(const float *samples, int32_t count, float progress, void *context) {
    (void)samples, (void)progress;
    *(int64_t *)context += count;
    return 1;
}

int main(int count, char **arguments) {
    if (count != 8) return 64;
    char problem[1024];
    const descant_sherpa_library *library = descant_sherpa_open(arguments[1], problem, sizeof problem);
    if (!library) return printf("%s", problem), 1;
    descant_sherpa_model model = {
        .kind = atoi(arguments[2]), .model = file(arguments[3]), .tokens = file(arguments[4]),
        .lexicon = file(arguments[5]), .voices = file(arguments[6]), .vocoder = file(arguments[7]), .threads = 1};
    const descant_sherpa_voice *voice = descant_sherpa_create(library, &model);
    if (!voice) return printf("sherpa-onnx refuses the model"), 1;
    char word[256];
    first_word(model.lexicon, word, sizeof word);
    int64_t samples = 0;
    if (!descant_sherpa_generate(voice, word, 0, 1, count_samples, &samples) || samples == 0) {
        return printf("it makes no sound of its lexicon's first word, \"%s\"", word), 1;
    }
    char language[64];
    descant_sherpa_language(voice, language, sizeof language);
    printf("%d\t%d\t%s", descant_sherpa_sample_rate(voice), descant_sherpa_speakers(voice), language);
    return 0;
}
