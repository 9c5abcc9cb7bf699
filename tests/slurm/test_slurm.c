/* The slurm room: times, what sacct and sinfo print, batch scripts, calls of commands. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/timer.h"
#include "slurm/call.h"
#include "slurm/duration.h"
#include "slurm/partition.h"
#include "slurm/record.h"
#include "slurm/script.h"
#include "slurm/waits.h"

/* --- times ----------------------------------------------------------------------------------- */

static void durations_are_read_as_sbatch_does(void **state)
{
  static const struct {
    const char *text;
    double seconds;
  } right[] = {
      {"90", 5400},          {"90:30", 5430}, {"1:30:00", 5400}, {"2-00:00:00", 172800}, {"2-1", 176400},
      {"2-1:30", 178200},    {"0", 0},        {"00:00:02", 2},   {"1-02:03:04", 93784},  {"UNLIMITED", INFINITY},
      {"infinite", INFINITY}};
  static const char *const wrong[] = {"",    "x",     "1:2:3:4",         "1:",         ":1", "1-", "-1", "1 h",
                                      "1.5", "1-2-3", "Partition_Limit", "99999999999"};
  double seconds;
  (void)state;
  for (size_t k = 0; k < sizeof right / sizeof *right; k++) {
    assert_true(hs_duration_read(right[k].text, &seconds));
    assert_true(seconds == right[k].seconds);
  }
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) assert_false(hs_duration_read(wrong[k], &seconds));
}

static void durations_are_printed_as_sbatch_does(void **state)
{
  char text[HS_DURATION_TEXT];
  (void)state;
  hs_duration_print(900, text);
  assert_string_equal(text, "00:15:00");
  hs_duration_print(93784, text);
  assert_string_equal(text, "1-02:03:04");
  hs_duration_print(INFINITY, text);
  assert_string_equal(text, "UNLIMITED");
}

/* --- lines of sacct -------------------------------------------------------------------------- */

static const char header[] =
    "JobID|Partition|State|Submit|Eligible|Start|Elapsed|Timelimit|AllocCPUS|NNodes|ReqMem|AllocTRES";

/* What a line is under that header. */
static enum hs_record_kind line_read(const char *text, struct hs_record *record)
{
  struct hs_record_columns columns;
  char line[400];
  assert_int_equal(hs_record_columns_read(header, &columns, NULL), HS_OK);
  snprintf(line, sizeof line, "%s", text);
  return hs_record_read(&columns, line, record);
}

#define SUBMITTED "2026-01-01T00:00:00|"
#define ELIGIBLE "2026-01-01T01:00:00|"
#define STARTED "2026-01-01T03:30:00|"

static void a_job_has_wait_and_sizes(void **state)
{
  struct hs_record r;
  (void)state;
  assert_int_equal(line_read("17|medium|COMPLETED|" SUBMITTED ELIGIBLE STARTED
                             "00:10:00|02:00:00|8|2|4G|billing=8,cpu=8,gres/gpu=2,node=2",
                             &r),
                   HS_RECORD_JOB);
  assert_string_equal(r.partition, "medium");
  assert_true(r.wait_s == 9000.0);
  assert_true(r.cpu_hours == 16.0);
  assert_true(r.gb_hours == 8.0);
  assert_true(r.gpus);
}

static void memory_has_units(void **state)
{
  static const struct {
    const char *text;
    double gb_hours;
  } cases[] = {{"2048M", 2}, {"2048", 2},   {"1048576K", 1}, {"1T", 1024},  {"4Gn", 8},  {"4Gc", 32},
               {"512Mc", 4}, {"0.5G", 0.5}, {"1.50G", 1.5},  {"2048Mn", 4}, {"0n", NAN}, {"", NAN},
               {"?", NAN},   {"4Gx", NAN},  {"0", NAN},      {"-3G", NAN}};
  struct hs_record r;
  char line[300];
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    snprintf(line, sizeof line, "17|medium|RUNNING|" SUBMITTED ELIGIBLE STARTED "00:10:00|01:00:00|8|2|%s|",
             cases[k].text);
    assert_int_equal(line_read(line, &r), HS_RECORD_JOB);
    if (isnan(cases[k].gb_hours))
      assert_true(isnan(r.gb_hours));
    else
      assert_true(r.gb_hours == cases[k].gb_hours);
    assert_true(r.cpu_hours == 8.0);
  }
}

static void the_limit_is_the_size_else_the_time_taken(void **state)
{
  static const struct {
    const char *elapsed, *limit;
    double cpu_hours;
  } cases[] = {{"00:30:00", "02:00:00", 8},
               {"00:30:00", "UNLIMITED", INFINITY},
               {"00:30:00", "", 2},
               {"00:30:00", "Partition_Limit", 2},
               {"1-00:00:00", "", 96},
               {"00:30:00", "120", 8},
               {"", "", NAN}};
  struct hs_record r;
  char line[300];
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    snprintf(line, sizeof line, "17|medium|TIMEOUT|" SUBMITTED ELIGIBLE STARTED "%s|%s|4|1||", cases[k].elapsed,
             cases[k].limit);
    assert_int_equal(line_read(line, &r), HS_RECORD_JOB);
    if (isnan(cases[k].cpu_hours))
      assert_true(isnan(r.cpu_hours));
    else
      assert_true(r.cpu_hours == cases[k].cpu_hours);
  }
}

static void what_is_no_started_job_is_told_apart(void **state)
{
  struct hs_record r;
  (void)state;
  assert_int_equal(line_read("17.batch|||" SUBMITTED ELIGIBLE STARTED "00:10:00||8|2||", &r), HS_RECORD_STEP);
  assert_int_equal(line_read("17_3.0|||" SUBMITTED ELIGIBLE STARTED "00:10:00||8|2||", &r), HS_RECORD_STEP);
  assert_int_equal(line_read("17_3|a|COMPLETED|" SUBMITTED ELIGIBLE STARTED "00:10:00|1|8|2||", &r), HS_RECORD_JOB);
  assert_int_equal(line_read("17_[4-10%2]|a|PENDING|" SUBMITTED ELIGIBLE "Unknown|00:00:00|1|8|2||", &r),
                   HS_RECORD_UNSTARTED);
  assert_int_equal(line_read("17|a|PENDING|" SUBMITTED "Unknown|None|00:00:00|1|8|2||", &r), HS_RECORD_UNSTARTED);
  assert_int_equal(line_read("17|a|PENDING|" SUBMITTED ELIGIBLE STARTED "00:00:02|1|8|2||", &r), HS_RECORD_UNSTARTED);
  assert_int_equal(line_read("17|a|CANCELLED by 1000|" SUBMITTED ELIGIBLE STARTED "00:00:00|1|8|2||", &r),
                   HS_RECORD_UNSTARTED);
  assert_int_equal(line_read("17|a|CANCELLED by 1000|" SUBMITTED ELIGIBLE STARTED "00:00:09|1|0|2||", &r),
                   HS_RECORD_UNSTARTED);
  assert_int_equal(line_read("17|a|CANCELLED by 1000|" SUBMITTED ELIGIBLE STARTED "00:00:09|1|8|2||", &r),
                   HS_RECORD_JOB);
  assert_int_equal(line_read("17|a|RUNNING|" SUBMITTED, &r), HS_RECORD_UNREADABLE);
  assert_int_equal(line_read("17|a|RUNNING|" SUBMITTED ELIGIBLE STARTED "00:10:00|1|8|2||x|y", &r),
                   HS_RECORD_UNREADABLE);
  assert_int_equal(line_read("17|a|RUNNING|?|?|" STARTED "00:10:00|1|8|2||", &r), HS_RECORD_UNREADABLE);
  assert_int_equal(line_read("17||RUNNING|" SUBMITTED ELIGIBLE STARTED "00:10:00|1|8|2||", &r), HS_RECORD_UNREADABLE);
}

static void a_wait_begins_when_the_job_is_eligible(void **state)
{
  struct hs_record r;
  (void)state;
  assert_int_equal(line_read("17|a|FAILED|" SUBMITTED "Unknown|" STARTED "00:10:00|1|8|2||", &r), HS_RECORD_JOB);
  assert_true(r.wait_s == 12600.0);
  assert_int_equal(line_read("17|a|FAILED|" SUBMITTED "2026-01-01T04:00:00|" STARTED "00:10:00|1|8|2||", &r),
                   HS_RECORD_JOB);
  assert_true(r.wait_s == 0.0);
  assert_int_equal(line_read("17|a|FAILED|1767225600|1767229200|1767232800|00:10:00|1|8|2||", &r), HS_RECORD_JOB);
  assert_true(r.wait_s == 3600.0);
  assert_int_equal(line_read("17|a|FAILED|" SUBMITTED "2025-12-31T23:00:00|2026-01-01T00:00:10|00:10:00|1|8|2||", &r),
                   HS_RECORD_JOB);
  assert_true(r.wait_s == 3610.0);
}

static void columns_stand_in_any_order_under_several_names(void **state)
{
  struct hs_record_columns columns;
  struct hs_record r;
  struct hs_error err = {0};
  char line[] = "x|16|2026-01-01T01:00:00|2026-01-01T00:00:00|big|60|";
  (void)state;
  assert_int_equal(hs_record_columns_read("JobName|NCPUS|start|Submit|Partition|TimelimitRaw|", &columns, NULL), HS_OK);
  assert_int_equal(hs_record_read(&columns, line, &r), HS_RECORD_JOB);
  assert_string_equal(r.partition, "big");
  assert_true(r.wait_s == 3600.0 && r.cpu_hours == 16.0 && isnan(r.gb_hours) && !r.gpus);
  assert_int_equal(hs_record_columns_read("JobID|Partition|Submit|AllocCPUS|Elapsed", &columns, &err), HS_ERR_CONFIG);
  assert_non_null(strstr(err.text, "no column Start"));
  assert_int_equal(hs_record_columns_read("       JobID    JobName  Partition", &columns, &err), HS_ERR_CONFIG);
}

/* --- waits ----------------------------------------------------------------------------------- */

static void waits_are_means_by_partition_and_size(void **state)
{
  struct hs_waits waits;
  char text[2000];
  (void)state;
  snprintf(text, sizeof text,
           "%s\n"
           "1|medium|COMPLETED|" SUBMITTED ELIGIBLE STARTED "00:10:00|01:00:00|2|1||\n"
           "2|medium|COMPLETED|" SUBMITTED SUBMITTED ELIGIBLE "00:10:00|01:00:00|3|1||\r\n"
           "3|medium|COMPLETED|" SUBMITTED SUBMITTED ELIGIBLE "00:10:00|01:00:00|4|1||\n"
           "\n"
           "4|medium|COMPLETED|" SUBMITTED SUBMITTED ELIGIBLE "00:10:00|04:00:00|16|1||\n"
           "4.batch|medium|COMPLETED|" SUBMITTED SUBMITTED ELIGIBLE "00:10:00||16|1||\n"
           "5|big|COMPLETED|" SUBMITTED SUBMITTED ELIGIBLE "00:10:00|UNLIMITED|1|1||\n"
           "6|idle|PENDING|" SUBMITTED SUBMITTED "Unknown|00:00:00|1|1|1||\n"
           "7|idle,big|PENDING|" SUBMITTED SUBMITTED "Unknown|00:00:00|1|1|1||\n"
           "8|big|COMPLETED|" SUBMITTED SUBMITTED ELIGIBLE "||1|1||\n"
           "9|big|COMPL",
           header);
  hs_waits_begin(&waits, false, 4.0, 4.0);
  assert_int_equal(hs_waits_read(&waits, text, NULL), HS_OK);
  assert_int_equal(waits.count, 3);
  assert_string_equal(waits.row[0].name, "big");
  assert_string_equal(waits.row[1].name, "idle");
  assert_string_equal(waits.row[2].name, "medium");
  assert_int_equal(waits.row[2].of[0].jobs, 2);
  assert_true(hs_wait_mean_s(&waits.row[2].of[0]) == (9000.0 + 3600.0) / 2.0);
  assert_int_equal(waits.row[2].of[1].jobs, 1);
  assert_int_equal(waits.row[2].of[2].jobs, 0);
  assert_true(isnan(hs_wait_mean_s(&waits.row[2].of[2])));
  assert_int_equal(waits.row[2].of[3].jobs, 1);
  assert_int_equal(waits.row[0].of[3].jobs, 1);
  assert_true(waits.jobs == 5 && waits.steps == 1 && waits.unstarted == 2 && waits.unreadable == 1 &&
              waits.unsized == 1);
  assert_ptr_equal(hs_waits_find(&waits, "big"), &waits.row[0]);
  assert_null(hs_waits_find(&waits, "bi"));
  hs_waits_clear(&waits);
}

static void classes_have_bounds(void **state)
{
  struct hs_waits waits;
  (void)state;
  hs_waits_begin(&waits, true, 10.0, 5.0);
  assert_true(waits.bound[0] == 10.0 && waits.bound[1] == 50.0 && waits.bound[2] == 250.0);
  assert_int_equal(hs_waits_class(&waits, 9.99), 0);
  assert_int_equal(hs_waits_class(&waits, 10.0), 1);
  assert_int_equal(hs_waits_class(&waits, 50.0), 2);
  assert_int_equal(hs_waits_class(&waits, 250.0), 3);
  assert_int_equal(hs_waits_class(&waits, INFINITY), 3);
}

static void an_output_without_a_first_line_is_refused(void **state)
{
  struct hs_waits waits;
  struct hs_error err = {0};
  char nothing[] = "", other[] = "# a text\n";
  (void)state;
  hs_waits_begin(&waits, false, 4.0, 4.0);
  assert_int_equal(hs_waits_read(&waits, nothing, &err), HS_ERR_CONFIG);
  assert_int_equal(hs_waits_read(&waits, NULL, &err), HS_ERR_CONFIG);
  assert_int_equal(hs_waits_read(&waits, other, &err), HS_ERR_CONFIG);
  hs_waits_clear(&waits);
}

/* --- partitions ------------------------------------------------------------------------------ */

static void partitions_are_read_from_sinfo(void **state)
{
  struct hs_slurm_partitions p;
  (void)state;
  assert_int_equal(hs_slurm_partitions_read(
                       "short*|1:00:00|(null)|8\nlong|7-00:00:00|(null)|128\nlong|7-00:00:00|gpu:a100:4(S:0)|64+\n"
                       "all|infinite|nic,gpu:1\n\nx",
                       &p, NULL),
                   HS_OK);
  assert_int_equal(p.count, 4);
  assert_ptr_equal(hs_slurm_partitions_find(&p, NULL), &p.partition[0]);
  assert_true(p.partition[0].limit_s == 3600.0 && !p.partition[0].gpus);
  assert_true(p.partition[1].limit_s == 604800.0 && p.partition[1].gpus);
  assert_true(isinf(hs_slurm_partitions_find(&p, "all")->limit_s) && p.partition[2].gpus);
  assert_true(p.partition[0].cpus == 8 && p.partition[1].cpus == 64 && p.partition[2].cpus == INT_MAX);
  assert_null(hs_slurm_partitions_find(&p, "lon"));
  hs_slurm_partitions_clear(&p);
}

/* --- scripts --------------------------------------------------------------------------------- */

static void scripts_quote_what_users_wrote(void **state)
{
  static const char *const sets[] = {"output.title=it's 5 %", "solver.method=jacobi"};
  static const char *const more[] = {"--account=abc"};
  const struct hs_slurm_job job = {.about = "one\n\ntwo",
                                   .name = "a \"b\"",
                                   .nodes = 2,
                                   .ranks_per_node = 3,
                                   .cpus_per_rank = 4,
                                   .gpus_per_node = 1,
                                   .partition = "gpu",
                                   .limit_s = 61.0,
                                   .signal_s = 20,
                                   .more = more,
                                   .more_count = 1,
                                   .heatsolve = "/bin/heatsolve",
                                   .config = "/a b/$c.ini",
                                   .output = "/out 100%/d",
                                   .log = "/out 100%/d\\job.log",
                                   .sets = sets,
                                   .set_count = 2};
  static const char *const has[] = {
      "#!/bin/bash\n# one\n#\n# two\n#\n#SBATCH --job-name=\"a \\\"b\\\"\"\n",
      "\n#SBATCH --partition=gpu\n",
      "\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=3\n#SBATCH --cpus-per-task=4\n",
      "\n#SBATCH --gres=gpu:1\n#SBATCH --time=00:02:00\n#SBATCH --account=abc\n",
      "\n#SBATCH --output=\"/out 100%%/d\\\\job.log\"\n",
      "\n#SBATCH --signal=B:USR1@20\n",
      "\nheatsolve=/bin/heatsolve\noutput='/out 100%/d'\n",
      ("\nrun=('/a b/$c.ini' --output \"$output\" --set 'output.title=it'\\''s 5 %' --set "
       "solver.method=jacobi)\n"),
      "\nlaunch=(srun --mpi=pmix "};
  char *script = hs_slurm_script(&job, NULL);
  (void)state;
  assert_non_null(script);
  for (size_t k = 0; k < sizeof has / sizeof *has; k++)
    if (!strstr(script, has[k])) fail_msg("the script has no %s:\n%s", has[k], script);
  assert_null(strstr(script, "nomultithread"));
  free(script);
}

/* --- calls ----------------------------------------------------------------------------------- */

static void a_call_keeps_what_a_command_prints(void **state)
{
  const char *const command[] = {"sh", "-c",
                                 "head -c 300000 /dev/zero | tr '\\0' x; echo no >&2; echo more >&2; exit 3", NULL};
  struct hs_call call;
  (void)state;
  assert_int_equal(hs_call_run(command, 20.0, &call, NULL), HS_OK);
  assert_int_equal(call.exit_code, 3);
  assert_int_equal(call.out.size, 300000);
  assert_string_equal(hs_call_reason(&call), "no");
  hs_call_clear(&call);
}

/* So does what the command has started. */
static void a_call_ends_in_time(void **state)
{
  char folder[] = "/tmp/heatsolve-slurm-XXXXXX", late[64], script[160];
  const char *const command[] = {"sh", "-c", script, NULL};
  const struct timespec second = {1, 0};
  struct hs_error err = {0};
  struct hs_call call;
  const double start_s = hs_time_s();
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(late, sizeof late, "%s/late", folder);
  snprintf(script, sizeof script, "(sleep 0.7; echo >%s) & sleep 30", late);
  assert_int_equal(hs_call_run(command, 0.2, &call, &err), HS_ERR_IO);
  assert_non_null(strstr(err.text, "sh gave no answer"));
  assert_true(hs_time_s() - start_s < 10.0);
  hs_call_clear(&call);
  nanosleep(&second, NULL);
  assert_int_equal(access(late, F_OK), -1);
  assert_int_equal(rmdir(folder), 0);
}

static void a_command_that_is_not_there_is_told(void **state)
{
  const char *const command[] = {"heatsolve-has-no-such-command", NULL};
  struct hs_error err = {0};
  struct hs_call call;
  (void)state;
  assert_int_equal(hs_call_run(command, 5.0, &call, &err), HS_ERR_IO);
  assert_non_null(strstr(err.text, "Slurm is not installed"));
  hs_call_clear(&call);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(durations_are_read_as_sbatch_does),
      cmocka_unit_test(durations_are_printed_as_sbatch_does),
      cmocka_unit_test(a_job_has_wait_and_sizes),
      cmocka_unit_test(memory_has_units),
      cmocka_unit_test(the_limit_is_the_size_else_the_time_taken),
      cmocka_unit_test(what_is_no_started_job_is_told_apart),
      cmocka_unit_test(a_wait_begins_when_the_job_is_eligible),
      cmocka_unit_test(columns_stand_in_any_order_under_several_names),
      cmocka_unit_test(waits_are_means_by_partition_and_size),
      cmocka_unit_test(classes_have_bounds),
      cmocka_unit_test(an_output_without_a_first_line_is_refused),
      cmocka_unit_test(partitions_are_read_from_sinfo),
      cmocka_unit_test(scripts_quote_what_users_wrote),
      cmocka_unit_test(a_call_keeps_what_a_command_prints),
      cmocka_unit_test(a_call_ends_in_time),
      cmocka_unit_test(a_command_that_is_not_there_is_told),
  };
  return cmocka_run_group_tests_name("slurm", tests, NULL, NULL);
}
