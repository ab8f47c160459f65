// Sort, reduction, scan, and sort by keys through Boost.Compute.
#include <algorithm>
#include <boost/compute/algorithm/copy.hpp>
#include <boost/compute/algorithm/inclusive_scan.hpp>
#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/algorithm/sort.hpp>
#include <boost/compute/algorithm/sort_by_key.hpp>
#include <boost/compute/container/vector.hpp>
#include <boost/compute/system.hpp>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

namespace compute = boost::compute;

static void say(const char* what, std::size_t size, bool right) {
  std::printf("%s of %zu: %s\n", what, size, right ? "right" : "wrong");
}

int main() {
  const compute::device device = compute::system::default_device();
  const compute::context context(device);
  compute::command_queue queue(context, device);
  std::mt19937 random(1);
  for (const std::size_t size : {1U, 100U, 5000U, 60000U}) {
    std::vector<int> numbers(size), out(size), expected(size);
    for (int& number : numbers) number = static_cast<int>(random() % 20001) - 10000;
    compute::vector<int> on_device(numbers.begin(), numbers.end(), queue), scanned(size, context);

    int sum = 0;
    compute::reduce(on_device.begin(), on_device.end(), &sum, queue);
    say("reduction", size, sum == std::accumulate(numbers.begin(), numbers.end(), 0));

    compute::inclusive_scan(on_device.begin(), on_device.end(), scanned.begin(), queue);
    compute::copy(scanned.begin(), scanned.end(), out.begin(), queue);
    std::partial_sum(numbers.begin(), numbers.end(), expected.begin());
    say("scan", size, out == expected);

    // The places of the numbers go with them.
    std::vector<int> places(size);
    std::iota(places.begin(), places.end(), 0);
    compute::vector<int> keys(numbers.begin(), numbers.end(), queue),
        with(places.begin(), places.end(), queue);
    compute::sort_by_key(keys.begin(), keys.end(), with.begin(), queue);
    compute::copy(with.begin(), with.end(), places.begin(), queue);
    expected = numbers;
    std::sort(expected.begin(), expected.end());
    for (std::size_t i = 0; i < size; ++i) out[i] = numbers[static_cast<std::size_t>(places[i])];
    say("sort by key", size, out == expected);

    compute::sort(on_device.begin(), on_device.end(), queue);
    compute::copy(on_device.begin(), on_device.end(), out.begin(), queue);
    say("sort", size, out == expected);
  }
}
