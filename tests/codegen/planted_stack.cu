// An array that no register can hold, since its index is known to the kernel's caller only.

__global__ void planted_stack(float* values, int n) {
  float held[64];
  for (int i = 0; i < 64; ++i) {
    held[i] = values[i] + values[n];
  }
  for (int i = 0; i < n; ++i) {
    held[(i * n) % 64] += held[(i + n) % 64];
  }
  values[n] = held[n % 64];
}
