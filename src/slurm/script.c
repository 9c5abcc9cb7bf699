/* The head of a batch script, from what a job asks for, and its body, which job.sh has. */
#include "slurm/script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "slurm/duration.h"

extern const unsigned char hs_slurm_body[];
extern const size_t hs_slurm_body_size;

static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=+,@%-";

/* A word of the shell. */
static void word_add(struct hs_text *text, const char *word)
{
  if (*word && strspn(word, PLAIN) == strlen(word)) {
    hs_text_add(text, "%s", word);
    return;
  }
  hs_text_add(text, "'");
  for (; *word; word++) {
    if (*word == '\'')
      hs_text_add(text, "'\\''");
    else
      hs_text_add(text, "%c", *word);
  }
  hs_text_add(text, "'");
}

/* A word of an #SBATCH line, where quotes and backslashes mean what they mean to a shell; in names of files % begins what
 * sbatch fills in. */
static void sbatch_add(struct hs_text *text, const char *option, const char *word)
{
  hs_text_add(text, "#SBATCH --%s=", option);
  if (*word && strspn(word, PLAIN) == strlen(word) && !strchr(word, '%')) {
    hs_text_add(text, "%s\n", word);
    return;
  }
  hs_text_add(text, "\"");
  for (; *word; word++) {
    if (*word == '"' || *word == '\\') hs_text_add(text, "\\");
    hs_text_add(text, "%s%c", *word == '%' ? "%" : "", *word);
  }
  hs_text_add(text, "\"\n");
}

static void about_add(struct hs_text *text, const char *about)
{
  hs_text_add(text, "#!/bin/bash\n");
  while (*about) {
    const int length = (int)strcspn(about, "\n");
    hs_text_add(text, length ? "# %.*s\n" : "#\n", length, about);
    about += length + (about[length] == '\n');
  }
  hs_text_add(text, "#\n");
}

static void options_add(struct hs_text *text, const struct hs_slurm_job *job)
{
  char limit[HS_DURATION_TEXT];
  hs_duration_print(60.0 * ceil(job->limit_s / 60.0), limit);
  sbatch_add(text, "job-name", job->name);
  if (job->partition) sbatch_add(text, "partition", job->partition);
  hs_text_add(text, "#SBATCH --nodes=%d\n#SBATCH --ntasks-per-node=%d\n#SBATCH --cpus-per-task=%d\n", job->nodes,
              job->ranks_per_node, job->cpus_per_rank);
  if (job->gpus_per_node)
    hs_text_add(text, "#SBATCH --gres=gpu:%d\n", job->gpus_per_node);
  else
    hs_text_add(text, "#SBATCH --hint=nomultithread\n");
  hs_text_add(text, "#SBATCH --time=%s\n", limit);
  for (int k = 0; k < job->more_count; k++) hs_text_add(text, "#SBATCH %s\n", job->more[k]);
  sbatch_add(text, "output", job->log);
  hs_text_add(text,
              "#SBATCH --open-mode=append\n"
              "#SBATCH --requeue\n"
              "#SBATCH --signal=B:USR1@%d\n",
              job->signal_s);
}

/* Several processes are started by srun, which does not take --cpus-per-task over by itself. A process that dies is the
 * affair of the others, so srun is not to end those that are still saving. */
static void launch_add(struct hs_text *text, const struct hs_slurm_job *job)
{
  hs_text_add(text, job->nodes * job->ranks_per_node > 1
                        ? "launch=(srun --mpi=pmix --cpus-per-task=\"$SLURM_CPUS_PER_TASK\" --kill-on-bad-exit=0)\n"
                        : "launch=()\n");
}

char *hs_slurm_script(const struct hs_slurm_job *job, struct hs_error *err)
{
  struct hs_text text = {0};
  about_add(&text, job->about);
  options_add(&text, job);
  hs_text_add(&text, "\nheatsolve=");
  word_add(&text, job->heatsolve);
  hs_text_add(&text, "\noutput=");
  word_add(&text, job->output);
  hs_text_add(&text, "\nrun=(");
  word_add(&text, job->config);
  hs_text_add(&text, " --output \"$output\"");
  for (int k = 0; k < job->set_count; k++) {
    hs_text_add(&text, " --set ");
    word_add(&text, job->sets[k]);
  }
  hs_text_add(&text, ")\n");
  if (job->ranks_per_node * job->nodes == 1 && job->gpus_per_node > 1) hs_text_add(&text, "run+=(--gpus all)\n");
  launch_add(&text, job);
  hs_text_add_bytes(&text, hs_slurm_body, hs_slurm_body_size);
  if (!text.failed) return text.text;
  free(text.text);
  hs_error_set(err, HS_ERR_MEMORY, "not enough memory for the batch script.");
  return NULL;
}
