/* What the hardware allows for k-hop counting: plain loops over a CSR in memory, one thread.
 *
 * usage: khop DIR THRESHOLD RUNS      DIR holds offsets.u64 (n+1), targets.u32 (m, sorted within a vertex), ts.i64 (m)
 * Prints a JSON line per query: count, and CPU seconds (median and minimum of RUNS).
 *
 * A count needs no enumeration: paths of length k from v are the sum over its neighbours of paths of length k-1.
 * walks: edges may repeat. trails: openCypher's, relationships of a pattern differ; without self loops and parallel edges
 * the only walk of length 3 that is no trail is a->b->a->b, one for each edge with a reverse edge. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t n, m;
static uint64_t *offsets;
static uint32_t *targets;
static int64_t *ts;
static int64_t threshold;
static uint64_t *one, *two; /* paths of length 1 and 2 from each vertex */

static void *read_all(const char *dir, const char *name, size_t *bytes) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "rb");
    if (!f) { perror(path); exit(1); }
    fseek(f, 0, SEEK_END);
    *bytes = (size_t)ftell(f);
    rewind(f);
    void *p = aligned_alloc(2 << 20, (*bytes + (2 << 20)) & ~(size_t)((2 << 20) - 1));
    if (!p || fread(p, 1, *bytes, f) != *bytes) { perror(path); exit(1); }
    fclose(f);
    return p;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static uint64_t last_hop(uint64_t *to, int filter) {
    uint64_t total = 0;
    for (uint64_t v = 0; v < n; v++) {
        uint64_t c = offsets[v + 1] - offsets[v];
        if (filter) {
            c = 0;
            for (uint64_t e = offsets[v]; e < offsets[v + 1]; e++) c += ts[e] > threshold;
        }
        to[v] = c;
        total += c;
    }
    return total;
}
static uint64_t hop_before(const uint64_t *from, uint64_t *to) {
    uint64_t total = 0;
    for (uint64_t v = 0; v < n; v++) {
        uint64_t c = 0;
        for (uint64_t e = offsets[v]; e < offsets[v + 1]; e++) c += from[targets[e]];
        if (to) to[v] = c;
        total += c;
    }
    return total;
}
static uint64_t there_and_back(int filter) {
    uint64_t total = 0;
    for (uint64_t v = 0; v < n; v++)
        for (uint64_t e = offsets[v]; e < offsets[v + 1]; e++) {
            if (filter && !(ts[e] > threshold)) continue;
            uint32_t b = targets[e];
            uint64_t low = offsets[b], high = offsets[b + 1];
            while (low < high) {
                uint64_t mid = (low + high) / 2;
                if (targets[mid] < v) low = mid + 1; else high = mid;
            }
            total += low < offsets[b + 1] && targets[low] == v;
        }
    return total;
}

static uint64_t query(int hops, int filter, int trail) {
    uint64_t total;
    if (hops == 1 && !filter) return m;
    if (hops == 1) {
        total = 0;
        for (uint64_t e = 0; e < m; e++) total += ts[e] > threshold;
        return total;
    }
    last_hop(one, filter);
    total = hop_before(one, hops == 3 ? two : NULL);
    if (hops == 3) total = hop_before(two, NULL);
    return trail ? total - there_and_back(filter) : total;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv) {
    if (argc != 4) { fprintf(stderr, "usage: khop DIR THRESHOLD RUNS\n"); return 2; }
    size_t bytes;
    offsets = read_all(argv[1], "offsets.u64", &bytes);
    n = bytes / 8 - 1;
    targets = read_all(argv[1], "targets.u32", &bytes);
    m = bytes / 4;
    ts = read_all(argv[1], "ts.i64", &bytes);
    threshold = atoll(argv[2]);
    int runs = atoi(argv[3]);
    one = malloc(n * 8);
    two = malloc(n * 8);
    double *seconds = malloc(sizeof *seconds * (size_t)runs);
    for (int hops = 1; hops <= 3; hops++)
        for (int filter = 0; filter < 2; filter++)
            for (int trail = 0; trail < (hops == 3 ? 2 : 1); trail++) {
                volatile uint64_t count = 0;
                for (int r = 0; r < runs; r++) {
                    double start = now();
                    count = query(hops, filter, trail);
                    seconds[r] = now() - start;
                }
                qsort(seconds, (size_t)runs, sizeof *seconds, ascending);
                printf("{\"query\": \"%d-hop%s%s\", \"count\": %llu, \"cpu\": %.9f, \"cpu_min\": %.9f}\n", hops,
                       hops == 3 ? (trail ? " trail" : " walk") : "", filter ? " filter" : "",
                       (unsigned long long)count, seconds[runs / 2], seconds[0]);
            }
    return 0;
}
