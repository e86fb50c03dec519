// What the tuner tries for filters. Part of catalogue.cpp.
#pragma once

#include <array>

#include "kernels/catalogue.hpp"

namespace glint::kernels {

// The default of each tunable is in its list.
inline constexpr std::array<int32_t, 1> one{1};
inline constexpr std::array<int32_t, 1> two{2};
inline constexpr std::array<int32_t, 1> four{4};
inline constexpr std::array<int32_t, 1> eight{8};
inline constexpr std::array<int32_t, 1> sixteen{16};
inline constexpr std::array<int32_t, 1> two_hundred_fifty_six{256};
inline constexpr std::array<int32_t, 1> widest_row{3840};
inline constexpr std::array<int32_t, 1> whole_columns{960};
inline constexpr std::array<int32_t, 5> rows{4, 8, 16, 32, 64};
inline constexpr std::array<int32_t, 8> march_rows{4, 6, 8, 9, 12, 16, 24, 32};
inline constexpr std::array<int32_t, 4> many_rows{32, 64, 128, 256};
inline constexpr std::array<int32_t, 6> local_x{1, 8, 16, 32, 64, 128};
inline constexpr std::array<int32_t, 4> local_y{1, 2, 4, 8};
inline constexpr std::array<int32_t, 5> tile_y{1, 2, 4, 8, 16};

inline constexpr std::array four_columns_ep_tunables{
    Tunable{"COLUMNS", 4, four},
    Tunable{"ROWS", 16, rows},
    Tunable{"LOCAL_X", 16, local_x},
    Tunable{"LOCAL_Y", 1, local_y},
};
inline constexpr std::array four_columns_fp_tunables{
    Tunable{"COLUMNS", 4, four},
    Tunable{"ROWS", 16, rows},
    Tunable{"LOCAL_X", 32, local_x},
    Tunable{"LOCAL_Y", 4, local_y},
};
inline constexpr std::array eight_columns_fp_tunables{
    Tunable{"COLUMNS", 8, eight},
    Tunable{"ROWS", 9, march_rows},
    Tunable{"LOCAL_X", 32, local_x},
    Tunable{"LOCAL_Y", 4, local_y},
};
inline constexpr std::array sixteen_columns_tunables{
    Tunable{"COLUMNS", 16, sixteen},
    Tunable{"ROWS", 16, rows},
    Tunable{"LOCAL_X", 16, local_x, 64},
    Tunable{"LOCAL_Y", 1, local_y},
};

inline constexpr std::array one_pixel_tunables{
    Tunable{"COLUMNS", 1, one},
    Tunable{"ROWS", 1, one},
    Tunable{"LOCAL_X", 16, local_x},
    Tunable{"LOCAL_Y", 16, tile_y},
};
inline constexpr std::array wide_tile_tunables{
    Tunable{"COLUMNS", 1, one},
    Tunable{"ROWS", 1, one},
    Tunable{"LOCAL_X", 32, local_x},
    Tunable{"LOCAL_Y", 8, tile_y},
};
inline constexpr std::array four_pixels_tunables{
    Tunable{"COLUMNS", 4, four},
    Tunable{"ROWS", 1, one},
    Tunable{"LOCAL_X", 16, local_x},
    Tunable{"LOCAL_Y", 16, tile_y},
};
inline constexpr std::array two_by_two_tunables{
    Tunable{"COLUMNS", 2, two},
    Tunable{"ROWS", 2, two},
    Tunable{"LOCAL_X", 16, local_x},
    Tunable{"LOCAL_Y", 16, tile_y},
};
inline constexpr std::array four_rows_tunables{
    Tunable{"COLUMNS", 1, one},
    Tunable{"ROWS", 4, four},
    Tunable{"LOCAL_X", 32, local_x},
    Tunable{"LOCAL_Y", 8, tile_y},
};
inline constexpr std::array row_of_four_tunables{
    Tunable{"COLUMNS", 4, four},
    Tunable{"ROWS", 1, one},
    Tunable{"LOCAL_X", 16, local_x},
    Tunable{"LOCAL_Y", 1, local_y},
};
inline constexpr std::array two_passes_ep_tunables{
    Tunable{"COLUMNS", 4, four},
    Tunable{"ROWS", 4, four},
    Tunable{"LOCAL_X", 16, local_x},
    Tunable{"LOCAL_Y", 1, local_y},
};
inline constexpr std::array two_passes_fp_tunables{
    Tunable{"COLUMNS", 4, four},
    Tunable{"ROWS", 4, four},
    Tunable{"LOCAL_X", 32, local_x},
    Tunable{"LOCAL_Y", 4, local_y},
};
// For CPUs. One work-item to a group: it keeps rows in private memory, which a group's work-items
// may all have at once, on the stack of one thread.
inline constexpr std::array wide_separable_tunables{
    Tunable{"COLUMNS", 256, two_hundred_fifty_six},
    Tunable{"ROWS", 64, rows},
    Tunable{"LOCAL_X", 1, one},
    Tunable{"LOCAL_Y", 1, one},
};
inline constexpr std::array whole_rows_tunables{
    Tunable{"COLUMNS", 3840, widest_row},
    Tunable{"ROWS", 64, many_rows},
    Tunable{"LOCAL_X", 1, one},
    Tunable{"LOCAL_Y", 1, one},
};
inline constexpr std::array wide_fours_tunables{
    Tunable{"COLUMNS", 960, whole_columns},
    Tunable{"ROWS", 64, many_rows},
    Tunable{"LOCAL_X", 1, one},
    Tunable{"LOCAL_Y", 1, one},
};

}  // namespace glint::kernels
