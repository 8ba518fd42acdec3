// SPDX-License-Identifier: GPL-3.0-or-later
// A data set's folder is complete or not there: it is filled under a temporary name and renamed at the end, so a killed
// or a second run never reads half of one. Called by the main thread before training.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace tuneline::trainer {

// Called with what is done, of how many; throttled by the callee.
using Progress = std::function<void(int64_t done, int64_t all)>;
using FillFolder = std::function<void(const std::filesystem::path &folder, const Progress &progress)>;

// Where data sets are kept: `directory`, or where it is empty $XDG_CACHE_HOME/tuneline/datasets or ~/.cache/….
std::filesystem::path datasetRoot(const std::string &directory);

// `root/name`, filled by `fill` first where it is missing. Throws UserError(Failed) when the disk refuses.
std::filesystem::path ensureFolder(const std::filesystem::path &root, const std::string &name, const FillFolder &fill,
                                   bool showProgress);

// Whole files; throw UserError(CannotRead / Failed) with the path.
std::string readFile(const std::filesystem::path &path);
void writeFile(const std::filesystem::path &path, const void *bytes, size_t size);

} // namespace tuneline::trainer
