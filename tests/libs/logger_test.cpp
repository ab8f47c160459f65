// The loggers of cuBLASLt, cuSPARSE and cuSOLVER: each of its own library, by level or mask, to a function or
// a file.
#include <cublasLt.h>
#include <cusolverDn.h>
#include <cusparse.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "testing.h"

namespace heddle::libs_test {
namespace {

struct Line {
  int level;
  std::string function, message;
};
std::vector<Line> lines;
void keep(int level, const char* function, const char* message) {
  lines.push_back({level, function, message});
}

std::string file_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(Logger, TellsCallsOfItsLibraryAlone) {
  const std::string path = testing::TempDir() + "heddle_logger_test.log";
  ASSERT_EQ(cublasLtLoggerOpenFile(path.c_str()), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasLtLoggerSetCallback(&keep), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasLtLoggerSetLevel(5), CUBLAS_STATUS_SUCCESS);
  lines.clear();
  cublasLtHandle_t lt = nullptr;
  ASSERT_EQ(cublasLtCreate(&lt), CUBLAS_STATUS_SUCCESS);
  cusparseHandle_t sparse = nullptr;
  ASSERT_EQ(cusparseCreate(&sparse), CUSPARSE_STATUS_SUCCESS);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].level, 5);
  EXPECT_EQ(lines[0].function, "cublasLtCreate");
  EXPECT_NE(lines[0].message.find("CUBLAS_STATUS_SUCCESS"), std::string::npos);
  // Failures are of level 1 too.
  lines.clear();
  cublasLtMatmulPreference_t preference = nullptr;
  EXPECT_EQ(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_SEARCH_MODE, &lt, 1),
            CUBLAS_STATUS_INVALID_VALUE);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].level, 1);
  EXPECT_NE(lines[0].message.find("pref is NULL"), std::string::npos);
  // A mask of failures alone.
  ASSERT_EQ(cublasLtLoggerSetMask(1), CUBLAS_STATUS_SUCCESS);
  lines.clear();
  ASSERT_EQ(cublasLtDestroy(lt), CUBLAS_STATUS_SUCCESS);
  EXPECT_TRUE(lines.empty());
  EXPECT_NE(cublasLtDestroy(lt), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(lines.size(), 1U);
  const std::string text = file_text(path);
  EXPECT_NE(text.find("[cublasLt][Api][cublasLtCreate]"), std::string::npos) << text;
  EXPECT_EQ(text.find("cusparse"), std::string::npos) << text;

  EXPECT_EQ(cublasLtLoggerSetLevel(6), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasLtLoggerSetLevel(-1), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasLtLoggerOpenFile((testing::TempDir() + "no/such/folder").c_str()),
            CUBLAS_STATUS_INVALID_VALUE);
  ASSERT_EQ(cublasLtLoggerSetFile(nullptr), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasLtLoggerSetCallback(nullptr), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasLtLoggerSetLevel(0), CUBLAS_STATUS_SUCCESS);
  std::remove(path.c_str());

  ASSERT_EQ(cusparseLoggerSetCallback(&keep), CUSPARSE_STATUS_SUCCESS);
  ASSERT_EQ(cusparseLoggerSetFile(nullptr), CUSPARSE_STATUS_SUCCESS);
  ASSERT_EQ(cusparseLoggerSetLevel(1), CUSPARSE_STATUS_SUCCESS);
  lines.clear();
  ASSERT_EQ(cusparseDestroy(sparse), CUSPARSE_STATUS_SUCCESS);
  EXPECT_NE(cusparseDestroy(sparse), CUSPARSE_STATUS_SUCCESS);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].function, "cusparseDestroy");
  ASSERT_EQ(cusparseLoggerSetLevel(0), CUSPARSE_STATUS_SUCCESS);

  // Disabled once, for good.
  ASSERT_EQ(cusolverDnLoggerSetCallback(&keep), CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(cusolverDnLoggerSetFile(nullptr), CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(cusolverDnLoggerSetLevel(5), CUSOLVER_STATUS_SUCCESS);
  lines.clear();
  EXPECT_EQ(cusolverDnDestroy(nullptr), CUSOLVER_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(lines.size(), 2U);
  ASSERT_EQ(cusolverDnLoggerForceDisable(), CUSOLVER_STATUS_SUCCESS);
  ASSERT_EQ(cusolverDnLoggerSetLevel(5), CUSOLVER_STATUS_SUCCESS);
  lines.clear();
  EXPECT_EQ(cusolverDnDestroy(nullptr), CUSOLVER_STATUS_NOT_INITIALIZED);
  EXPECT_TRUE(lines.empty());
}

TEST(CublasLtModes, AreKept) {
  cublasLtEmulationDesc_t emulation = nullptr;
  ASSERT_EQ(cublasLtEmulationDescCreate(&emulation), CUBLAS_STATUS_SUCCESS);
  const int32_t bits = 48;
  int32_t found = 0;
  size_t written = 0;
  ASSERT_EQ(cublasLtEmulationDescSetAttribute(
                emulation, CUBLASLT_EMULATION_DESC_FIXEDPOINT_MAX_MANTISSA_BIT_COUNT, &bits, sizeof bits),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(
      cublasLtEmulationDescGetAttribute(emulation, CUBLASLT_EMULATION_DESC_FIXEDPOINT_MAX_MANTISSA_BIT_COUNT,
                                        &found, sizeof found, &written),
      CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(found, bits);
  EXPECT_EQ(written, sizeof bits);
  EXPECT_EQ(cublasLtEmulationDescSetAttribute(emulation, CUBLASLT_EMULATION_DESC_STRATEGY, &bits, 1),
            CUBLAS_STATUS_INVALID_VALUE);
  cublasLtMatmulDesc_t operation = nullptr;
  ASSERT_EQ(cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, CUDA_R_64F),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR, &emulation,
                                           sizeof emulation),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasLtMatmulDescDestroy(operation), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasLtEmulationDescDestroy(emulation), CUBLAS_STATUS_SUCCESS);
  const unsigned before = cublasLtDisableCpuInstructionsSetMask(3);
  EXPECT_EQ(cublasLtDisableCpuInstructionsSetMask(before), 3U);
  size_t capacity = 0;
  ASSERT_EQ(cublasLtHeuristicsCacheSetCapacity(17), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasLtHeuristicsCacheGetCapacity(&capacity), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(capacity, 17U);
}

}  // namespace
}  // namespace heddle::libs_test
