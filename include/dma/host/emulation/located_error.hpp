#pragma once

#include <dma/host/emulation/kernel_error.hpp>

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <typeinfo>

namespace dma::inline v0_1::host::detail {

/// Adds to an error's sentence where it happened: "... [slot 1 of pipeline A, thread 33]", then a legend.
[[nodiscard]] inline std::string located(std::string message, const std::string& place, const std::string& legend) {
  // A sentence with values ends with a bracket of its own.
  const bool has_values = message.ends_with(']');
  if (has_values) {
    message.pop_back();
  }
  return message + (has_values ? ", " : " [") + place + ']' + legend;
}

/// Throws `thrown` with its place where it is exactly an `Error` of the library.
template <class Error>
void throw_located(const Error& thrown, const std::string& place, const std::string& legend) {
  const std::string_view message = thrown.what();
  if (typeid(thrown) == typeid(Error) && message.starts_with("dma")) {
    throw Error(located(std::string(message), place, legend));
  }
}

/// Throws an error of the library again with its place, and any other one as it is.
[[noreturn]] inline void rethrow_located(const std::exception_ptr& error, const std::string& place,
                                         const std::string& legend) {
  try {
    std::rethrow_exception(error);
  } catch (const UnusedTile& thrown) {
    throw_located(thrown, place, legend);
    throw;
  } catch (const PendingAtExit& thrown) {
    throw_located(thrown, place, legend);
    throw;
  } catch (const OutOfBounds& thrown) {
    throw_located(thrown, place, legend);
    throw;
  } catch (const Spin& thrown) {
    throw_located(thrown, place, legend);
    throw;
  } catch (const KernelError& thrown) {
    throw_located(thrown, place, legend);
    throw;
  } catch (const std::out_of_range& thrown) {
    throw_located(thrown, place, legend);
    throw;
  } catch (const std::logic_error& thrown) {
    throw_located(thrown, place, legend);
    throw;
  }
}

}  // namespace dma::inline v0_1::host::detail
