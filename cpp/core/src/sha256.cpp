#include "dynid/sha256.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "hexadecimal.hpp"

namespace dynid
{
namespace
{

constexpr std::size_t block_bytes = 64;    // bytes
constexpr std::size_t length_offset = 56;  // of the message's length in the last block
constexpr char padding_begin = '\x80';

using State = std::array<std::uint32_t, 8>;

// FIPS 180-4, 5.3.3: fractional parts of the square roots of the first primes
constexpr State initial_state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

// 4.2.2: fractional parts of the cube roots of the first primes
constexpr std::array<std::uint32_t, 64> constants{
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::uint32_t turned(std::uint32_t x, unsigned n) noexcept
{
  return (x >> n) | (x << (32U - n));
}

std::uint32_t big_endian(std::string_view bytes, std::size_t begin) noexcept
{
  std::uint32_t value = 0;
  for (std::size_t i = begin; i < begin + 4; ++i) {
    value = (value << 8U) | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

/// 6.2.2: one block of 64 bytes into the state.
void digest(State & state, std::string_view block) noexcept
{
  std::array<std::uint32_t, 64> w{};
  for (std::size_t t = 0; t < 16; ++t) {
    w[t] = big_endian(block, 4 * t);
  }
  for (std::size_t t = 16; t < 64; ++t) {
    const auto s0 = turned(w[t - 15], 7U) ^ turned(w[t - 15], 18U) ^ (w[t - 15] >> 3U);
    const auto s1 = turned(w[t - 2], 17U) ^ turned(w[t - 2], 19U) ^ (w[t - 2] >> 10U);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t t = 0; t < 64; ++t) {
    const auto s1 = turned(e, 6U) ^ turned(e, 11U) ^ turned(e, 25U);
    const auto chosen = (e & f) ^ (~e & g);
    const auto t1 = h + s1 + chosen + constants[t] + w[t];
    const auto s0 = turned(a, 2U) ^ turned(a, 13U) ^ turned(a, 22U);
    const auto majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + s0 + majority;
  }
  const State worked{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) {
    state[i] += worked[i];
  }
}

/// 5.1.1: the bytes after the last whole block, padded to one block or two.
std::string padded(std::string_view rest, std::uint64_t bytes)
{
  std::string last(rest);
  last += padding_begin;
  last.resize(last.size() <= length_offset ? block_bytes : 2 * block_bytes, '\0');
  std::uint64_t bits = 8 * bytes;
  for (auto at = last.rbegin(); bits != 0; ++at, bits >>= 8U) {
    *at = static_cast<char>(bits & 0xffU);
  }
  return last;
}

}  // namespace

std::string sha256(std::string_view bytes)
{
  auto state = initial_state;
  std::string_view rest = bytes;
  for (; rest.size() >= block_bytes; rest.remove_prefix(block_bytes)) {
    digest(state, rest.substr(0, block_bytes));
  }
  const auto last = padded(rest, bytes.size());
  for (std::size_t at = 0; at < last.size(); at += block_bytes) {
    digest(state, std::string_view(last).substr(at, block_bytes));
  }
  std::string text;
  for (const auto word : state) {
    text += hexadecimal_digits(word, 8);
  }
  return text;
}

}  // namespace dynid
