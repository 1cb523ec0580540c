// MuJoCo on the stick-slip workload (see ../src/stick_slip.rs): a question is a step (s) and an integrator (0 Euler, 1 RK4,
// 2 implicit, 3 implicitfast); the answer is the CPU time of a step (s), then the position at every 50 ms of 40 s.
#include <mujoco/mujoco.h>

#include <math.h>
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
    double step;
    int integrator;
    static double rows[801];
    while (scanf("%lf %d", &step, &integrator) == 2 && step > 0) {
        m->opt.timestep = step;
        m->opt.integrator = integrator;
        mj_resetData(m, d);
        const int every = (int)lround(0.05 / step), steps = 800 * every;
        rows[0] = 0;
        const double start = cpu_time();
        for (int k = 1; k <= steps; k++) {
            d->qfrc_applied[0] = 2.0 * (0.1 * d->time - d->qpos[0]);
            mj_step(m, d);
            if (k % every == 0) rows[k / every] = d->qpos[0];
        }
        printf("%.9e", (cpu_time() - start) / steps);
        for (int k = 0; k <= 800; k++) printf(" %.9e", rows[k]);
        printf("\n");
        fflush(stdout);
    }
}
