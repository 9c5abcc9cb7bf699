/* The watch over the ranks: connections to rank 0, and a thread on each rank that sees them close. */
#include "comm/watch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "comm/transport.h"

enum { SENTENCE = 1024, ADDRESSES = 16, CONNECT_MS = 5000, ORDER_MS = 2000, AGREED_MS = 300 };

/* What is said over a connection. */
enum word { WORD_HERE = 1, WORD_FAIL, WORD_EXIT, WORD_BYE };

struct notice {
  uint64_t token; /* of the job: strangers are not listened to */
  int32_t word, rank, exit_code;
  char host[64];
  char sentence[SENTENCE];
};

/* Where rank 0 listens; sent to all by the transport. */
struct meeting {
  uint64_t token;
  uint32_t address[ADDRESSES]; /* IPv4, network order */
  int32_t count, port;
  char host[64];
};

struct watch_peer {
  int fd;    /* -1: closed */
  bool gone; /* said goodbye */
  char host[64];
};

struct hs_watch {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  double wait_s; /* for those who have to come */
  int ranks, rank;
  uint64_t token;
  char host[64];
  int wake[2];              /* a pipe: this rank's own notices to its thread */
  struct watch_peer *peers; /* rank 0: [ranks], of which 0 is unused; others: [1], rank 0 */
  struct pollfd *polled;    /* [peer_count + 1] the thread's */
  int peer_count;
  bool joined;
};

/* --- ends ------------------------------------------------------------------------------------ */

/* mpirun reads what a rank says from a pipe, and throws away what it has not read when it ends the job: wait for it. */
static void say(const char *sentence)
{
  char text[SENTENCE + 32];
  const int length = snprintf(text, sizeof text, "%sheatsolve: %s\n", isatty(2) ? "\n" : "", sentence);
  struct stat stream;
  int unread = 0;
  if (write(2, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1) < 0) return;
  if (fstat(2, &stream) || !S_ISFIFO(stream.st_mode)) return;
  for (int ms = 0; ms < ORDER_MS && !ioctl(2, FIONREAD, &unread) && unread > 0; ms += 10) (void)poll(NULL, 0, 10);
}

_Noreturn static void say_and_exit(int exit_code, const char *sentence)
{
  say(sentence);
  _exit(exit_code);
}

static bool notice_send(int fd, const struct notice *notice)
{
  return send(fd, notice, sizeof *notice, MSG_NOSIGNAL) == (ssize_t)sizeof *notice;
}

/* Rank 0: the sentence is printed, since a launcher may end this rank as soon as another one has exited; then all others are told
 * to exit, and get some time for it. */
_Noreturn static void all_exit(struct hs_watch *watch, int exit_code, const char *sentence)
{
  const struct notice order = {.token = watch->token, .word = WORD_EXIT, .exit_code = exit_code};
  say(sentence);
  for (int k = 1; k < watch->peer_count; k++)
    if (watch->peers[k].fd >= 0) (void)notice_send(watch->peers[k].fd, &order);
  for (int k = 1; k < watch->peer_count; k++) {
    struct pollfd end = {watch->peers[k].fd, POLLRDHUP, 0};
    if (end.fd >= 0) (void)poll(&end, 1, ORDER_MS / 4);
  }
  _exit(exit_code);
}

static void died(struct hs_watch *watch, int rank, const char *host)
{
  char sentence[SENTENCE];
  snprintf(sentence, sizeof sentence,
           "rank %d of %d, on %s, has died, and the other ranks have stopped; was it killed, or out of memory? What "
           "was saved is still there: --restart goes on from the last checkpoint",
           rank, watch->ranks, host);
  if (watch->rank == 0) all_exit(watch, HS_EXIT_IO, sentence);
  if (watch->rank == 1) say_and_exit(HS_EXIT_IO, sentence); /* for all who see that rank 0 is gone */
  (void)poll(NULL, 0, ORDER_MS / 4);
  _exit(HS_EXIT_IO);
}

/* The ranks agree on most failures: where rank 0 is about to tell of it, its run has freed the folder, too. */
static void failed(struct hs_watch *watch, const struct notice *notice)
{
  char sentence[SENTENCE];
  struct pollfd woken = {watch->wake[0], POLLIN, 0};
  struct notice own;
  if (watch->rank != 0) _exit(notice->exit_code);
  if (notice->rank != 0 && poll(&woken, 1, AGREED_MS) > 0 &&
      read(watch->wake[0], &own, sizeof own) == (ssize_t)sizeof own && own.word == WORD_FAIL)
    notice = &own;
  if (notice->rank == 0) all_exit(watch, notice->exit_code, notice->sentence);
  snprintf(sentence, sizeof sentence, "rank %d of %d, on %s: %.900s", notice->rank, watch->ranks, notice->host,
           notice->sentence);
  all_exit(watch, notice->exit_code, sentence);
}

/* --- the thread ------------------------------------------------------------------------------ */

/* A notice, or the end, of a connection. */
static void peer_hear(struct hs_watch *watch, int k)
{
  struct watch_peer *peer = &watch->peers[k];
  struct notice notice = {0};
  const ssize_t got = recv(peer->fd, &notice, sizeof notice, MSG_WAITALL);
  if (got < 0 && errno == EINTR) return;
  if (got == (ssize_t)sizeof notice && notice.token == watch->token) {
    notice.host[sizeof notice.host - 1] = notice.sentence[sizeof notice.sentence - 1] = '\0';
    if (notice.word == WORD_BYE) peer->gone = true;
    if (notice.word == WORD_FAIL || notice.word == WORD_EXIT) failed(watch, &notice);
    return;
  }
  if (!peer->gone) died(watch, watch->rank == 0 ? k : 0, peer->host);
  close(peer->fd);
  peer->fd = -1;
}

/* This rank's own notices. true: the watch is over. */
static bool own_hear(struct hs_watch *watch)
{
  struct notice notice;
  if (read(watch->wake[0], &notice, sizeof notice) != (ssize_t)sizeof notice) return false;
  if (notice.word == WORD_FAIL && watch->rank == 0) failed(watch, &notice);
  for (int k = 0; k < watch->peer_count; k++)
    if (watch->peers[k].fd >= 0) (void)notice_send(watch->peers[k].fd, &notice);
  return notice.word == WORD_BYE;
}

static bool all_gone(const struct hs_watch *watch)
{
  for (int k = watch->rank == 0 ? 1 : 0; k < watch->peer_count; k++)
    if (!watch->peers[k].gone) return false;
  return true;
}

static void watch_connections(struct hs_watch *watch)
{
  struct pollfd *polled = watch->polled;
  bool over = false;
  while (!over || !all_gone(watch)) {
    for (int k = 0; k < watch->peer_count; k++) polled[k] = (struct pollfd){watch->peers[k].fd, POLLIN, 0};
    polled[watch->peer_count] = (struct pollfd){watch->wake[0], POLLIN, 0};
    if (poll(polled, (nfds_t)watch->peer_count + 1, -1) < 0) continue;
    for (int k = 0; k < watch->peer_count; k++)
      if (polled[k].revents) peer_hear(watch, k);
    if (polled[watch->peer_count].revents) over = own_hear(watch) || over;
  }
}

static void *watch_run(void *context)
{
  struct hs_watch *watch = context;
  char sentence[SENTENCE];
  double left_s = watch->wait_s;
  (void)pthread_mutex_lock(&watch->lock);
  while (!watch->joined && left_s > 0.0) { /* second by second: while the job is suspended, none goes by */
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    if (pthread_cond_timedwait(&watch->changed, &watch->lock, &until) == ETIMEDOUT) left_s -= 1.0;
  }
  (void)pthread_mutex_unlock(&watch->lock);
  if (!watch->joined) {
    snprintf(sentence, sizeof sentence,
             "%d ranks were started, and after %g s some of them had not come: does `mpirun hostname` print so many "
             "lines? (srun needs --mpi=pmix)",
             watch->ranks, watch->wait_s);
    say_and_exit(HS_EXIT_IO, sentence);
  }
  watch_connections(watch);
  return NULL;
}

/* --- meeting --------------------------------------------------------------------------------- */

/* A machine that is gone closes nothing: probes find it within some seconds. */
static void connection_tune(int fd)
{
  const int on = 1, idle_s = 2, interval_s = 1, count = 4;
  const unsigned unheard_ms = 6000;
  (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof interval_s);
  (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
  (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unheard_ms, sizeof unheard_ms);
  (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Addresses by which other machines may know this one. */
static void addresses_find(struct meeting *meeting)
{
  struct ifaddrs *all = NULL;
  if (getifaddrs(&all)) return;
  for (struct ifaddrs *a = all; a && meeting->count < ADDRESSES; a = a->ifa_next) {
    const bool usable = (a->ifa_flags & (IFF_UP | IFF_LOOPBACK)) == IFF_UP;
    if (!usable || !a->ifa_addr || a->ifa_addr->sa_family != AF_INET) continue;
    meeting->address[meeting->count++] = ((struct sockaddr_in *)(void *)a->ifa_addr)->sin_addr.s_addr;
  }
  freeifaddrs(all);
}

static hs_status socket_fail(const char *doing, struct hs_error *err)
{
  return hs_error_set(err, HS_ERR_IO, "the ranks cannot watch each other: %s failed: %s", doing, strerror(errno));
}

static hs_status listen_begin(struct hs_watch *watch, struct meeting *meeting, int *listener, struct hs_error *err)
{
  struct sockaddr_in any = {.sin_family = AF_INET};
  socklen_t length = sizeof any;
  if (getrandom(&meeting->token, sizeof meeting->token, 0) != (ssize_t)sizeof meeting->token)
    meeting->token = (uint64_t)getpid() * 0x9e3779b97f4a7c15ULL ^ (uint64_t)time(NULL);
  *listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (*listener < 0 || bind(*listener, (struct sockaddr *)&any, sizeof any) || listen(*listener, watch->ranks) ||
      getsockname(*listener, (struct sockaddr *)&any, &length))
    return socket_fail("listening", err);
  meeting->port = any.sin_port;
  memcpy(meeting->host, watch->host, sizeof meeting->host);
  addresses_find(meeting);
  return HS_OK;
}

/* Rank 0 waits until all others have said that they are here; the thread ends the wait if it takes too long. */
static hs_status listen_all(struct hs_watch *watch, int listener, struct hs_error *err)
{
  for (int come = 1; come < watch->ranks;) {
    struct notice notice;
    const int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    const struct timeval patience = {CONNECT_MS / 1000, 0}, none = {0, 0};
    if (fd < 0 && errno == EINTR) continue;
    if (fd < 0) return socket_fail("accept", err);
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (recv(fd, &notice, sizeof notice, MSG_WAITALL) != (ssize_t)sizeof notice || notice.token != watch->token ||
        notice.word != WORD_HERE || notice.rank < 1 || notice.rank >= watch->ranks ||
        watch->peers[notice.rank].fd >= 0) {
      close(fd);
      continue;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
    connection_tune(fd);
    watch->peers[notice.rank].fd = fd;
    notice.host[sizeof notice.host - 1] = '\0';
    memcpy(watch->peers[notice.rank].host, notice.host, sizeof notice.host);
    come++;
  }
  return HS_OK;
}

static int connect_to(uint32_t address, int port)
{
  const struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = (in_port_t)port, .sin_addr = {.s_addr = address}};
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const struct timeval patience = {CONNECT_MS / 1000, 0}, none = {0, 0};
  if (fd < 0) return -1;
  (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(fd, (const struct sockaddr *)&to, sizeof to)) {
    close(fd);
    return -1;
  }
  (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none);
  connection_tune(fd);
  return fd;
}

static hs_status connect_first(struct hs_watch *watch, const struct meeting *meeting, struct hs_error *err)
{
  struct notice here = {.token = watch->token, .word = WORD_HERE, .rank = watch->rank};
  struct watch_peer *first = &watch->peers[0];
  if (!strcmp(meeting->host, watch->host)) first->fd = connect_to(htonl(INADDR_LOOPBACK), meeting->port);
  for (int k = 0; first->fd < 0 && k < meeting->count; k++) first->fd = connect_to(meeting->address[k], meeting->port);
  if (first->fd < 0)
    return hs_error_set(err, HS_ERR_IO,
                        "the ranks cannot watch each other: %s cannot be reached from %s by TCP (%s); is a firewall "
                        "between the nodes?",
                        meeting->host, watch->host, strerror(errno));
  memcpy(first->host, meeting->host, sizeof first->host);
  memcpy(here.host, watch->host, sizeof here.host);
  return notice_send(first->fd, &here) ? HS_OK : socket_fail("sending", err);
}

hs_status hs_watch_join(struct hs_watch *watch, struct hs_comm *comm, struct hs_error *err)
{
  struct meeting meeting = {0};
  int listener = -1;
  hs_status status = HS_OK;
  watch->rank = comm->rank;
  watch->ranks = comm->size;
  memcpy(watch->host, comm->host, sizeof watch->host);
  watch->peer_count = comm->rank == 0 ? comm->size : 1;
  watch->peers = calloc((size_t)watch->peer_count, sizeof *watch->peers);
  watch->polled = calloc((size_t)watch->peer_count + 1, sizeof *watch->polled);
  if (!watch->peers || !watch->polled) return hs_error_set(err, HS_ERR_MEMORY, "no memory is left to watch the ranks");
  for (int k = 0; k < watch->peer_count; k++) watch->peers[k].fd = -1;
  if (comm->rank == 0) {
    watch->peers[0].gone = true;
    status = listen_begin(watch, &meeting, &listener, err);
  }
  if (!status) status = comm->transport->broadcast(comm, 0, &meeting, sizeof meeting, err);
  watch->token = meeting.token;
  if (!status) status = comm->rank == 0 ? listen_all(watch, listener, err) : connect_first(watch, &meeting, err);
  if (listener >= 0) close(listener);
  if (status) return status;
  (void)pthread_mutex_lock(&watch->lock);
  watch->joined = true;
  (void)pthread_cond_signal(&watch->changed);
  (void)pthread_mutex_unlock(&watch->lock);
  return HS_OK;
}

hs_status hs_watch_start(double wait_s, int ranks, struct hs_watch **watch, struct hs_error *err)
{
  struct hs_watch *w = calloc(1, sizeof *w);
  sigset_t all, before;
  bool started;
  if (!w) return hs_error_set(err, HS_ERR_MEMORY, "no memory is left to watch the ranks");
  *w = (struct hs_watch){
      .wait_s = wait_s, .ranks = ranks, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the run's own thread */
  started = !pipe2(w->wake, O_CLOEXEC) && !pthread_create(&w->thread, NULL, watch_run, w);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!started) {
    free(w);
    return hs_error_set(err, HS_ERR_IO, "no thread can be started to watch the ranks");
  }
  *watch = w;
  return HS_OK;
}

/* --- from the run's own thread --------------------------------------------------------------- */

/* false: the thread cannot be told. */
static bool notice_own(struct hs_watch *watch, struct notice notice)
{
  notice.token = watch->token;
  notice.rank = watch->rank;
  memcpy(notice.host, watch->host, sizeof notice.host);
  return write(watch->wake[1], &notice, sizeof notice) ==
         (ssize_t)sizeof notice; /* smaller than PIPE_BUF: whole or not at all */
}

void hs_watch_fail(struct hs_watch *watch, int exit_code, const char *sentence)
{
  struct notice notice = {.word = WORD_FAIL, .exit_code = exit_code};
  snprintf(notice.sentence, sizeof notice.sentence, "%s", sentence);
  if (!notice_own(watch, notice)) say_and_exit(exit_code, sentence);
  for (;;) (void)pause(); /* the thread ends the process when rank 0 says so, or is gone */
}

void hs_watch_stop(struct hs_watch *watch)
{
  (void)notice_own(watch, (struct notice){.word = WORD_BYE});
  (void)pthread_join(watch->thread, NULL);
  for (int k = 0; k < watch->peer_count; k++)
    if (watch->peers[k].fd >= 0) close(watch->peers[k].fd);
  close(watch->wake[0]);
  close(watch->wake[1]);
  free(watch->polled);
  free(watch->peers);
  free(watch);
}
