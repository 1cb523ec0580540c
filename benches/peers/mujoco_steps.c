// MuJoCo over time as a peer (see ../src/peer.rs): a question is a number of steps from the initial state; the answer is
// the CPU time of a step.
#include <mujoco/mujoco.h>

#include <stdio.h>
#include <time.h>

static double cpu_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int count, char** arguments) {
    char path[4096], error[1000] = "";
    if (count < 2) return 2;
    snprintf(path, sizeof path, "%s.mjcf.xml", arguments[1]);
    mjModel* m = mj_loadXML(path, NULL, error, sizeof error);
    if (!m) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    mjData* d = mj_makeData(m);
    int steps;
    while (scanf("%d", &steps) == 1 && steps > 0) {
        mj_resetData(m, d);
        const double start = cpu_time();
        for (int k = 0; k < steps; k++) mj_step(m, d);
        printf("%.9e\n", (cpu_time() - start) / steps);
        fflush(stdout);
    }
}
