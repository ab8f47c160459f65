#include "libs/fft/real_line.h"

#include <algorithm>

#include "libs/fft/pieces.h"
#include "libs/fft/scratch.h"
#include "libs/fft/single.h"

namespace heddle::fft {

template <class T>
std::unique_ptr<RealLinePlan<T>> RealLinePlan<T>::make(int64_t n, bool back) {
  const int64_t n1 = LinePlan<T>::first_factor(n);
  if (n % 2 == 0 || n1 <= 1 || n1 == n) return nullptr;
  return std::unique_ptr<RealLinePlan>(new RealLinePlan(n1, n / n1, back));
}

template <class T>
RealLinePlan<T>::RealLinePlan(int64_t n1, int64_t n2, bool back)
    : back_(back),
      first_(make_columns<T>(n1)),
      second_(make_columns<T>(n2)),
      roots_(n1 * n2, back ? n2 : n1 / 2 + 1, back ? n1 / 2 + 1 : n2, host_codes<T>().lanes) {}

template <class T>
void RealLinePlan<T>::run(const T* in, T* out, bool parallel) const {
  const Codes<T>& codes = host_codes<T>();
  const int64_t lanes = codes.lanes, n1 = first_.n, n2 = second_.n, rows = n1 / 2 + 1;
  const auto blocks = [lanes](int64_t n) { return (n + lanes - 1) / lanes; };
  const int64_t pairs = (blocks(n2) + 1) / 2;
  const Scratch between(static_cast<std::size_t>(2 * blocks(n2) * blocks(rows) * lanes * lanes) * sizeof(T));
  const RealLineJob<T> job{&first_, &second_, roots_.lanes(),          roots_.blocks(),
                           in,      out,      between.template as<T>()};
  parallel = parallel && n1 * n2 >= parallel_from;
  const auto work = [&](int64_t count, int64_t length, int64_t more, auto step) {
    const std::size_t bytes =
        static_cast<std::size_t>(2 * lanes * (2 * blocks(length) * lanes + more)) * sizeof(T);
    pieces(count, parallel, [&](int64_t block) {
      const Scratch scratch(bytes);
      step(job, block, scratch.template as<T>());
    });
  };
  if (back_) {
    work(blocks(rows), n2, second_.work, codes.real_step1[1]);
    work(pairs, n1, first_.work, codes.real_step2[1]);
  } else {
    work(pairs, n1, first_.work, codes.real_step1[0]);
    work(blocks(rows), n2, second_.work, codes.real_step2[0]);
  }
}

template class RealLinePlan<float>;
template class RealLinePlan<double>;

}  // namespace heddle::fft
