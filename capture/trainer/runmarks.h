// SPDX-License-Identifier: GPL-3.0-or-later
// tuneline marks that --no-marks leaves out, so that a run without them is a run of the same program. Training thread.
#pragma once

#include "capture/marks/tuneline/marks.h"
#include "capture/trainer/knobs.h"

namespace tuneline::trainer {

class RunMarks
{
public:
    explicit RunMarks(bool enabled)
        : m_enabled(enabled)
    { }

    class Scope
    {
    public:
        Scope(const RunMarks &marks, const char *name)
            : m_enabled(marks.m_enabled)
        {
            if (m_enabled)
                tuneline_scope_begin(name);
        }
        ~Scope()
        {
            if (m_enabled)
                tuneline_scope_end();
        }
        Scope(const Scope &) = delete;
        Scope &operator=(const Scope &) = delete;

    private:
        const bool m_enabled;
    };

    void step() const
    {
        if (m_enabled)
            tuneline_step();
    }
    void stepEnd() const
    {
        if (m_enabled)
            tuneline_step_end();
    }
    void units(int64_t count, const std::string &unit) const
    {
        if (m_enabled)
            tuneline_units(static_cast<double>(count), unit.c_str());
    }
    void loss(double value) const
    {
        if (m_enabled)
            tuneline_loss(value);
    }
    void gradientNorm(double value) const
    {
        if (m_enabled)
            tuneline_gradient_norm(value);
    }
    void skippedStep() const
    {
        if (m_enabled)
            tuneline_skipped_step();
    }
    void config(const std::string &name, const std::string &text) const
    {
        if (m_enabled)
            tuneline_config(name.c_str(), text.c_str());
    }
    void config(const Knobs &knobs) const
    {
        for (const KnobInfo &knob : knobTable())
            config(knob.key, valueText(knobs, knob));
    }

private:
    bool m_enabled;
};

} // namespace tuneline::trainer
