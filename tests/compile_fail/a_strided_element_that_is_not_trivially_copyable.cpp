// error: dma: rows are moved as bytes, so the element of a pattern must be trivially copyable; move its parts, or an element without constructors and destructor of its own

#include <dma/dma.hpp>

struct Element {
  float value = 0;
#if defined(DMA_MISTAKE)
  Element(const Element& other) : value(other.value) {}
#endif
};

int bytes = dma::Strided<Element, 64, 4>::tile_bytes;
