// The main of programs that are whole in themselves, without libheddle.so.0: bin/nvidia-smi and others.
int HEDDLE_ENTRY(int argc, char** argv);
int main(int argc, char** argv) { return HEDDLE_ENTRY(argc, argv); }
