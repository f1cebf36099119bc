// error: dma::Sequential: T is moved as bytes, so it must be trivially copyable; move its parts, or an element without constructors and destructor of its own

#include <dma/dma.hpp>

struct Element {
  float value = 0;
#if defined(DMA_MISTAKE)
  Element(const Element& other) : value(other.value) {}
#endif
};

int bytes = dma::Sequential<Element, 64>::tile_bytes;
