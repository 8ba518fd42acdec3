// SPDX-License-Identifier: MIT
#include "capture/torch/valuetexts.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <charconv>
#include <cstring>
#include <string_view>

namespace tuneline::torch_bridge {

void TextBuffer::add(char c) noexcept
{
    add(&c, 1);
}

void TextBuffer::add(const char *text, std::size_t length) noexcept
{
    if (m_overflowed || length > kBytes - m_length) {
        m_overflowed = true;
        return;
    }
    std::memcpy(m_text + m_length, text, length);
    m_length += length;
}

void TextBuffer::addNumber(long long value) noexcept
{
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    add(digits, static_cast<std::size_t>(end - digits));
}

namespace {

void addShape(const at::Tensor &tensor, TextBuffer &out)
{
    out.add('[');
    if (tensor.defined() && !tensor.is_nested()) {
        const auto sizes = tensor.sizes();
        for (std::size_t i = 0; i < sizes.size() && i < kMaxDimensions; ++i) {
            if (i > 0)
                out.add(',');
            out.addNumber(sizes[i]);
        }
    }
    out.add(']');
}

void addType(std::string_view type, TextBuffer &out)
{
    out.add('"');
    out.add(type.data(), type.size());
    out.add('"');
}

void addTensor(const at::Tensor &tensor, TextBuffer &shapes, TextBuffer &types)
{
    addShape(tensor, shapes);
    if (!tensor.defined())
        return addType("", types);
    const auto name = tensor.dtype().name();
    addType({name.data(), name.size()}, types);
}

void addList(const c10::IValue &value, TextBuffer &shapes, TextBuffer &types)
{
    shapes.add('[');
    const auto list = value.toTensorList();
    for (std::size_t i = 0; i < list.size() && i < kMaxListed; ++i) {
        if (i > 0)
            shapes.add(',');
        const at::Tensor tensor = list[i];
        addShape(tensor, shapes);
    }
    shapes.add(']');
    addType("TensorList", types);
}

void addInput(const c10::IValue &value, TextBuffer &shapes, TextBuffer &types)
{
    if (value.isTensor())
        return addTensor(value.toTensor(), shapes, types);
    if (value.isTensorList())
        return addList(value, shapes, types);
    shapes.add("[]", 2);
    addType(value.isScalar() ? "Scalar" : "", types);
}

} // namespace

void describeInputs(c10::ArrayRef<const c10::IValue> inputs, TextBuffer &shapes, TextBuffer &types)
{
    shapes.clear();
    types.clear();
    shapes.add('[');
    types.add('[');
    for (std::size_t i = 0; i < inputs.size() && i < kMaxInputs; ++i) {
        if (i > 0) {
            shapes.add(',');
            types.add(',');
        }
        addInput(inputs[i], shapes, types);
    }
    shapes.add(']');
    types.add(']');
}

} // namespace tuneline::torch_bridge
