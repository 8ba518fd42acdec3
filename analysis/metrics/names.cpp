// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/metrics/names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace tuneline::analysis {

namespace {

template <std::size_t N> bool containsAny(std::string_view text, const std::array<std::string_view, N> &parts)
{
    return std::any_of(parts.begin(), parts.end(), [&](std::string_view p) { return text.find(p) != text.npos; });
}

template <std::size_t N> bool startsWithAny(std::string_view text, const std::array<std::string_view, N> &parts)
{
    return std::any_of(parts.begin(), parts.end(), [&](std::string_view p) { return text.starts_with(p); });
}

template <std::size_t N> bool isAny(std::string_view text, const std::array<std::string_view, N> &words)
{
    return std::find(words.begin(), words.end(), text) != words.end();
}

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    return out;
}

// "Train step 12" → "trainstep", "data_loading#3" → "dataloading": letters only, up to the number or '(' that follows.
std::string bareWord(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        const auto u = static_cast<unsigned char>(c);
        if (std::isalpha(u) != 0)
            out.push_back(static_cast<char>(std::tolower(u)));
        else if (c != ' ' && c != '_' && c != '-' && c != '#' && c != ':' && c != '.' && std::isdigit(u) == 0)
            return {};
    }
    return out;
}

bool isCommunicationKernel(std::string_view name)
{
    static constexpr std::array<std::string_view, 8> kBegins{"ncclKernel",        "ncclDevKernel", "rcclKernel",
                                                             "rcclGenericKernel", "mscclKernel",   "mscclppKernel",
                                                             "ncclLocal",         "ncclSymk"};
    static constexpr std::array<std::string_view, 4> kParts{"nvshmem", "cross_device_reduce", "multimem_all_reduce",
                                                            "two_shot_all_reduce"};
    return startsWithAny(name, kBegins) || containsAny(name, kParts);
}

// Lists of kernel names by generation: cuBLAS and cuDNN spell the instruction (h884, s1688, s16816, hmma, wgmma) into
// the name up to Ampere; Hopper's xmma and nvjet kernels run on tensor cores unless they say ffma.
bool usesTensorCores(std::string_view name, const std::string &small)
{
    static constexpr std::array<std::string_view, 4> kNever{"ffma", "sgemm", "simt", "scudnn"};
    if (containsAny(small, kNever))
        return false;
    static constexpr std::array<std::string_view, 31> kParts{
        "h884",       "s884",    "s1688",     "h1688",     "i8816",         "16816",     "s16832",   "i16832",
        "imma",       "hmma",    "dmma",      "wgmma",     "gmma",          "utcmma",    "tensorop", "tensor16x8",
        "tensor8x8",  "nvjet",   "xmma",      "tcgen05",   "flash_fwd",     "flash_bwd", "fmha",     "mma_sync",
        "flash_attn", "sdpa_sm", "1688cudnn", "1688fprop", "warpgroupsize", "deep_gemm", "qgmma"};
    if (containsAny(small, kParts))
        return true;
    // rocBLAS/hipBLASLt: "MI16x16x1" is the matrix instruction.
    return name.starts_with("Cijk_") && name.find("_MI") != name.npos;
}

bool isMatrixMath(std::string_view name, const std::string &small)
{
    static constexpr std::array<std::string_view, 16> kParts{
        "gemm",      "gemv",     "convolve", "convolution", "scudnn",   "fprop", "dgrad",  "wgrad",
        "implicit_", "winograd", "nvjet",    "cutlass",     "cublaslt", "fmha",  "flash_", "sdpa_sm"};
    return containsAny(small, kParts) || name.starts_with("Cijk_");
}

} // namespace

std::uint32_t classifyKernelName(std::string_view name)
{
    namespace T = NameTrait;
    if (isCommunicationKernel(name))
        return T::kCommunication;
    const std::string small = lower(name);
    std::uint32_t traits = 0;
    if (usesTensorCores(name, small))
        traits |= T::kTensorCore | T::kMatrixMath;
    if (isMatrixMath(name, small))
        traits |= T::kMatrixMath;
    static constexpr std::array<std::string_view, 6> kBackward{"backward", "_bwd", "bprop", "dgrad", "wgrad", "_grad"};
    if (containsAny(small, kBackward))
        traits |= T::kBackward;
    static constexpr std::array<std::string_view, 7> kOptimizer{
        "adam", "fusedsgd", "sgdfunctor", "multi_tensor_apply", "adagrad", "lamb_", "addcdiv"};
    if (containsAny(small, kOptimizer))
        traits |= T::kOptimizerOp;
    return traits;
}

namespace {

bool isDataScope(std::string_view name, const std::string &bare)
{
    static constexpr std::array<std::string_view, 4> kParts{"enumerate(DataLoader)", "DataLoaderIter.__next__",
                                                            "dataloader.py", "DataLoader.__next__"};
    if (containsAny(name, kParts))
        return name.find(".py") == name.npos || name.find("__next__") != name.npos;
    static constexpr std::array<std::string_view, 17> kWords{
        "data",       "dataloader", "dataload", "dataloading", "loaddata", "loadbatch",
        "input",      "inputwait",  "datawait", "nextbatch",   "getbatch", "batchload",
        "fetchbatch", "fetchdata",  "fetch",    "loader",      "datafetch"};
    return isAny(bare, kWords);
}

bool isCheckpointScope(std::string_view name, const std::string &bare)
{
    static constexpr std::array<std::string_view, 2> kSerialization{"torch/serialization.py", "safetensors/torch.py"};
    if (containsAny(name, kSerialization))
        return name.find("): save") != name.npos || name.find("): load") != name.npos;
    static constexpr std::array<std::string_view, 16> kWords{
        "checkpoint", "savecheckpoint", "checkpointsave",    "torchsave",        "save",          "savemodel",
        "savestate",  "loadcheckpoint", "checkpointload",    "torchload",        "checkpointing", "writecheckpoint",
        "saveckpt",   "ckpt",           "restorecheckpoint", "checkpointrestore"};
    return isAny(bare, kWords);
}

bool isStepMarker(std::string_view name, const std::string &bare)
{
    if (name.starts_with("TunelineStep#") || name.starts_with("ProfilerStep#") || name.starts_with("ProfilerStep*"))
        return true;
    static constexpr std::array<std::string_view, 10> kWords{
        "step",           "trainstep", "trainingstep", "iteration",         "iter",
        "trainiteration", "trainiter", "globalstep",   "trainingiteration", "optimizationstep"};
    return isAny(bare, kWords);
}

// What compiles, not what runs compiled code: "Torch-Compiled Region" and "CompiledFunction" are execution.
bool isCompilation(std::string_view name)
{
    static constexpr std::array<std::string_view, 12> kParts{
        "(dynamo_timed)",         "entire_frame_compile",  "entire_backward_compile",
        "backend_compile",        "inductor_compile",      "compile_fx",
        "compile_inner",          "async_compile",         "CachingAutotuner.benchmark",
        "fx_codegen_and_compile", "Lazy Function Loading", "Module Loading"};
    return containsAny(name, kParts);
}

std::uint32_t operatorTraits(std::string_view name)
{
    namespace T = NameTrait;
    std::uint32_t traits = 0;
    static constexpr std::array<std::string_view, 3> kForeachNotOptimizer{"aten::_foreach_norm", "aten::_foreach_zero_",
                                                                          "aten::_foreach_copy_"};
    if (name.starts_with("aten::_fused_adam") || name.starts_with("aten::_fused_sgd")
        || name.starts_with("aten::_fused_adagrad")
        || (name.starts_with("aten::_foreach_") && !isAny(name, kForeachNotOptimizer)))
        traits |= T::kOptimizerOp;
    static constexpr std::array<std::string_view, 5> kCollectives{"nccl:", "gloo:", "c10d::", "mpi:", "ucc:"};
    if (startsWithAny(name, kCollectives) || name == "record_param_comms")
        traits |= T::kCollectiveOp;
    if (name.find("Backward") != name.npos || name == "torch::autograd::AccumulateGrad"
        || name.starts_with("autograd::engine::evaluate_function"))
        traits |= T::kBackward;
    return traits;
}

} // namespace

std::uint32_t classifyHostName(std::string_view name)
{
    namespace T = NameTrait;
    std::uint32_t traits = operatorTraits(name);
    if (name.starts_with("Optimizer.step#") || name.starts_with("Optimizer.step"))
        traits |= T::kOptimizerScope;
    if (isCompilation(name))
        traits |= T::kCompilation;
    const std::string bare = bareWord(name);
    static constexpr std::array<std::string_view, 6> kOptimizerScopes{"optimizerstep", "optimstep", "optimizer",
                                                                      "optim",         "optstep",   "updateparameters"};
    if (isAny(bare, kOptimizerScopes))
        traits |= T::kOptimizerScope;
    if (isDataScope(name, bare))
        traits |= T::kDataScope;
    if (isCheckpointScope(name, bare))
        traits |= T::kCheckpointScope;
    if (isStepMarker(name, bare))
        traits |= T::kStepMarker;
    static constexpr std::array<std::string_view, 8> kValidation{
        "validation", "validate", "eval", "evaluate", "evaluation", "validationloop", "validationstep", "val"};
    if (isAny(bare, kValidation))
        traits |= T::kValidationScope;
    return traits;
}

std::uint32_t classifyApiName(std::string_view full)
{
    namespace T = NameTrait;
    // Nsight writes "cudaLaunchKernel_v7000".
    std::string_view name = full;
    if (const auto v = name.rfind("_v"); v != name.npos && v + 2 < name.size() && std::isdigit(name[v + 2]) != 0)
        name = name.substr(0, v);
    std::uint32_t traits = 0;
    static constexpr std::array<std::string_view, 4> kGraph{"cudaGraphLaunch", "cuGraphLaunch", "hipGraphLaunch",
                                                            "cudaGraphExecLaunch"};
    if (startsWithAny(name, kGraph))
        traits |= T::kGraphLaunch | T::kLaunch;
    static constexpr std::array<std::string_view, 4> kLaunches{"LaunchKernel", "LaunchCooperative", "ModuleLaunch",
                                                               "LaunchGrid"};
    static constexpr std::array<std::string_view, 6> kTransfers{"cudaMemcpy", "cudaMemset", "cuMemcpy",
                                                                "cuMemset",   "hipMemcpy",  "hipMemset"};
    if (containsAny(name, kLaunches) || startsWithAny(name, kTransfers))
        traits |= T::kLaunch;
    const bool async = name.find("Async") != name.npos;
    static constexpr std::array<std::string_view, 4> kWaits{"Synchronize", "StreamWaitValue32", "hipMemcpyWithStream",
                                                            "EventSynchronize"};
    static constexpr std::array<std::string_view, 3> kCopies{"cudaMemcpy", "cuMemcpy", "hipMemcpy"};
    if (containsAny(name, kWaits) || (startsWithAny(name, kCopies) && !async))
        traits |= T::kBlocking;
    static constexpr std::array<std::string_view, 16> kAllocations{
        "cudaMalloc",   "cudaFree",  "cudaHostAlloc", "cudaHostRegister", "cudaHostUnregister", "cuMemAlloc",
        "cuMemFree",    "cuMemHost", "cuMemCreate",   "cuMemRelease",     "cuMemMap",           "cuMemUnmap",
        "cuMemAddress", "hipMalloc", "hipFree",       "cuMemSetAccess"};
    if (startsWithAny(name, kAllocations) && !async)
        traits |= T::kAllocation;
    static constexpr std::array<std::string_view, 6> kCompiles{"cuModuleLoad", "cuLibraryLoad", "cuLink",
                                                               "nvrtc",        "hipModuleLoad", "cuModuleGetLoading"};
    if (startsWithAny(name, kCompiles))
        traits |= T::kCompilation;
    return traits;
}

std::string collectiveKind(std::string_view name, EventKind kind)
{
    // Backends that run on host threads. NCCL's own range ("nccl:all_reduce") is only its launch.
    static constexpr std::array<std::string_view, 3> kHost{"gloo:", "mpi:", "ucc:"};
    if (kind == EventKind::Range)
        return startsWithAny(name, kHost) ? std::string(name.substr(name.find(':') + 1)) : std::string();
    if (kind != EventKind::Kernel || !isCommunicationKernel(name))
        return {};
    // "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(…)" → "AllReduce": the algorithm may differ between ranks.
    const auto first = name.find('_');
    if (first == name.npos)
        return std::string(name);
    const auto second = name.find_first_of("_(", first + 1);
    return std::string(name.substr(first + 1, second == name.npos ? name.npos : second - first - 1));
}

NameTable::NameTable(const Trace &trace)
{
    const std::size_t n = trace.strings.size();
    m_kernel.assign(n, 0);
    m_host.assign(n, 0);
    m_api.assign(n, 0);
    enum : std::uint8_t { Kernel = 1, Api = 2, Host = 4 };
    std::vector<std::uint8_t> done(n, 0);
    const auto once = [&](std::uint32_t id, std::uint8_t what, auto &table, auto classify) {
        if ((done[id] & what) == 0) {
            done[id] = static_cast<std::uint8_t>(done[id] | what);
            table[id] = classify(trace.strings.view(StringId{id}));
        }
    };
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
        const std::uint32_t id = trace.events.name[i].value;
        if (const EventKind kind = trace.events.kind[i]; kind == EventKind::Kernel)
            once(id, Kernel, m_kernel, classifyKernelName);
        else if (isApiCall(kind))
            once(id, Api, m_api, classifyApiName);
        else
            once(id, Host, m_host, classifyHostName);
    }
}

} // namespace tuneline::analysis
