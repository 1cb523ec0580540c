// Pinocchio as a peer (see ../src/peer.rs): its fastest convention of each algorithm.
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

using namespace pinocchio;

namespace {

double cpu_time() {
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

JointModel joint_model(const std::string& kind, const Eigen::Vector3d& axis) {
    if (kind == "free") return JointModelFreeFlyer();
    const bool turns = kind == "rev";
    if (axis == Eigen::Vector3d::UnitX()) return turns ? JointModel(JointModelRX()) : JointModel(JointModelPX());
    if (axis == Eigen::Vector3d::UnitY()) return turns ? JointModel(JointModelRY()) : JointModel(JointModelPY());
    if (axis == Eigen::Vector3d::UnitZ()) return turns ? JointModel(JointModelRZ()) : JointModel(JointModelPZ());
    return turns ? JointModel(JointModelRevoluteUnaligned(axis)) : JointModel(JointModelPrismaticUnaligned(axis));
}

Model read_model(const std::string& path) {
    Model model;
    std::ifstream file(path);
    std::string word, kind;
    int count, index, parent;
    file >> word >> count;
    while (file >> word >> index >> parent >> kind) {
        double x[25];
        for (double& value : x) file >> value;
        Eigen::Matrix3d rotation, inertia;
        rotation << x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11];
        inertia << x[19], x[20], x[21], x[20], x[22], x[23], x[21], x[23], x[24];
        const Eigen::Vector3d axis(x[0], x[1], x[2]), position(x[12], x[13], x[14]), centre(x[16], x[17], x[18]);
        const auto id =
            model.addJoint(parent + 1, joint_model(kind, axis), SE3(rotation, position), std::to_string(index));
        model.appendBodyToJoint(id, Inertia(x[15], centre, inertia), SE3::Identity());
    }
    return model;
}

struct State {
    Eigen::VectorXd q, v, a, tau;
};

std::vector<State> read_states(const std::string& path, const Model& model) {
    std::vector<State> states;
    std::ifstream file(path);
    State s{Eigen::VectorXd(model.nq), Eigen::VectorXd(model.nv), Eigen::VectorXd(model.nv), Eigen::VectorXd(model.nv)};
    for (;;) {
        for (Eigen::VectorXd* part : {&s.q, &s.v, &s.a, &s.tau})
            for (double& value : *part)
                if (!(file >> value)) return states;
        states.push_back(s);
    }
}

}  // namespace

int main(int, char** arguments) {
    const std::string path = arguments[1];
    const Model model = read_model(path + ".mbm");
    Data data(model);
    const std::vector<State> states = read_states(path + ".states.txt", model);
    volatile double sink = 0;
    // One sweep outside of the timing brings the model back into the cache.
    const auto time = [&](auto call) {
        for (const State& s : states) sink = call(s);
        const double start = cpu_time();
        for (const State& s : states) sink = call(s);
        std::printf("%.9e\n", (cpu_time() - start) / double(states.size()));
        std::fflush(stdout);
    };
    std::string algorithm;
    while (std::cin >> algorithm) {
        if (algorithm == "rnea") time([&](const State& s) { return rnea(model, data, s.q, s.v, s.a)[0]; });
        else if (algorithm == "aba")
            time([&](const State& s) { return aba(model, data, s.q, s.v, s.tau, Convention::LOCAL)[0]; });
        else time([&](const State& s) { return crba(model, data, s.q, Convention::LOCAL)(0, 0); });
    }
    (void)sink;
}
