// SPDX-License-Identifier: GPL-3.0-or-later
// Line icons from resources/icons, drawn in the palette's own text colour at the moment of painting: they follow a
// change of theme without being set again. GUI thread.
#pragma once

#include <QIcon>

namespace tuneline::ui {

enum class IconTone { Text, Muted, Accent, Good, Warn, Bad };

[[nodiscard]] QIcon icon(const QString &name, IconTone tone = IconTone::Text); // "open": resources/icons/open.svg
[[nodiscard]] QPixmap iconPixmap(const QString &name, IconTone tone, int size, double devicePixelRatio);

} // namespace tuneline::ui
