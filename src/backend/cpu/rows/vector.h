/* Vectors of LANES elements in the compiler's notation (GCC's and Clang's vector extensions), so that every processor has
 * them, for one precision; included by rows/body.h.
 *
 *      a, b             a0 a1 a2 a3   b0 b1 b2 b3
 *      vector_low       a0 b0 a1 b1
 *      vector_high      a2 b2 a3 b3
 *      vector_up        0  a0 a1 a2
 *      vector_down      a1 a2 a3 0
 *
 * Sums and products are written with + and *. Only what compilers do not find is written for an instruction set.
 */
typedef REAL PRECISION(vector) __attribute__((vector_size(GROUP_BYTES)));
typedef REAL PRECISION(vector_anywhere) __attribute__((vector_size(GROUP_BYTES), aligned(sizeof(REAL)), may_alias));
typedef BITS PRECISION(vector_bits) __attribute__((vector_size(GROUP_BYTES)));

HS_INLINE_ALWAYS PRECISION(vector) PRECISION(vector_load)(const REAL *from)
{
  return *(const PRECISION(vector_anywhere) *)from;
}

HS_INLINE_ALWAYS void PRECISION(vector_store)(REAL *to, PRECISION(vector) a)
{
  *(PRECISION(vector_anywhere) *)to = a;
}

HS_INLINE_ALWAYS PRECISION(vector) PRECISION(vector_all)(REAL a)
{
  return a - (PRECISION(vector)){0};
}

/* Of the bits. */
HS_INLINE_ALWAYS PRECISION(vector) PRECISION(vector_and)(PRECISION(vector) a, PRECISION(vector) b)
{
  return (PRECISION(vector))((PRECISION(vector_bits))a & (PRECISION(vector_bits))b);
}

/* The bits of a where `chosen` has ones, else those of b. */
HS_INLINE_ALWAYS PRECISION(vector)
    PRECISION(vector_choose)(PRECISION(vector) chosen, PRECISION(vector) a, PRECISION(vector) b)
{
  typedef PRECISION(vector_bits) bits;
  return (PRECISION(vector))(((bits)chosen & (bits)a) | (~(bits)chosen & (bits)b));
}

HS_INLINE_ALWAYS PRECISION(vector) PRECISION(vector_low)(PRECISION(vector) a, PRECISION(vector) b)
{
  return SHUFFLE(a, b, ORDER(LOW));
}

HS_INLINE_ALWAYS PRECISION(vector) PRECISION(vector_high)(PRECISION(vector) a, PRECISION(vector) b)
{
  return SHUFFLE(a, b, ORDER(HIGH));
}

HS_INLINE_ALWAYS PRECISION(vector) PRECISION(vector_up)(PRECISION(vector) a)
{
  return SHUFFLE(a, (PRECISION(vector)){0}, ORDER(UP));
}

HS_INLINE_ALWAYS PRECISION(vector) PRECISION(vector_down)(PRECISION(vector) a)
{
  return SHUFFLE(a, (PRECISION(vector)){0}, ORDER(DOWN));
}

HS_INLINE_ALWAYS PRECISION(vector) PRECISION(vector_fma)(PRECISION(vector) a, PRECISION(vector) b, PRECISION(vector) c)
{
#ifdef __AVX2__
  return PRECISION(vector_fused)(a, b, c);
#else
  for (int k = 0; k < LANES; k++) c[k] = PRECISION(fused)(a[k], b[k], c[k]);
  return c;
#endif
}

/* |a| > b ? |a| : b, where b is not negative. */
HS_INLINE_ALWAYS PRECISION(vector) PRECISION(vector_most)(PRECISION(vector) a, PRECISION(vector) b)
{
  const PRECISION(vector) size = (PRECISION(vector))((PRECISION(vector_bits))a & ((BITS) ~(BITS)0 >> 1));
#ifdef __AVX2__
  return PRECISION(vector_larger)(size, b);
#else
  for (int k = 0; k < LANES; k++) b[k] = size[k] > b[k] ? size[k] : b[k];
  return b;
#endif
}

/* A vector of double precision from numbers of this one, and from their differences in this one. */
typedef REAL PRECISION(vector_part)
    __attribute__((vector_size(GROUP_BYTES / sizeof(double) * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));
typedef double PRECISION(vector_double) __attribute__((vector_size(GROUP_BYTES)));

HS_INLINE_ALWAYS PRECISION(vector_double) PRECISION(vector_wide)(const REAL *from)
{
  return __builtin_convertvector(*(const PRECISION(vector_part) *)from, PRECISION(vector_double));
}

HS_INLINE_ALWAYS PRECISION(vector_double) PRECISION(vector_wide_minus)(const REAL *a, const REAL *b)
{
  return __builtin_convertvector(*(const PRECISION(vector_part) *)a - *(const PRECISION(vector_part) *)b,
                                 PRECISION(vector_double));
}
