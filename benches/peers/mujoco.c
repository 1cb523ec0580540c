// MuJoCo as a peer (see ../src/peer.rs): only the stages that each answer needs, without collisions and constraints.
#include <mujoco/mujoco.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_STATES = 4096 };

static double cpu_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A state of the file; its free joint has the quaternion x y z w and the linear velocity in the body frame.
static void load(const mjModel* m, mjData* d, const double* s) {
    const int nq = m->nq, nv = m->nv;
    memcpy(d->qpos, s, sizeof(double) * nq);
    memcpy(d->qvel, s + nq, sizeof(double) * nv);
    memcpy(d->qacc, s + nq + nv, sizeof(double) * nv);
    memcpy(d->qfrc_applied, s + nq + 2 * nv, sizeof(double) * nv);
    if (nq != nv) {
        mjtNum rotation[9];
        d->qpos[3] = s[6];
        memcpy(d->qpos + 4, s + 3, sizeof(double) * 3);
        mju_quat2Mat(rotation, d->qpos + 3);
        mju_mulMatVec3(d->qvel, rotation, s + nq);
    }
}

static void rnea(const mjModel* m, mjData* d, mjtNum* out) {
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 1, out);
}

static void crba(const mjModel* m, mjData* d, mjtNum* out) {
    (void)out;
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_makeM(m, d);
}

// MuJoCo has no articulated bodies: factored mass matrix and bias forces.
static void aba(const mjModel* m, mjData* d, mjtNum* out) {
    crba(m, d, out);
    mj_factorM(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 0, out);
    for (int i = 0; i < m->nv; i++) out[i] = d->qfrc_applied[i] - out[i];
    mj_solveM(m, d, d->qacc, out, 1);
}

int main(int count, char** arguments) {
    char path[4096], error[1000] = "", algorithm[64];
    if (count < 2) return 2;
    snprintf(path, sizeof path, "%s.mjcf.xml", arguments[1]);
    mjModel* m = mj_loadXML(path, NULL, error, sizeof error);
    if (!m) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    mjData* d = mj_makeData(m);
    const int width = m->nq + 3 * m->nv;
    double* states = malloc(sizeof(double) * width * MAX_STATES);
    mjtNum* out = malloc(sizeof(mjtNum) * m->nv);
    snprintf(path, sizeof path, "%s.states.txt", arguments[1]);
    FILE* file = fopen(path, "r");
    if (!file || !states || !out) return 1;
    int values = 0;
    while (values < width * MAX_STATES && fscanf(file, "%lf", states + values) == 1) values++;
    fclose(file);
    const int sets = values / width;
    while (scanf("%63s", algorithm) == 1) {
        void (*call)(const mjModel*, mjData*, mjtNum*) = crba;
        if (strcmp(algorithm, "rnea") == 0) call = rnea;
        if (strcmp(algorithm, "aba") == 0) call = aba;
        double start = 0;
        // The first sweep, outside of the timing, brings the model back into the cache.
        for (int sweep = 0; sweep < 2; sweep++) {
            start = cpu_time();
            for (int k = 0; k < sets; k++) {
                load(m, d, states + (size_t)k * width);
                call(m, d, out);
            }
        }
        printf("%.9e\n", (cpu_time() - start) / sets);
        fflush(stdout);
    }
}
