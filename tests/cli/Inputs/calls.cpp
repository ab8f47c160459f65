int run_it(int argc, char** argv);
int main(int argc, char** argv) { return run_it(argc, argv); }
