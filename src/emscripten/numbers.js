// Numbers by JavaScript: emcc's option --js-library. strtod is that of programs that are compiled with
// -Dstrtod=dma_strtod; the others are for what a program defines by them.
mergeInto(LibraryManager.library, {
  dma_strtod: function (text, end) {
    const digits = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?/i.exec(UTF8ToString(text)) || [''];
    HEAPU32[end >> 2] = text + digits[0].length;
    return Number(digits[0]);
  },
  // A page has no files, and their system is three quarters of its JavaScript: "no such file".
  __syscall_open: function () { return -44; },
  dma_sin: function (x) { return Math.sin(x); },
  dma_cos: function (x) { return Math.cos(x); },
  dma_tanh: function (x) { return Math.tanh(x); },
  dma_print: function (text, size, number) {
    const digits = number.toFixed(6);
    if (size > 0) stringToUTF8(digits, text, size);
    return digits.length;
  },
});
