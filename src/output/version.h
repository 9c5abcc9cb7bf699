/* The name and version that every written file carries. */
#ifndef HS_OUTPUT_VERSION_H
#define HS_OUTPUT_VERSION_H

const char *hs_output_version(void);  /* "1.2.3" */
const char *hs_output_software(void); /* "heatsolve 1.2.3" */

#endif
