/* Which problem a configuration describes, for runs that go on from a checkpoint. */
#ifndef HS_CONFIG_IDENTITY_H
#define HS_CONFIG_IDENTITY_H

#include "config/config.h"

/* The key of what is read from files, in a text that has it. */
#define HS_IDENTITY_CONTENTS "contents of the files that it reads"

/* Lines "section.key = value" of all keys that change the answer, owned by the caller; NULL with HS_ERR_MEMORY. */
char *hs_config_identity(const struct hs_config *config, struct hs_error *err);

/* The method that such a text names; HS_METHOD_AUTO: none. */
enum hs_method hs_config_identity_method(const char *text);

/* The keys in which two such texts differ, in list[size]: "grid.nx (33 here, 65 there), ..."; "" where they do not.
 * HS_IDENTITY_CONTENTS is named only where no key is, for keys change contents, too. */
void hs_config_identity_differences(const char *here, const char *there, char *list, size_t size);

#endif
