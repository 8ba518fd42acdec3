// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/whatif/shapes.h"

#include <array>
#include <charconv>

namespace tuneline::analysis {

std::vector<Shape> parseShapes(std::string_view text)
{
    std::vector<Shape> shapes;
    int depth = 0;
    const char *at = text.data();
    const char *const end = at + text.size();
    while (at < end) {
        if (*at == '[') {
            if (++depth == 2)
                shapes.emplace_back();
            ++at;
        } else if (*at == ']') {
            --depth;
            ++at;
        } else if (depth == 2 && *at >= '0' && *at <= '9') {
            std::int64_t value = 0;
            at = std::from_chars(at, end, value).ptr;
            shapes.back().push_back(value);
        } else {
            if (*at == '"' && depth == 1)
                shapes.emplace_back(); // a scalar written as a text
            if (*at == '"')
                for (++at; at < end && *at != '"';)
                    ++at;
            if (at < end)
                ++at;
        }
    }
    return shapes;
}

std::int64_t elements(const Shape &shape)
{
    std::int64_t n = 1;
    for (const std::int64_t d : shape)
        n *= d;
    return n;
}

namespace {

Product matrix(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k)
{
    Product p;
    p.batch = batch;
    p.m = m;
    p.n = n;
    p.k = k;
    p.elementsRead = batch * (m * k + k * n);
    p.elementsWritten = batch * m * n;
    return p;
}

std::optional<Product> matmul(std::string_view name, const std::vector<Shape> &in)
{
    const auto two = [&](std::size_t i) { return in.size() > i + 1 && in[i].size() == 2 && in[i + 1].size() == 2; };
    const auto three = [&](std::size_t i) { return in.size() > i + 1 && in[i].size() == 3 && in[i + 1].size() == 3; };
    if ((name == "aten::mm" || name == "aten::_scaled_mm") && two(0))
        return matrix(1, in[0][0], in[1][1], in[0][1]);
    if ((name == "aten::addmm" || name == "aten::_addmm_activation") && two(1))
        return matrix(1, in[1][0], in[2][1], in[1][1]);
    if (name == "aten::bmm" && three(0))
        return matrix(in[0][0], in[0][1], in[1][2], in[0][2]);
    if (name == "aten::baddbmm" && three(1))
        return matrix(in[1][0], in[1][1], in[2][2], in[1][2]);
    if (name == "aten::linear" && in.size() > 1 && !in[0].empty() && in[1].size() == 2)
        return matrix(1, elements(in[0]) / std::max<std::int64_t>(1, in[0].back()), in[1][0], in[1][1]);
    return std::nullopt;
}

Product convolution(const Shape &input, const Shape &weight, std::int64_t outputElements)
{
    Product p;
    p.convolution = true;
    p.n = weight[0];
    p.k = elements(weight) / std::max<std::int64_t>(1, weight[0]);
    p.m = outputElements / std::max<std::int64_t>(1, weight[0]);
    p.spatial = weight.size() > 2 ? elements(weight) / std::max<std::int64_t>(1, weight[0] * weight[1]) : 1;
    p.activationElements = elements(input) + outputElements;
    p.elementsRead = elements(input) + elements(weight);
    p.elementsWritten = outputElements;
    return p;
}

// "['', '', '', '[1, 1]', '[3, 3]', …]": the numbers of the stride argument, where recorded. Index 3 in all convolution
// operators that PyTorch 1.13 to 2.x calls for cuDNN except cudnn_convolution (padding first there).
std::int64_t strideOf(std::string_view name, std::string_view concrete)
{
    const std::size_t wanted = name == "aten::cudnn_convolution" ? 3 : name == "aten::convolution_backward" ? 4 : 3;
    std::size_t index = 0;
    int depth = 0;
    for (std::size_t i = 0; i < concrete.size(); ++i) {
        const char c = concrete[i];
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (depth == 1 && c == ',')
            ++index;
        if (index == wanted && c >= '0' && c <= '9')
            return c - '0';
    }
    return 0;
}

std::optional<Product> convolve(std::string_view name, const std::vector<Shape> &in, std::string_view concrete)
{
    if (name == "aten::convolution_backward") {
        if (in.size() < 3 || in[0].size() < 3 || in[1].size() < 3 || in[2].size() < 3)
            return std::nullopt;
        Product p = convolution(in[1], in[2], elements(in[0]));
        p.backward = true;
        return p;
    }
    static constexpr std::array<std::string_view, 6> kForward{
        "aten::cudnn_convolution",      "aten::convolution",       "aten::_convolution", "aten::conv2d",
        "aten::cudnn_convolution_relu", "aten::mkldnn_convolution"};
    bool forward = false;
    for (const auto candidate : kForward)
        forward = forward || candidate == name;
    if (!forward || in.size() < 2 || in[0].size() < 3 || in[1].size() < 3)
        return std::nullopt;
    const std::int64_t stride = std::max<std::int64_t>(1, strideOf(name, concrete));
    std::int64_t output = in[0][0] * in[1][0];
    for (std::size_t d = 2; d < in[0].size(); ++d)
        output *= (in[0][d] + stride - 1) / stride; // "same" padding: what nearly all networks use
    return convolution(in[0], in[1], output);
}

} // namespace

std::optional<Product> productOf(std::string_view opName, std::string_view shapes, std::string_view concrete)
{
    const auto in = parseShapes(shapes);
    if (auto p = matmul(opName, in))
        return p;
    return convolve(opName, in, concrete);
}

} // namespace tuneline::analysis
