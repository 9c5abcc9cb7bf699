/* Lengths of time as Slurm writes them: "10" (minutes), "10:30" (minutes, seconds), "1:10:30", "2-1", "2-1:10",
 * "2-1:10:30" (days before the hyphen). */
#ifndef HS_SLURM_DURATION_H
#define HS_SLURM_DURATION_H

#include <stdbool.h>

/* Reads text into seconds; infinity for UNLIMITED and INFINITE. false: it is none. */
bool hs_duration_read(const char *text, double *seconds);

/* Whole seconds as "HH:MM:SS" or "D-HH:MM:SS"; infinity as "UNLIMITED". */
enum { HS_DURATION_TEXT = 32 };
void hs_duration_print(double seconds, char text[HS_DURATION_TEXT]);

#endif
