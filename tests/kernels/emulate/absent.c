/* Takes the place of the tests of emulated kernels in a build that cannot have them. HS_EMULATE_WHY: the reason. */
#include <stdio.h>

int main(void)
{
  puts("1..0 # SKIP kernels cannot be emulated: " HS_EMULATE_WHY);
  return 0;
}
