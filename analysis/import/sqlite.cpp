// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/import/sqlite.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <sqlite3.h>

namespace tuneline::analysis {
namespace {

std::string lower(std::string_view text)
{
    std::string out{text};
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

// A path as SQLite's URI: immutable, so that it needs no lock and no journal beside the file.
std::string immutableUri(const std::filesystem::path &path)
{
    constexpr char kHex[] = "0123456789ABCDEF";
    std::string uri = "file:";
    for (const char c : std::filesystem::absolute(path).string()) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || c == '/' || c == '.' || c == '-' || c == '_')
            uri += c;
        else
            uri.append({'%', kHex[byte >> 4U], kHex[byte & 15U]});
    }
    return uri + "?immutable=1";
}

// A file that was cut short opens too: by default SQLite refuses one that is smaller than its header says.
void allowCut(sqlite3 *handle)
{
    sqlite3_exec(handle, "PRAGMA writable_schema = ON", nullptr, nullptr, nullptr);
}

std::string quoted(const std::string &name)
{
    std::string out = "\"";
    for (const char c : name)
        out.append(c == '"' ? 2 : 1, c);
    return out + '"';
}

} // namespace

void Database::Close::operator()(sqlite3 *handle) const noexcept
{
    sqlite3_close(handle);
}

Result<Database> Database::open(const std::filesystem::path &path)
{
    sqlite3 *handle = nullptr;
    const int result =
        sqlite3_open_v2(immutableUri(path).c_str(), &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
    Database database;
    database.m_handle.reset(handle);
    if (result != SQLITE_OK)
        return fail(Error::Code::CannotOpen, "The database can't be opened.", path.string());
    allowCut(handle);
    return database;
}

Result<Database> Database::fromMemory(std::string_view bytes)
{
    sqlite3 *handle = nullptr;
    Database database;
    const int result = sqlite3_open(":memory:", &handle);
    database.m_handle.reset(handle);
    auto *copy = static_cast<unsigned char *>(sqlite3_malloc64(std::max<std::size_t>(bytes.size(), 1)));
    if (result != SQLITE_OK || copy == nullptr)
        return fail(Error::Code::CannotOpen, "There is not enough memory to open the database.");
    std::memcpy(copy, bytes.data(), bytes.size());
    const auto size = static_cast<sqlite3_int64>(bytes.size());
    if (sqlite3_deserialize(handle, "main", copy, size, size,
                            SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY)
        != SQLITE_OK)
        return fail(Error::Code::CannotOpen, "The database can't be opened.");
    allowCut(handle);
    return database;
}

std::vector<std::string> Database::tables() const
{
    std::vector<std::string> names;
    TableReader schema(*this, "sqlite_master");
    const int type = schema.column("type"), name = schema.column("name");
    while (schema.next()) {
        const auto kind = schema.text(type);
        if (kind && (*kind == "table" || *kind == "view"))
            names.emplace_back(schema.text(name).value_or(""));
    }
    return names;
}

void TableReader::Finalize::operator()(sqlite3_stmt *statement) const noexcept
{
    sqlite3_finalize(statement);
}

TableReader::TableReader(const Database &database, const std::string &table)
    : m_database(database.handle())
{
    sqlite3_stmt *statement = nullptr;
    if (sqlite3_prepare_v2(m_database, ("SELECT * FROM " + quoted(table)).c_str(), -1, &statement, nullptr)
        != SQLITE_OK) {
        m_problem = sqlite3_errmsg(m_database);
        return;
    }
    m_statement.reset(statement);
    for (int i = 0; i < sqlite3_column_count(statement); ++i)
        m_columns.emplace(lower(sqlite3_column_name(statement, i)), i);
}

bool TableReader::next()
{
    if (!m_statement)
        return false;
    const int result = sqlite3_step(m_statement.get());
    if (result != SQLITE_ROW && result != SQLITE_DONE)
        m_problem = sqlite3_errmsg(m_database);
    return result == SQLITE_ROW;
}

int TableReader::column(std::string_view name) const
{
    const auto known = m_columns.find(lower(name));
    return known == m_columns.end() ? -1 : known->second;
}

std::optional<std::int64_t> TableReader::integer(int column) const
{
    const int type = column < 0 ? SQLITE_NULL : sqlite3_column_type(m_statement.get(), column);
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
        return std::nullopt;
    return sqlite3_column_int64(m_statement.get(), column);
}

std::optional<std::string_view> TableReader::text(int column) const
{
    if (column < 0 || sqlite3_column_type(m_statement.get(), column) != SQLITE_TEXT)
        return std::nullopt;
    const auto *bytes = reinterpret_cast<const char *>(sqlite3_column_text(m_statement.get(), column));
    return std::string_view(bytes, static_cast<std::size_t>(sqlite3_column_bytes(m_statement.get(), column)));
}

} // namespace tuneline::analysis
