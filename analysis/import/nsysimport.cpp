// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/nsysimport.h"

#include "analysis/import/nsysreader.h"

namespace tuneline::analysis {

Result<void> importNsys(const Database &database, const std::filesystem::path &path, TraceBuilder &builder,
                        Progress &progress)
{
    Source source;
    source.file = path.string();
    source.label = path.filename().string();
    source.format = SourceFormat::NsysSqlite;
    const SourceId id = builder.addSource(std::move(source));
    NsysReader reader(database, builder, id, progress);
    if (!reader.isExport())
        return fail(Error::Code::NotATrace,
                    "This is an SQLite database, but no Nsight Systems export; make one with: nsys export --type "
                    "sqlite FILE.nsys-rep.",
                    path.string());
    reader.read();
    return {};
}

} // namespace tuneline::analysis
