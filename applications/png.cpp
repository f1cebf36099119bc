#include "png.hpp"

#include <stdexcept>

#include <png.h>

void write_png(const std::string& path, const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.cols);
  image.height = static_cast<png_uint_32>(picture.rows);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = static_cast<png_uint_32>(picture.colours.size());
  if (png_image_write_to_file(&image, path.c_str(), 0, picture.pixels.data(), 0, picture.colours.data()) == 0) {
    throw std::runtime_error(path + " cannot be written: " + image.message);
  }
}
