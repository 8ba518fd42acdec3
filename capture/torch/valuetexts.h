// SPDX-License-Identifier: MIT
// Shapes and types of an operator's inputs as JSON texts, written into buffers of fixed size: no allocation per
// operator.
#pragma once

#include <c10/util/ArrayRef.h>

#include <cstddef>

namespace c10 {
struct IValue;
}

namespace tuneline::torch_bridge {

// A text that grows up to its buffer. What doesn't fit is left out and overflowed() says so.
class TextBuffer
{
public:
    static constexpr std::size_t kBytes = 2048;

    void clear() noexcept
    {
        m_length = 0;
        m_overflowed = false;
    }
    void add(char c) noexcept;
    void add(const char *text, std::size_t length) noexcept;
    void addNumber(long long value) noexcept;
    [[nodiscard]] const char *data() const noexcept { return m_text; }
    [[nodiscard]] std::size_t length() const noexcept { return m_length; }
    [[nodiscard]] bool overflowed() const noexcept { return m_overflowed; }

private:
    char m_text[kBytes];
    std::size_t m_length = 0;
    bool m_overflowed = false;
};

inline constexpr std::size_t kMaxInputs = 16;
inline constexpr std::size_t kMaxDimensions = 8;
inline constexpr std::size_t kMaxListed = 16; // tensors of a list

// shapes: [[8,3,224,224],[[64],[64]],[]] – one entry per input, tensor lists nested, [] for scalars and everything
// else. types: ["float","TensorList","Scalar",""] – as Kineto names them. Reads sizes only, keeps no tensor. May throw
// what LibTorch throws (symbolic sizes).
void describeInputs(c10::ArrayRef<const c10::IValue> inputs, TextBuffer &shapes, TextBuffer &types);

} // namespace tuneline::torch_bridge
