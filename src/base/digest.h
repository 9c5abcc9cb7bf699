/* A digest of 64 bits that tells contents apart: FNV-1a, eight bytes at a time, with the high bits folded back. It is no
 * protection against intent. */
#ifndef HS_BASE_DIGEST_H
#define HS_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hs_digest_begin(void)
{
  return 0xcbf29ce484222325u;
}

/* The digest with eight more bytes. */
static inline uint64_t hs_digest_word(uint64_t digest, uint64_t word)
{
  digest = (digest ^ word) * 0x100000001b3u;
  return digest ^ digest >> 32;
}

/* The digest with `size` more bytes. */
static inline uint64_t hs_digest_add(uint64_t digest, const void *data, size_t size)
{
  const char *at = data;
  for (size_t left = size; left > 0;) {
    const size_t count = left < sizeof(uint64_t) ? left : sizeof(uint64_t);
    uint64_t word = 0;
    memcpy(&word, at, count);
    digest = hs_digest_word(digest, word);
    at += count;
    left -= count;
  }
  return digest;
}

#endif
