#include <dma/config.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>

using dma::detail::MessageText;

TEST_CASE("a message is what printf would print, piece by piece") {
  MessageText message;
  REQUIRE(std::string(message.text()).empty());
  message.add("%d of ", 3).add("%lld", 1LL << 40);
  REQUIRE(message.text() == std::string("3 of 1099511627776"));
}

TEST_CASE("a message that is too long is cut") {
  for (const int length : {1022, 1023, 1024, 5000}) {
    MessageText message;
    const std::string part(static_cast<std::size_t>(length), 'a');
    message.add("%s", part.c_str());
    message.add("%s", "bcd");
    REQUIRE(message.text() == (part + "bcd").substr(0, 1023));
  }
}

TEST_CASE("a refusal has the rule and the values of each kind, as a standard logic error") {
  std::string caught;
  try {
    dma::detail::refuse("a rule", "index", -40, "end", 32U, "scale", 0.5F, "of", "x");
  } catch (const std::logic_error& error) {
    caught = error.what();
  }
  REQUIRE(caught == "a rule [index -40, end 32, scale 0.500000, of, x]");
}
