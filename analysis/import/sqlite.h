// SPDX-License-Identifier: GPL-3.0-or-later
// A thin, read-only layer over SQLite: a database in a file or in memory, and rows whose columns are found by name, as
// exporters of different ages have different ones.
#pragma once

#include "analysis/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace tuneline::analysis {

class Database
{
public:
    static Result<Database> open(const std::filesystem::path &path);
    static Result<Database> fromMemory(std::string_view bytes); // copies them
    [[nodiscard]] std::vector<std::string> tables() const;
    [[nodiscard]] sqlite3 *handle() const { return m_handle.get(); }

private:
    struct Close
    {
        void operator()(sqlite3 *handle) const noexcept;
    };
    std::unique_ptr<sqlite3, Close> m_handle;
};

// All rows of one table.
class TableReader
{
public:
    TableReader(const Database &database, const std::string &table);
    [[nodiscard]] bool next(); // false at the end, and where the table is damaged
    [[nodiscard]] const std::string &problem() const { return m_problem; } // "" if it was read to its end

    [[nodiscard]] int column(std::string_view name) const; // -1: this export doesn't have it
    [[nodiscard]] std::optional<std::int64_t> integer(int column) const; // nullopt: no such column, NULL or a text
    [[nodiscard]] std::optional<std::string_view> text(int column) const; // until next(); nullopt likewise

private:
    struct Finalize
    {
        void operator()(sqlite3_stmt *statement) const noexcept;
    };
    sqlite3 *m_database;
    std::unique_ptr<sqlite3_stmt, Finalize> m_statement;
    std::unordered_map<std::string, int> m_columns; // lower case
    std::string m_problem;
};

} // namespace tuneline::analysis
