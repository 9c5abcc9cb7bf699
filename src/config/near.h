/* Files whose names were probably meant. */
#ifndef HS_CONFIG_NEAR_H
#define HS_CONFIG_NEAR_H

/* The file in the folder of path, with a name that ends in `ending` (".ini"), that a path to no file was probably meant
 * to be; owned by the caller, NULL where none is near. */
char *hs_near_file(const char *path, const char *ending);

#endif
