#pragma once

#include <vector>

namespace fft {

inline constexpr int samples_a_second = 16000;

/// Nine seconds of a tune with harmonics (Beethoven's "Ode to Joy"), whistles, a sweep from 0.1 to 4 kHz, and letters
/// that are seen in a spectrogram. Samples have a magnitude of about 1.
[[nodiscard]] std::vector<float> sound();

}  // namespace fft
