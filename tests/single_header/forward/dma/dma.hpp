#pragma once

// Where an example includes the library it has the single header.
#include <dma.hpp>
