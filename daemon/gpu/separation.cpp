#include "daemon/gpu/separation.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace glint::gpu {
namespace {

// Elements stay below 2^16, so products of two and sums of 31 of those fit easily.
using Vector = std::array<int64_t, max_filter_size>;

Vector row_of(const Filter& filter, uint32_t j) {
    Vector row{};
    for (uint32_t i = 0; i < filter.size; ++i) {
        row[i] = filter.coefficients[size_t{j} * filter.size + i];
    }
    return row;
}

int64_t common_divisor(const Vector& v) {
    int64_t divisor = 0;
    for (const int64_t element : v) divisor = std::gcd(divisor, element);
    return divisor;
}

int64_t dot(const Vector& a, const Vector& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), int64_t{0});
}

int64_t minor(const Vector& a, const Vector& b, size_t p, size_t q) {
    return a[p] * b[q] - a[q] * b[p];
}

/// a + factor * b
Vector combined(Vector a, int64_t factor, const Vector& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
    return a;
}

Vector divided(Vector v, int64_t divisor) {
    for (int64_t& element : v) element /= divisor;
    return v;
}

/// Columns where the two vectors differ in direction; none if they are parallel.
std::optional<std::pair<size_t, size_t>> independent_columns(const Vector& a, const Vector& b) {
    for (size_t p = 0; p < a.size(); ++p) {
        for (size_t q = p + 1; q < a.size(); ++q) {
            if (minor(a, b, p, q) != 0) return std::pair{p, q};
        }
    }
    return std::nullopt;
}

/// Extended Euclid: gcd(a, b) = s * a + t * b.
struct Bezout {
    int64_t gcd;
    int64_t s;
    int64_t t;
};
Bezout bezout(int64_t a, int64_t b) {
    if (b == 0) return {std::abs(a), a < 0 ? -1 : 1, 0};
    const Bezout rest = bezout(b, a % b);
    return {rest.gcd, rest.t, rest.s - a / b * rest.t};
}

/// A vector that completes `a`, whose elements have no common divisor, to a basis of all
/// whole-numbered vectors in the plane of `a` and `b`: (b - t a) / g, where g is the greatest
/// common divisor of the 2x2 minors. A combination u of columns with u.a = 1 gives t = u.b (mod g).
Vector completion(const Vector& a, const Vector& b) {
    int64_t g = 0;
    for (size_t p = 0; p < a.size(); ++p) {
        for (size_t q = p + 1; q < a.size(); ++q) g = std::gcd(g, minor(a, b, p, q));
    }
    int64_t u_a = 0;
    int64_t u_b = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const Bezout step = bezout(u_a, a[i]);
        u_a = step.gcd;
        u_b = (step.s * u_b + step.t * b[i]) % g;
    }
    return divided(combined(b, -u_b, a), g);
}

/// Lagrange's reduction: the shortest basis of the same vectors.
void reduce(Vector& a, Vector& b) {
    while (true) {
        if (dot(a, a) > dot(b, b)) std::swap(a, b);
        const int64_t length = dot(a, a);
        const int64_t twice = 2 * dot(a, b);
        // A tie is as short as it gets, and would come back with the other sign for ever.
        if (std::abs(twice) <= length) return;
        const int64_t nearest = (twice + (twice < 0 ? -length : length)) / (2 * length);
        b = combined(b, -nearest, a);
    }
}

struct Basis {
    std::array<Vector, 2> vectors{};
    size_t count = 0;
};

/// Of the whole-numbered vectors in the span of the matrix's first two independent rows.
Basis row_basis(const Filter& filter) {
    Basis basis;
    auto& [first, second] = basis.vectors;
    for (uint32_t j = 0; j < filter.size && basis.count < 2; ++j) {
        const Vector row = row_of(filter, j);
        const int64_t divisor = common_divisor(row);
        if (divisor == 0) continue;
        if (basis.count == 0) {
            first = divided(row, divisor);
            basis.count = 1;
        } else if (independent_columns(first, row)) {
            second = completion(first, divided(row, divisor));
            reduce(first, second);
            basis.count = 2;
        }
    }
    return basis;
}

/// How often each vector of the basis is in `row`; nothing if the row is outside their span.
std::optional<std::array<int64_t, 2>> coordinates(const Basis& basis, const Vector& row) {
    const auto& [first, second] = basis.vectors;
    std::array<int64_t, 2> result{};
    if (basis.count == 1) {
        const auto* pivot =
            std::ranges::find_if(first, [](int64_t element) { return element != 0; });
        result[0] = row[static_cast<size_t>(pivot - first.begin())] / *pivot;
    } else if (basis.count == 2) {
        // Cramer's rule.
        const auto [p, q] = *independent_columns(first, second);
        const int64_t determinant = minor(first, second, p, q);
        result = {minor(row, second, p, q) / determinant, minor(first, row, p, q) / determinant};
    }
    const Vector made = combined(combined(Vector{}, result[0], first), result[1], second);
    if (made != row) return std::nullopt;
    return result;
}

uint64_t magnitude(const std::array<int32_t, max_filter_size>& taps) {
    uint64_t sum = 0;
    for (const int32_t tap : taps) sum += static_cast<uint64_t>(std::abs(int64_t{tap}));
    return sum;
}

}  // namespace

std::optional<Separation> separate(const Filter& filter) noexcept {
    // No sum may be larger than 2^31 / 255 samples, nor need any of its parts be then.
    constexpr int64_t limit = (int64_t{1} << 31) / 255;
    const Basis basis = row_basis(filter);
    Separation result{.count = static_cast<uint32_t>(std::max<size_t>(basis.count, 1))};
    for (uint32_t j = 0; j < filter.size; ++j) {
        const auto factors = coordinates(basis, row_of(filter, j));
        if (!factors) return std::nullopt;
        for (size_t t = 0; t < basis.count; ++t) {
            if (std::abs((*factors)[t]) > limit) return std::nullopt;
            result.terms[t].column[j] = static_cast<int32_t>((*factors)[t]);
            result.terms[t].row[j] = static_cast<int32_t>(basis.vectors[t][j]);
        }
    }
    uint64_t whole = 0;
    uint64_t largest_row = 0;
    uint64_t largest_column = 0;
    for (const OuterProduct& term : result.terms) {
        const uint64_t row = magnitude(term.row);
        const uint64_t column = magnitude(term.column);
        whole += row * column;
        largest_row = std::max(largest_row, row);
        largest_column = std::max(largest_column, column);
    }
    if (whole > static_cast<uint64_t>(limit)) return std::nullopt;
    result.magnitude = static_cast<uint32_t>(whole);
    result.row_magnitude = static_cast<uint32_t>(largest_row);
    result.column_magnitude = static_cast<uint32_t>(largest_column);
    return result;
}

bool smooths_in_16_bits(const Separation& separation, uint32_t shift) noexcept {
    constexpr uint32_t most = UINT16_MAX / 255;
    constexpr uint64_t whole = ((uint64_t{1} << 24) - 1) / 255;  // then a + b / 256 fits 16 bits
    const auto not_negative = [](int32_t tap) { return tap >= 0; };
    const auto& [column, row] = separation.terms[0];
    return separation.count == 1 && std::ranges::all_of(column, not_negative) &&
           std::ranges::all_of(row, not_negative) && separation.row_magnitude <= most &&
           separation.column_magnitude <= most && shift > 8 && shift < 24 &&
           separation.magnitude <= std::min(uint64_t{1} << shift, whole);
}

}  // namespace glint::gpu
