// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/report/reportjson.h"

#include "analysis/report/advisereport.h"
#include "analysis/report/inspect.h"

namespace tuneline::analysis {

nlohmann::ordered_json reportJson(const Analysis &analysis, const Advice &advice)
{
    return {{"kind", "tuneline-report"},
            {"version", 1},
            {"inspect", inspectJson(analysis)},
            {"advise", adviceToJson(advice)}};
}

} // namespace tuneline::analysis
