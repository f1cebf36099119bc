#include "sound.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fft {
namespace {

constexpr double length = 9;
constexpr double pi = 3.14159265358979323846;

/// Adds a tone of `seconds` from second `begin` on, of `hertz(part)` and as loud as `loudness(part)`, where `part` of
/// its time is over.
template <class Hertz, class Loudness>
void add_tone(std::vector<float>& samples, double begin, double seconds, const Hertz& hertz, const Loudness& loudness) {
  const auto first = static_cast<std::size_t>(begin * samples_a_second);
  const auto count = static_cast<std::size_t>(seconds * samples_a_second);
  double phase = static_cast<double>(first);  // no two tones begin together
  for (std::size_t i = 0; i < count && first + i < samples.size(); ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(count);
    phase += 2 * pi * hertz(part) / samples_a_second;
    samples[first + i] += static_cast<float>(loudness(part) * std::sin(phase));
  }
}

/// Of a plucked string.
void add_note(std::vector<float>& samples, double begin, double seconds, double hertz) {
  constexpr int harmonics = 9;
  for (int h = 1; h <= harmonics; ++h) {
    add_tone(
        samples, begin, seconds,
        [&](double part) { return h * hertz * (1 + 0.004 * std::sin(2 * pi * 5 * part * seconds)); },
        [&](double part) {
          const double attack = std::min(1.0, part * seconds / 0.02);
          const double release = std::min(1.0, (1 - part) * seconds / 0.05);
          return 0.3 / h * attack * release * std::exp(-part * seconds * h);
        });
  }
}

void add_tune(std::vector<float>& samples, double begin) {
  struct Note {
    int halftones;  ///< above a
    double beats;
  };
  constexpr Note notes[] = {{7, 1}, {7, 1}, {8, 1}, {10, 1}, {10, 1},  {8, 1},   {7, 1}, {5, 1},
                            {3, 1}, {3, 1}, {5, 1}, {7, 1},  {7, 1.5}, {5, 0.5}, {5, 2}};
  constexpr double seconds_a_beat = 0.36;
  for (const Note& note : notes) {
    add_note(samples, begin, note.beats * seconds_a_beat, 220 * std::exp2(note.halftones / 12.0));
    begin += note.beats * seconds_a_beat;
  }
}

/// One sine for each line of 60 Hz, as long as a stroke.
void add_letters(std::vector<float>& samples, double begin, double seconds) {
  constexpr const char* rows[] = {
      "....#............",  //
      "....#............",  //
      ".####.####...###.",  //
      "#...#.#.#.#.....#",  //
      "#...#.#.#.#..####",  //
      "#...#.#.#.#.#...#",  //
      ".####.#.#.#..####",
  };
  constexpr int cols = 17;
  constexpr int lines_a_row = 6;
  const double top = 3500;
  for (int row = 0; row < 7; ++row) {
    for (int col = 0; col < cols; ++col) {
      int end = col;
      while (end < cols && rows[row][end] == '#') {
        ++end;
      }
      for (int line = 0; end > col && line < lines_a_row; ++line) {
        add_tone(
            samples, begin + seconds * col / cols, seconds * (end - col) / cols,
            [&](double) { return top - 60.0 * (row * lines_a_row + line); },
            [](double part) { return 0.02 * std::min(1.0, 20 * std::min(part, 1 - part)); });
      }
      col = end;
    }
  }
}

}  // namespace

std::vector<float> sound() {
  std::vector<float> samples(static_cast<std::size_t>(length * samples_a_second));
  add_tune(samples, 0.2);
  add_tone(
      samples, 0, 6.4, [](double part) { return 100 + 3900 * part; }, [](double) { return 0.008; });
  for (const double begin : {0.7, 2.1, 3.6, 5.0}) {
    add_tone(
        samples, begin, 0.45,
        [](double part) { return 2700 + 900 * std::sin(pi * part) + 150 * std::sin(8 * pi * part); },
        [](double part) { return 0.08 * std::sin(pi * part); });
  }
  add_letters(samples, 6.5, 2.3);
  return samples;
}

}  // namespace fft
