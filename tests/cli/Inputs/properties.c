/* Larger than the structure of any version. */
static char properties[65536];
int cudaGetDeviceProperties(void* properties, int device);
int main(void) { return cudaGetDeviceProperties(properties, 0); }
