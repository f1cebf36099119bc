// strtod by JavaScript's numbers, for programs that are compiled with -Dstrtod=dma_strtod: emcc's option --js-library.
mergeInto(LibraryManager.library, {
  dma_strtod: function (text, end) {
    const digits = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?/i.exec(UTF8ToString(text)) || [''];
    HEAPU32[end >> 2] = text + digits[0].length;
    return Number(digits[0]);
  },
});
