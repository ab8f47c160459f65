#include "checker/record.h"

#include <gtest/gtest.h>

namespace heddle::checker {
namespace {

std::string api(const std::string& function, const std::string& result, const std::string& frames = {}) {
  return element("record", value("kind", "Api") +
                               element("what", value("text", "Program hit it on " + function + " (error 2)") +
                                                   value("api", function) + value("result", result)) +
                               element("hostStack", value("saveLocation", "error") + frames));
}
std::string frame(const std::string& function, const std::string& pc) {
  return element("frame", value("func", function) + value("pc", pc) + value("module", "/bin/prog"));
}

bool suppressed(const std::string& file, const std::string& record) {
  auto read = read_elements(file);
  EXPECT_TRUE(read.ok()) << read.error();
  return read.ok() && Suppressions(std::move(read.value())).have(record);
}

std::string file_of(const std::string& records) {
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!-- edited -->\n" +
         element("ComputeSanitizerOutput", "\n" + records + "\n");
}

TEST(Record, IsPrintedAndReadAgain) {
  const std::string record = api("cuda<&>\"'", "2");
  const auto read = read_elements(record);
  ASSERT_TRUE(read.ok());
  const Element& one = read.value().inside.front();
  EXPECT_EQ(one.find("what")->find("api")->text, "cuda<&>\"'");
  EXPECT_EQ(printed(*one.find("what"), 1),
            "  <what>\n    <text>Program hit it on cuda&lt;&amp;&gt;&quot;&apos; (error 2)</text>\n"
            "    <api>cuda&lt;&amp;&gt;&quot;&apos;</api>\n    <result>2</result>\n  </what>\n");
  EXPECT_TRUE(read_elements(printed(one, 0)).ok());
}

TEST(Record, MistakesAreToldWithTheirLine) {
  EXPECT_EQ(read_elements("<x").error(), "(1): expected >");
  EXPECT_EQ(read_elements("<a>\n<b>\n</a>").error(), "(3): incorrect closing tag name");
  EXPECT_EQ(read_elements("<a>\n<b>").error(), "(2): unexpected end of data");
  EXPECT_EQ(read_elements("<a>&no;</a>").error(), "(1): unknown entity");
  EXPECT_FALSE(read_elements("<?xml").ok());
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "<a>";
  EXPECT_FALSE(read_elements(deep).ok());
  EXPECT_TRUE(read_elements("").ok());
}

TEST(Suppressions, HaveTheSameAndWhatTheirExpressionsMean) {
  const std::string told = api("cudaMalloc", "2", frame("f", "0x10") + frame("main", "0x20"));
  EXPECT_TRUE(suppressed(file_of(told), told));
  EXPECT_TRUE(suppressed(file_of(api("cuda.*", "2", frame("f", "0x99"))), told));
  EXPECT_FALSE(suppressed(file_of(api("cudaFree", "2")), told));
  EXPECT_FALSE(suppressed(file_of(api("cudaMalloc", "1")), told)) << "numbers are the same or not";
  EXPECT_FALSE(suppressed(file_of(api("cudaMalloc", "2", frame("g", "0x10"))), told));
  EXPECT_FALSE(suppressed(file_of(told), api("cudaMalloc", "2", frame("f", "0x10"))))
      << "more frames than were told";
  EXPECT_TRUE(suppressed(file_of(element("record", value("kind", "Api"))), told)) << "any";
  EXPECT_TRUE(suppressed(file_of(api("cudaFree", "2") + told), told));
  EXPECT_FALSE(suppressed(file_of(""), told));
}

TEST(Suppressions, AreOfThreeKinds) {
  for (const char* kind : {"Api", "Initcheck", "Analysis"}) {
    const std::string record = element("record", value("kind", kind));
    EXPECT_TRUE(suppressed(file_of(record), record)) << kind;
  }
  for (const char* kind : {"Precise", "Leak", "Synccheck", "Hazard"}) {
    const std::string record = element("record", value("kind", kind));
    EXPECT_FALSE(suppressed(file_of(record), record)) << kind;
  }
}

}  // namespace
}  // namespace heddle::checker
